package site_test

func init() {
	pages["POST /units/{id}/inbox/plan"] = [4]int{401, 403, 422, 403} // no row is chosen
	pages["POST /units/{id}/inbox/verdicts"] = [4]int{401, 403, 422, 403}
	pages["POST /units/{id}/inbox/undo"] = [4]int{401, 403, 404, 403} // of nothing
	pages["GET /units/{id}/inbox"] = [4]int{303, 403, 200, 403}
}
