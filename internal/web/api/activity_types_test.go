package api

import "testing"

var _ = rights(
	rightRow{"GET /api/activity_types", "", "everybody", nil},
	rightRow{"GET /api/activity_types/{id}", "/api/activity_types/{prac}", "everybody", nil},
	rightRow{"POST /api/activity_types", "", "admin", `{"activity_type":{"name":"X","abbreviation":"X"}}`},
	rightRow{"PUT /api/activity_types/{id}", "/api/activity_types/{prac}", "admin", `{"activity_type":{"name":"Y"}}`},
	rightRow{"DELETE /api/activity_types/{id}", "/api/activity_types/{prac}", "admin", nil},
)

var _ = lists(listRow{route: "GET /api/activity_types", fill: fill("activity_types", func(_ *world, i int) row {
	return row{"name": numbered("Type", i), "abbreviation": numbered("t", i)}
})})

func TestActivityTypes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/activity_types", nil).status(200).is(`[{"id":«prac»,"name":"Practical","abbreviation":"prac"}]`)

		made := w.do("admin", "POST /api/activity_types", form{"activity_type[name]": "Seminar",
			"activity_type[abbreviation]": "sem"}).status(201)
		w.id["sem"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«sem»,"name":"Seminar","abbreviation":"sem"}`)
		if got := made.Header().Get("Location"); got != w.path("/api/activity_types/{sem}") {
			t.Errorf("Location %q", got)
		}
		w.do("", "GET /api/activity_types/{sem}", nil).status(200).is(`{"id":«sem»,"name":"Seminar","abbreviation":"sem"}`)
		w.do("admin", "PUT /api/activity_types/{sem}", `{"activity_type":{"name":"Séminaire"}}`).status(200).
			is(`{"id":«sem»,"name":"Séminaire","abbreviation":"sem"}`)
		w.do("admin", "PUT /api/activity_types/{sem}", nil).status(200)

		w.do("admin", "POST /api/activity_types", `{"activity_type":{}}`).status(400).says("activity_type[name]",
			"activity_type[abbreviation]")
		w.do("admin", "POST /api/activity_types", `{"activity_type":"x"}`).status(400)
		w.do("admin", "POST /api/activity_types", `{"activity_type":{"name":" ","abbreviation":""}}`).status(422).
			says("activity_type[name]", "activity_type[abbreviation]")
		w.do("admin", "POST /api/activity_types", `{"activity_type":{"name":"Practical","abbreviation":"p"}}`).status(409)
		w.do("admin", "PUT /api/activity_types/{sem}", `{"activity_type":{"abbreviation":"prac"}}`).status(409)
		w.do("admin", "DELETE /api/activity_types/{prac}", nil).status(409).says("streams")
		w.do("admin", "DELETE /api/activity_types/{sem}", nil).status(204)
		w.do("admin", "DELETE /api/activity_types/{sem}", nil).status(404)
		w.do("admin", "PUT /api/activity_types/{sem}", `{"activity_type":{"name":"Z"}}`).status(404)
		w.do("", "GET /api/activity_types/{sem}", nil).status(404)
	})
}
