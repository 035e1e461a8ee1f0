package api

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/teaching/enrol"
)

func TestStreamsAndTutorialsOfAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("lonely", "tutorials", row{"unit_id": w.id["unitA"], "abbreviation": "LA9", "meeting_day": "Friday",
			"meeting_time": "9:00", "meeting_location": "Here"})
		streams, err := enrol.StreamsOf(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]enrol.Stream{{ID: w.id["streamA"], Name: "Practical 1", Abbreviation: "prac-1",
			ActivityType: "prac"}}, streams); d != "" {
			t.Error(d)
		}
		tutorials, err := enrol.TutorialsOf(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil {
			t.Fatal(err)
		}
		campus, tutor, stream := w.id["burwood"], w.id["tutor"], "prac-1"
		want := []enrol.Tutorial{
			{ID: w.id["tutorialA"], MeetingDay: "Monday", MeetingTime: "10:00", MeetingLocation: "ATC101",
				Abbreviation: "LA1", CampusID: &campus,
				Capacity: 20, StreamAbbr: &stream, NumStudents: 4, TutorID: &tutor},
			{ID: w.id["lonely"], MeetingDay: "Friday", MeetingTime: "9:00", MeetingLocation: "Here",
				Abbreviation: "LA9", Capacity: -1},
		}
		if d := cmp.Diff(want, tutorials); d != "" {
			t.Error(d)
		}
	})
}

var _ = rights(
	rightRow{"POST /api/tutorials", "/api/tutorials?tutorial[unit_id]={unitA}", convenorsA,
		form{"tutorial[tutor_id]": "1", "tutorial[capacity]": "5",
			"tutorial[abbreviation]": "X1", "tutorial[meeting_location]": "L", "tutorial[meeting_day]": "D",
			"tutorial[meeting_time]": "T"}},
	rightRow{"PUT /api/tutorials/{id}", "/api/tutorials/{tutorialA}?tutorial[unit_id]={unitA}", convenorsA,
		form{"tutorial[capacity]": "3"}},
	rightRow{"DELETE /api/tutorials/{id}", "/api/tutorials/{tutorialA}", convenorsA, nil},
)

// newTutorial is a complete body with some values changed.
func newTutorial(w *world, with form) form {
	f := form{"tutorial[unit_id]": w.path("{unitA}"), "tutorial[tutor_id]": w.path("{tutor}"),
		"tutorial[capacity]": "15", "tutorial[abbreviation]": "LB1",
		"tutorial[meeting_location]": "EN 305", "tutorial[meeting_day]": "Tuesday", "tutorial[meeting_time]": "18:30"}
	for k, v := range with {
		f["tutorial["+k+"]"] = v
	}
	return f
}

func TestTutorials(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		text := w.do("convenor", "POST /api/tutorials", newTutorial(w, form{"abbreviation": "T0"})).status(201)
		if got := text.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" ||
			text.Body.String() != "Tutorial T0 was created.\n" {
			t.Errorf("%s: %s", got, text.Body)
		}
		made := w.do("convenor", "POST /api/tutorials", newTutorial(w, form{"campus_id": w.path("{geelong}"),
			"tutorial_stream_abbr": "prac-1"}),
			"Accept", "application/json").status(201)
		w.id["LB1"] = int64(made.object()["id"].(float64))
		made.is(`{"id":«LB1»,"meeting_day":"Tuesday","meeting_time":"18:30","meeting_location":"EN 305","abbreviation":"LB1","campus_id":«geelong»,
			"capacity":15,"tutorial_stream_abbr":"prac-1","num_students":0,"tutor_id":«tutor»,"message":"Tutorial LB1 was created."}`)
		if got := made.Header().Get("Location"); got != w.path("/api/tutorials/{LB1}") {
			t.Errorf("Location %q", got)
		}
		put := func(with form) *answered {
			t.Helper()
			f := form{"tutorial[unit_id]": w.path("{unitA}")}
			for k, v := range with {
				f["tutorial["+k+"]"] = v
			}
			return w.do("admin", "PUT /api/tutorials/{LB1}", f)
		}
		put(form{"campus_id": "-1", "tutorial_stream_abbr": "", "capacity": "-1", "meeting_location": "",
			"tutor_id": w.path("{convenor}")}).status(200).
			is(`{"id":«LB1»,"meeting_day":"Tuesday","meeting_time":"18:30","meeting_location":"","abbreviation":"LB1","campus_id":null,
			"capacity":-1,"tutorial_stream_abbr":null,"num_students":0,"tutor_id":«convenor»}`)
		put(nil).status(200)
		w.do("admin", "PUT /api/tutorials/{LB1}", `{"tutorial":{"unit_id":`+w.path("{unitA}")+
			`,"tutor_id":null}}`).status(200)

		put(form{"abbreviation": "LA1"}).status(409).says("LA1")
		put(form{"abbreviation": " "}).status(422)
		put(form{"tutor_id": w.path("{tutorB}")}).status(422).says("tutorB")
		put(form{"tutor_id": "0"}).status(404)
		put(form{"campus_id": "999"}).status(404)
		put(form{"tutorial_stream_abbr": "nope"}).status(404)
		put(form{"unit_id": w.path("{unitB}")}).status(404)
		w.do("admin", "PUT /api/tutorials/{LB1}", nil).status(400).says("tutorial")

		w.do("convenor", "DELETE /api/tutorials/{LB1}", nil).status(204)
		w.do("convenor", "DELETE /api/tutorials/{LB1}", nil).status(404)
		w.do("convenor", "DELETE /api/tutorials/{tutorialA}", nil).status(409).says("4 students", "1 group")
		w.set(`DELETE FROM unit_groups`)
		w.do("convenor", "DELETE /api/tutorials/{tutorialA}", nil).status(409)
		w.set(`UPDATE projects SET enrolled = FALSE`)
		w.do("convenor", "DELETE /api/tutorials/{tutorialA}", nil).status(204)
	})
}

func TestBadTutorials(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.count("tutorials")
		for _, c := range []struct {
			with form
			want int
			says string
		}{
			{form{"unit_id": ""}, 400, "unit_id"},
			{form{"unit_id": "x"}, 400, "unit_id"},
			{form{"unit_id": "99"}, 404, ""},
			{form{"tutor_id": "string"}, 400, "tutor_id"},
			{form{"tutor_id": "99"}, 404, "user"},
			{form{"tutor_id": w.path("{outsider}")}, 422, "outsider"},
			{form{"tutor_id": w.path("{tutorB}")}, 422, "tutorB"},
			{form{"tutor_id": w.path("{student}")}, 422, "staff"},
			{form{"campus_id": "99"}, 404, "campus"},
			{form{"tutorial_stream_abbr": "none"}, 404, "stream"},
			{form{"abbreviation": "LA1"}, 409, "LA1"},
			{form{"abbreviation": ""}, 422, ""},
			{form{"abbreviation": long(256)}, 422, ""},
			{form{"meeting_day": " "}, 422, ""},
			{form{"meeting_location": long(4000)}, 422, ""},
			{form{"capacity": "many"}, 400, "capacity"},
			{form{"capacity": "9999999999"}, 400, "capacity"},
		} {
			w.do("convenor", "POST /api/tutorials", newTutorial(w, c.with)).status(c.want).says(c.says)
		}
		w.do("convenor", "POST /api/tutorials", `{}`).status(400).says("tutorial[unit_id]", "tutorial[tutor_id]",
			"tutorial[capacity]",
			"tutorial[abbreviation]", "tutorial[meeting_location]", "tutorial[meeting_day]", "tutorial[meeting_time]")
		w.do("convenor", "POST /api/tutorials", newTutorial(w, form{"unit_id": w.path("{unitB}")})).status(403)
		w.do("convenorB", "PUT /api/tutorials/{tutorialA}", form{"tutorial[unit_id]": w.path("{unitB}")}).status(404)
		w.do("convenorB", "DELETE /api/tutorials/{tutorialA}", nil).status(403)
		if after := w.count("tutorials"); after != before {
			t.Errorf("%d tutorials became %d", before, after)
		}
	})
}

func long(n int) string { return strings.Repeat("é", n) }

// A tutorial changes its stream or campus only where its students fit.
func TestTutorialsMoveWithTheirStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar 1", "abbreviation": "sem-1",
			"activity_type_id": w.id["prac"]})
		w.tutorial("S1", "seminar", "", 5)
		w.add("", "tutorial_enrolments", row{"project_id": w.id["project:student"], "tutorial_id": w.id["S1"],
			"tutorial_stream_id": w.id["seminar"]})
		put := func(with string) *answered {
			t.Helper()
			return w.do("convenor", "PUT /api/tutorials/{tutorialA}", `{"tutorial":{"unit_id":`+w.path("{unitA}")+`,`+
				w.path(with)+`}}`)
		}
		put(`"tutorial_stream_abbr":"sem-1"`).status(409)
		put(`"tutorial_stream_abbr":null`).status(409)
		put(`"tutorial_stream_abbr":"prac-1"`).status(200)
		w.set(`DELETE FROM tutorial_enrolments WHERE tutorial_id = $1`, w.id["S1"])
		put(`"tutorial_stream_abbr":"sem-1"`).status(200)
		if n := w.count(`tutorial_enrolments WHERE tutorial_stream_id = $1`, w.id["seminar"]); n != 5 {
			t.Errorf("%d students came along", n)
		}
		put(`"tutorial_stream_abbr":null`).status(200)
		put(`"tutorial_stream_abbr":"prac-1"`).status(200)
		put(`"campus_id":` + "{geelong}").status(409).says("campus")
		put(`"campus_id":null`).status(200)
		w.set(`UPDATE projects SET campus_id = NULL`)
		put(`"campus_id":` + "{geelong}").status(200)
	})
}
