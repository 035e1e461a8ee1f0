package api

import (
	"fmt"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

var _ = rights(
	rightRow{"GET /api/students", "/api/students?unit_id={unitA}", staffA, nil},
)

var _ = lists(
	listRow{route: "GET /api/students", path: "/api/students?unit_id={unitA}", who: "tutor", fill: func(w *world, from,
		to int) {
		w.crowd(from, to)
	}},
)

// names lists the user names of an answer with student entries.
func (a *answered) names() string {
	a.w.Helper()
	var out []string
	for _, s := range a.list() {
		out = append(out, s["student"].(map[string]any)["username"].(string))
	}
	return strings.Join(out, " ")
}

func TestStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE projects SET red_pct = 0.25, grey_pct = 0.75, order_scale = 12.5, submitted_grade = 2, grade =
			71, grade_rationale = 'Good' WHERE id = $1`, w.id["project:student"])
		all := w.do("tutor", "GET /api/students?unit_id={unitA}", nil).status(200)
		if got := all.names(); got != "both mate other student" {
			t.Errorf("got %s", got)
		}
		const entry = `{"id":«project:student»,"enrolled":true,"campus_id":«burwood»,"student":{"id":«student»,"student_id":null,"username":"student",
			"email":"student@example.edu","first_name":"Student","last_name":"Person","nickname":"student"},"target_grade":1,"submitted_grade":2,
			"compile_portfolio":false,"grade":71,"grade_rationale":"Good","similarity_flag":false,"has_portfolio":false,
			"stats":{"red_pct":0.25,"grey_pct":0.75,"orange_pct":0,"blue_pct":0,"green_pct":0,"order_scale":12.5},
			"tutorial_enrolments":[{"stream_abbr":"prac-1","tutorial_id":«tutorialA»}]}`
		w.do("convenor", "GET /api/students?unit_id={unitA}&limit=1&offset=3", nil).status(200).is(`[` + entry + `]`)

		for query, want := range map[string]string{
			"&withdraw=true":                   "both mate other student withdrawn",
			"&withdrawn=true":                  "withdrawn",
			"&withdrawn=false":                 "both mate other student",
			"&withdraw=true&withdrawn=true":    "withdrawn",
			"&limit=2":                         "both mate",
			"&limit=2&offset=1":                "mate other",
			"&offset=3":                        "student",
			"&limit=0":                         "",
			"&limit=9&offset=9":                "",
			"&withdraw=1&limit=2&offset=3":     "student withdrawn",
			"&withdraw=no&limit=&offset=":      "both mate other student",
			"&limit=10000":                     "both mate other student",
			"&limit=1&offset=4611686018427387": "",
		} {
			got := w.do("admin", "GET /api/students?unit_id={unitA}"+query, nil).status(200)
			if got.names() != want {
				t.Errorf("%s: got %s, want %s", query, got.names(), want)
			}
			total := got.Header().Get("X-Total-Count")
			if paged := strings.Contains(strings.ReplaceAll(query, "limit=&offset=", ""),
				"it="); paged != (total != "") && !strings.Contains(query, "offset=3") {
				t.Errorf("%s: X-Total-Count %q", query, total)
			} else if total != "" && total != map[bool]string{false: "4", true: "5"}[strings.Contains(query,
				"withdraw=1")] {
				t.Errorf("%s: X-Total-Count %s", query, total)
			}
		}
		w.do("tutor", "GET /api/students", nil).status(400).says("unit_id")
		w.do("tutor", "GET /api/students?unit_id=x", nil).status(400)
		w.do("tutor", "GET /api/students?unit_id=999", nil).status(404)
		w.do("tutor", "GET /api/students?unit_id={unitA}&limit=-1", nil).status(400).says("limit")
		w.do("tutor", "GET /api/students?unit_id={unitA}&offset=-1", nil).status(400).says("offset")
		w.do("tutor", "GET /api/students?unit_id={unitB}", nil).status(403)
	})
}

func TestStudentsByStream(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		enrolments := func(want string) {
			t.Helper()
			for _, s := range w.do("tutor", "GET /api/students?unit_id={unitA}", nil).status(200).list() {
				if int64(s["id"].(float64)) == w.id["project:student"] {
					if got := fmt.Sprint(s["tutorial_enrolments"]); got != w.path(want) {
						t.Errorf("got %s, want %s", got, w.path(want))
					}
				}
			}
		}
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar 1", "abbreviation": "sem-1",
			"activity_type_id": w.id["prac"]})
		w.tutorial("FREE", "", "", 5)
		w.set(`UPDATE tutorials SET tutorial_stream_id = NULL WHERE abbreviation = 'FREE'`)
		tutorial := func(name string) string { return fmt.Sprint(float64(w.id[name])) }
		enrolments("[map[stream_abbr:prac-1 tutorial_id:" + tutorial("tutorialA") +
			"] map[stream_abbr:sem-1 tutorial_id:<nil>]]")
		w.do("student", "POST /api/units/{unitA}/tutorials/FREE/enrolments/{project:student}", nil).status(201)
		enrolments("[map[stream_abbr:prac-1 tutorial_id:<nil>] map[stream_abbr:sem-1 tutorial_id:<nil>] " +
			"map[stream_abbr:<nil> tutorial_id:" + tutorial("FREE") + "]]")
		w.set(`UPDATE task_definitions SET tutorial_stream_id = NULL`)
		w.set(`DELETE FROM unit_groups`)
		w.set(`DELETE FROM tutorial_streams`)
		enrolments("[map[stream_abbr:<nil> tutorial_id:" + tutorial("FREE") + "]]")
		w.set(`DELETE FROM tutorial_enrolments`)
		enrolments("[map[stream_abbr:<nil> tutorial_id:<nil>]]")
	})
}

// statements counts those of a request.
func (w *world) statements(who, request string) int64 {
	w.Helper()
	r := w.request(who, request, nil)
	ctx, c := db.Counting(r.Context(), nil)
	w.send(r.WithContext(ctx), who+" "+request).status(200)
	return c.N()
}

// Two statements find the caller and their standing; the rest read.
func TestStatementsOfProjectsAndStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for request, want := range map[string]int64{
			"GET /api/students?unit_id={unitA}":                  1 + 3,
			"GET /api/students?unit_id={unitA}&limit=7&offset=1": 1 + 4,
			"GET /api/projects/{project:student}":                1 + 4, // it has groups, but neither files nor alignments
		} {
			if n := w.statements("tutor", request); n != want {
				t.Errorf("%s: %d statements, want %d", request, n, want)
			}
		}
	})
}
