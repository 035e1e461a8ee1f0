package api

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

const alignA = "/api/units/{unitA}/learning_alignments"

// align is a complete alignment of defA1 with outcomeA.
func (w *world) align(project int64, more ...any) map[string]any {
	m := map[string]any{"learning_outcome_id": w.id["outcomeA"], "task_definition_id": w.id["defA1"],
		"project_id": project, "rating": 3, "description": "Because"}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

const anAlignment = `{"learning_outcome_id":1,"task_definition_id":1,"project_id":0,"rating":3,"description":"x"}`

var _ = rights(
	rightRow{"GET /api/units/{unit_id}/learning_alignments", alignA + "?project_id=0", membersA, nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments", alignA + "?project_id={project:student}",
		"student tutor both convenor admin", nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments", alignA + "?project_id={project:withdrawn}",
		"withdrawn tutor both convenor admin", nil},
	rightRow{"POST /api/units/{unit_id}/learning_alignments", alignA, convenorsA, anAlignment},
	rightRow{"POST /api/units/{unit_id}/learning_alignments", alignA + "?project_id={project:student}",
		"student tutor both convenor admin", strings.Replace(anAlignment, `"project_id":0,`, "", 1)},
	rightRow{"POST /api/units/{unit_id}/learning_alignments", alignA + "?project_id={project:withdrawn}",
		"tutor both convenor admin", strings.Replace(anAlignment, `"project_id":0,`, "", 1)},
	rightRow{"PUT /api/units/{unit_id}/learning_alignments/{id}", alignA + "/{alignA}", convenorsA, `{"rating":1}`},
	rightRow{"DELETE /api/units/{unit_id}/learning_alignments/{id}", alignA + "/{alignA}", convenorsA, nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments/csv", alignA + "/csv", staffA, nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments/csv", alignA + "/csv?project_id={project:student}",
		"student tutor both convenor admin", nil},
	rightRow{"POST /api/units/{unit_id}/learning_alignments/csv", alignA + "/csv", convenorsA,
		aFile("a.csv", "x\ny\n")},
	rightRow{"POST /api/units/{unit_id}/learning_alignments/csv", alignA + "/csv?project_id={project:student}",
		"student tutor both convenor admin", aFile("a.csv", "x\ny\n")},
)

var _ = lists(listRow{route: "GET /api/units/{unit_id}/learning_alignments", path: alignA + "?project_id=0",
	who: "student",
	fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			o := w.add("", "learning_outcomes", row{"unit_id": w.id["unitA"], "ilo_number": i + 100,
				"abbreviation": fmt.Sprint("X", i), "name": "n", "description": "d"})
			w.add("", "learning_outcome_links", row{"task_definition_id": w.id["defA2"], "learning_outcome_id": o,
				"rating": 1, "description": ""})
		}
	}})

func TestAlignments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.clearAlignments()
		w.id["none"] = 0
		made := w.do("convenor", "POST "+alignA, w.align(0)).status(201)
		w.id["unit's"] = int64(made.object()["id"].(float64))
		own := `{"id":«unit's»,"description":"Because","rating":3,"learning_outcome_id":«outcomeA»,"task_definition_id":«defA1»}`
		made.is(own)
		w.do("other", "GET "+alignA+"?project_id=0", nil).status(200).is(`[` + own + `]`)
		w.do("convenor", "POST "+alignA, w.align(0)).status(409).says("already aligned")

		before := w.count("tasks")
		w.do("mate", "POST "+alignA, w.align(w.id["project:student"])).status(403)
		if w.count("tasks") != before {
			t.Error("a refused request made a task")
		}
		mine := w.do("student", "POST "+alignA, w.align(w.id["project:student"], "rating", 5)).status(201).object()
		w.id["mine"], w.id["task"] = int64(mine["id"].(float64)), int64(mine["task_id"].(float64))
		if w.count("tasks WHERE id = $1 AND status = 'not_started'", w.id["task"]) != 1 {
			t.Error("the student's task is not there")
		}
		w.do("student", "POST "+alignA, w.align(w.id["project:student"])).status(409)
		w.do("tutor", "GET "+alignA+"?project_id={project:student}",
			nil).status(200).is(`[{"id":«mine»,"description":"Because","rating":5,
			"learning_outcome_id":«outcomeA»,"task_definition_id":«defA1»,"task_id":«task»}]`)
		if full := w.do("student", "GET /api/units/{unitA}",
			nil).status(200).object(); len(full["task_outcome_alignments"].([]any)) != 1 {
			t.Errorf("%v", full["task_outcome_alignments"])
		}

		w.do("mate", "PUT "+alignA+"/{mine}", `{"rating":1}`).status(403)
		w.do("student", "PUT "+alignA+"/{unit's}", `{"rating":1}`).status(403)
		if got := w.do("student", "PUT "+alignA+"/{mine}", `{"rating":1}`).status(200).object(); got["rating"] != 1.0 ||
			got["description"] != "Because" {
			t.Errorf("%v", got)
		}
		w.do("convenor", "PUT "+alignA+"/{unit's}", `{}`).status(200).is(own)
		w.do("convenor", "PUT "+alignA+"/{unit's}", `{"rating":6}`).status(400).says("1 to 5")
		w.do("convenorB", "PUT /api/units/{unitB}/learning_alignments/{unit's}", `{"rating":1}`).status(404)
		w.do("student", "DELETE "+alignA+"/{mine}", nil).status(204)
		w.do("student", "DELETE "+alignA+"/{mine}", nil).status(404)
	})
}

func (w *world) clearAlignments() {
	w.Helper()
	w.do("convenor", "DELETE "+alignA+"/{alignA}", nil).status(204)
}

// Of a student's own alignments, the rights on the project decide.
func TestRightsOnAStudentsAlignment(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.id["mine"] = int64(w.do("student", "POST "+alignA,
			w.align(w.id["project:student"])).status(201).object()["id"].(float64))
		w.strangers()
		row := rightRow{who: "student tutor both convenor admin"}
		for _, who := range callers {
			want := map[bool]int{true: 200, false: 403}[row.allows(who)]
			if unknown(who) {
				want = 401
			}
			w.do(who, "PUT "+alignA+"/{mine}", `{"rating":2}`).status(want)
			if want != 200 {
				w.do(who, "DELETE "+alignA+"/{mine}", nil).status(want)
			}
		}
	})
}

// counted tells how much of a body was read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// An upload is refused before it is read, where what came ahead of it tells that
// nobody like the caller may send it; a project named behind the file counts too.
func TestAlignmentUploadsAreRefusedUnread(t *testing.T) {
	w := newWorld(t, "sqlite")
	const file = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"
	own := fmt.Sprint("\r\n--x\r\nContent-Disposition: form-data; name=\"project_id\"\r\n\r\n",
		w.id["project:student"])
	for _, c := range []struct {
		who, query, behind string
		status             int
		unread             bool
	}{
		{"outsider", "", "", 403, true},
		{"convenorB", "", "", 403, true},
		{"mate", "?project_id={project:student}", "", 403, true},
		{"student", "", "", 403, false},
		{"mate", "", own, 403, false},
		{"student", "", own, 413, false}, // permitted: the sheet has too many rows
		{"tutor", "", own, 413, false},
	} {
		body := &counted{Reader: io.MultiReader(strings.NewReader(file),
			strings.NewReader(strings.Repeat("x\n", 1<<20)),
			strings.NewReader(c.behind+"\r\n--x--\r\n"))}
		r := w.request(c.who, "POST "+alignA+"/csv"+c.query, nil, "Content-Type", "multipart/form-data; boundary=x")
		r.Body, r.ContentLength = io.NopCloser(body), -1
		w.send(r, fmt.Sprintf("%+v", c)).status(c.status)
		if unread := body.n < 1<<20; unread != c.unread {
			t.Errorf("%+v: %d bytes were read", c, body.n)
		}
	}
}

func TestAlignmentsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.clearAlignments()
		w.do("convenor", "GET "+alignA, nil).status(400).says("project_id")
		w.do("convenor", "POST "+alignA, `{}`).status(400).says("learning_outcome_id", "task_definition_id",
			"project_id", "rating", "description")
		for what, more := range map[string][]any{
			"404 outcome":        {"learning_outcome_id", w.id["outcomeB"]},
			"404 definition":     {"task_definition_id", w.id["defB1"]},
			"404 project":        {"project_id", w.id["project:studentB"]},
			"404 no such":        {"project_id", -1},
			"400 rating 0":       {"rating", 0},
			"400 rating 6":       {"rating", 6},
			"400 rating":         {"rating", "high"},
			"422 long":           {"description", strings.Repeat("x", 4096)},
			"400 rating 2^40":    {"rating", 1 << 40},
			"404 outcome 2^62":   {"learning_outcome_id", 1 << 62},
			"404 no such task 0": {"task_definition_id", 0},
		} {
			got := w.do("convenor", "POST "+alignA, w.align(0, more...))
			if fmt.Sprint(got.Code) != what[:3] {
				t.Errorf("%s: %d %s", what, got.Code, got.Body)
			}
		}
		if n := w.count("learning_outcome_links"); n != 0 {
			t.Errorf("%d alignments", n)
		}
	})
}

func TestAlignmentsThatAreAsTheSheetSaysAreIgnored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.clearAlignments()
		sheet := "unit_code,learning_outcome,task_abbr,rating,description\r\nSIT10A,ILO1,1.1P,3,=1+1\r\n" +
			"SIT10A,ILO1,1.2C,4,\r\n"
		for _, path := range []string{"/csv", "/csv?project_id={project:student}"} {
			counts := func(sheet string) string {
				o := w.do("convenor", "POST "+alignA+path, aFile("a.csv", sheet)).status(201).object()
				return fmt.Sprint(len(o["success"].([]any)), len(o["errors"].([]any)), len(o["ignored"].([]any)))
			}
			if got := counts(sheet); got != "2 0 0" {
				t.Errorf("%s: at first %s", path, got)
			}
			out := w.do("convenor", "GET "+alignA+path, nil).status(200).Body.String()
			for _, same := range []string{sheet, out} {
				if got := counts(same); got != "0 0 2" {
					t.Errorf("%s: once more %s", path, got)
				}
			}
			if got := counts(strings.Replace(out, ",4,", ",5,", 1)); got != "1 0 1" {
				t.Errorf("%s: with another rating %s", path, got)
			}
			if got := counts(strings.Replace(out, ",4,", ",5,more", 1)); got != "1 0 1" {
				t.Errorf("%s: with another description %s", path, got)
			}
		}
	})
}

func TestAlignmentSheets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.clearAlignments()
		w.add("out2", "learning_outcomes", row{"unit_id": w.id["unitA"], "ilo_number": 2, "abbreviation": "ILO2",
			"name": "Write", "description": "d"})
		sheet := "unit_code,learning_outcome,task_abbr,rating,description\r\nsit10a,ILO1,1.1P,3,\"Ä, " +
			"\"\"x\"\"\"\r\nSIT10A,ILO2,1.1P,5,=1+1\r\n" +
			"SIT10A,ILO9,1.1P,3,no outcome\r\nSIT10A,ILO1,9.9,3,no task\r\nSIT10A,ILO1,1.2C,7,too " +
			"much\r\nSIT99,ILO1,1.2C,3,elsewhere\r\nSIT10A,ILO1,1.1P,1,twice\r\n"
		for _, path := range []string{"/csv", "/csv?project_id={project:student}"} {
			w.do("convenor", "POST "+alignA+path, aFile("a.csv", sheet, "dry_run", "true")).status(201)
			if n := w.count("learning_outcome_links") + w.count("tasks WHERE task_definition_id = $1",
				w.id["defA2"]); n != map[bool]int64{true: 0, false: 2}[path == "/csv"] {
				t.Errorf("%d rows after a dry run", n)
			}
			got := w.do("convenor", "POST "+alignA+path, aFile("a.csv", sheet)).status(201).object()
			if len(got["success"].([]any)) != 2 || len(got["errors"].([]any)) != 4 || len(got["ignored"].([]any)) != 1 {
				t.Errorf("%s: %v", path, got)
			}
			once := w.do("convenor", "GET "+alignA+path, nil).status(200).Body.String()
			w.do("convenor", "POST "+alignA+path, aFile("a.csv", once)).status(201)
			if twice := w.do("convenor", "GET "+alignA+path, nil).status(200).Body.String(); twice != once ||
				strings.Count(once, "\n") != 3 {
				t.Errorf("%q became %q", once, twice)
			}
		}
		if n := w.count("learning_outcome_links"); n != 4 {
			t.Errorf("%d alignments", n)
		}
	})
}
