package api

import "testing"

var _ = rights(
	rightRow{"GET /api/campuses", "", "everybody", nil},
	rightRow{"GET /api/campuses/{id}", "/api/campuses/{burwood}", "everybody", nil},
	rightRow{"POST /api/campuses", "", "admin", `{"campus":{"name":"X","mode":"manual","abbreviation":"X","active":true}}`},
	rightRow{"PUT /api/campuses/{id}", "/api/campuses/{burwood}", "admin", `{"campus":{"name":"Y"}}`},
	rightRow{"DELETE /api/campuses/{id}", "/api/campuses/{geelong}", "admin", nil},
)

func TestCampuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/campuses", nil).status(200).is(`[
			{"id":«burwood»,"name":"Burwood","mode":"automatic","abbreviation":"B","active":true},
			{"id":«geelong»,"name":"Geelong","mode":"manual","abbreviation":"G","active":true}]`)

		made := w.do("admin", "POST /api/campuses", form{"campus[name]": "Online", "campus[mode]": "timetable",
			"campus[abbreviation]": "C", "campus[active]": "yes"}).status(201)
		w.id["online"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«online»,"name":"Online","mode":"timetable","abbreviation":"C","active":true}`)
		if got := made.Header().Get("Location"); got != w.path("/api/campuses/{online}") {
			t.Errorf("Location %q", got)
		}
		w.do("", "GET /api/campuses/{online}", nil).status(200)
		w.do("admin", "PUT /api/campuses/{online}", `{"campus":{"active":false}}`).status(200).
			is(`{"id":«online»,"name":"Online","mode":"timetable","abbreviation":"C","active":false}`)
		w.do("admin", "PUT /api/campuses/{online}", nil).status(200)

		w.do("admin", "POST /api/campuses", `{}`).status(400).says("campus[name]", "campus[mode]",
			"campus[abbreviation]", "campus[active]")
		w.do("admin", "POST /api/campuses", `{"campus":{"name":"Z","mode":"remote","abbreviation":"Z","active":true}}`).status(400).says("timetable")
		w.do("admin", "PUT /api/campuses/{online}", `{"campus":{"name":" "}}`).status(422)
		w.do("admin", "PUT /api/campuses/{online}", `{"campus":{"name":"Burwood"}}`).status(409)
		w.do("admin", "DELETE /api/campuses/{burwood}", nil).status(409).says("inactive")
		w.do("admin", "DELETE /api/campuses/{online}", nil).status(204)
		w.do("admin", "DELETE /api/campuses/{online}", nil).status(404)
		w.do("", "GET /api/campuses/{online}", nil).status(404)
		w.do("", "GET /api/campuses/x", nil).status(404)
	})
}

var _ = lists(listRow{route: "GET /api/campuses", fill: fill("campuses", func(_ *world, i int) row {
	return row{"name": numbered("Campus", i), "mode": "manual", "abbreviation": numbered("C", i), "active": true}
})})
