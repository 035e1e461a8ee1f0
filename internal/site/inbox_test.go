package site_test

func init() {
	pages["GET /units/{id}/inbox"] = [4]int{303, 403, 200, 403}
}
