package api

import "testing"

const streamPath = "/api/units/{unitA}/tutorial_streams/prac-1"

var _ = rights(
	rightRow{"POST /api/units/{unit_id}/tutorial_streams", "/api/units/{unitA}/tutorial_streams", convenorsA,
		form{"activity_type_abbr": "prac"}},
	rightRow{"PUT /api/units/{unit_id}/tutorial_streams/{tutorial_stream_abbr}", streamPath, convenorsA,
		form{"name": "New"}},
	rightRow{"DELETE /api/units/{unit_id}/tutorial_streams/{tutorial_stream_abbr}", streamPath, convenorsA, nil},
)

func TestStreams(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/units/{unitA}/tutorial_streams"
		w.add("sem", "activity_types", row{"name": "Seminar", "abbreviation": "sem"})
		made := w.do("convenor", "POST "+path, `{"activity_type_abbr":"prac"}`).status(201)
		w.id["new"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«new»,"name":"Practical 2","abbreviation":"prac 2","activity_type":"prac",
			"tutorial_stream":{"id":«new»,"name":"Practical 2","abbreviation":"prac 2","activity_type":"prac"}}`) // Practical 1 is taken
		if got := made.Header().Get("Location"); got != w.path(path+"/prac%202") {
			t.Errorf("Location %q", got)
		}
		w.do("convenor", "PUT "+path+"/prac%202", `{"name":"Labs","activity_type_abbr":"sem"}`).status(200).
			is(`{"id":«new»,"name":"Labs","abbreviation":"prac 2","activity_type":"sem",
			"tutorial_stream":{"id":«new»,"name":"Labs","abbreviation":"prac 2","activity_type":"sem"}}`)
		w.do("convenor", "PUT "+path+"/prac%202", form{"abbreviation": "lab/1", "activity_type": "prac"}).status(200)
		w.do("convenor", "PUT "+path+"/lab%2F1", form{}).status(200)

		w.do("convenor", "PUT "+path+"/lab%2F1", form{"name": "Practical 1"}).status(409)
		w.do("convenor", "PUT "+path+"/lab%2F1", form{"abbreviation": "prac-1"}).status(409)
		w.do("convenor", "PUT "+path+"/lab%2F1", form{"abbreviation": ""}).status(422)
		w.do("convenor", "PUT "+path+"/lab%2F1", form{"name": long(300)}).status(422)
		w.do("convenor", "PUT "+path+"/lab%2F1", form{"activity_type_abbr": "none"}).status(404).says("activity type")
		w.do("convenor", "PUT "+path+"/none", form{"name": "X"}).status(404)
		w.do("convenor", "POST "+path, form{"activity_type_abbr": "none"}).status(404).says("activity type")
		w.do("convenor", "POST "+path, form{}).status(400).says("activity_type_abbr")
		w.do("convenorB", "PUT /api/units/{unitB}/tutorial_streams/lab%2F1", form{"name": "X"}).status(404)
	})
}

func TestRemovingStreams(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/units/{unitA}/tutorial_streams"
		definitions := func(stream any) int64 {
			t.Helper()
			return w.count(`task_definitions WHERE unit_id = $1 AND tutorial_stream_id IS NOT DISTINCT FROM $2`,
				w.id["unitA"], stream)
		}
		w.do("convenor", "POST "+path, form{"activity_type_abbr": "prac"}).status(201)
		third := w.do("convenor", "POST "+path, form{"activity_type_abbr": "prac"}).status(201)
		w.id["third"] = int64(third.object()["id"].(float64))
		w.do("convenor", "DELETE "+path+"/prac-1", nil).status(409).says("Task definitions use", "2 of them")
		w.do("convenor", "DELETE "+path+"/prac%202", nil).status(200).is(`true`) // it has none
		w.do("convenor", "DELETE "+path+"/prac%202", nil).status(404)

		// Students and groups hold a stream's tutorials, withdrawn students do not.
		w.do("convenor", "DELETE "+path+"/prac-1", nil).status(409).says("LA1", "students")
		w.set(`UPDATE projects SET enrolled = FALSE`)
		w.do("convenor", "DELETE "+path+"/prac-1", nil).status(409).says("1 group")
		w.set(`DELETE FROM unit_groups`)
		if definitions(w.id["streamA"]) != 2 {
			t.Error("a refused deletion moved definitions")
		}
		w.do("convenor", "DELETE "+path+"/prac-1", nil).status(200).is(`true`)
		if definitions(w.id["third"]) != 2 || w.count(`tutorials WHERE id = $1`, w.id["tutorialA"]) != 0 {
			t.Error("the definitions did not go to the other of two streams, or the tutorial stayed")
		}
		w.do("convenor", "DELETE "+path+"/prac%203", nil).status(200).is(`true`)
		if definitions(nil) != 2 {
			t.Error("the last stream took definitions along")
		}
		// The first stream of a unit takes over all its definitions.
		first := w.do("convenor", "POST "+path, form{"activity_type_abbr": "prac"}).status(201).object()
		if first["name"] != "Practical 1" || definitions(int64(first["id"].(float64))) != 2 {
			t.Errorf("the first stream %v has not all definitions", first)
		}
	})
}
