package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/teaching/work"
)

const searchPath = "/api/units/{unitA}/students"

var _ = rights(rightRow{"GET /api/units/{id}/students", searchPath, staffA, nil})

var _ = lists(listRow{route: "GET /api/units/{id}/students", path: searchPath, who: "tutor",
	fill: func(w *world, from, to int) { w.crowd(from, to) }})

func TestStudentsAreSearchedAndSorted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET first_name = 'Éva', last_name = 'O_Hara', student_id = 'S%77' WHERE id = $1`, w.id["mate"])
		w.set(`UPDATE users SET name_key = '' WHERE id = $1`, w.id["mate"])
		if err := ident.FillNameKeys(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		w.set(`UPDATE projects SET target_grade = 3, green_pct = 0.5 WHERE id = $1`, w.id["project:other"])
		w.set(`UPDATE projects SET campus_id = NULL WHERE id = $1`, w.id["project:mate"])
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:other"])
		w.set(`UPDATE projects SET last_active_at = $2 WHERE id = $1`, w.id["project:other"],
			clock.At(w.now.Add(-time.Hour)))
		w.set(`UPDATE projects SET last_active_at = $2 WHERE id = $1`, w.id["project:student"], clock.At(w.now))
		for query, want := range map[string]string{
			"":                             "both mate other student",
			"show=withdrawn":               "withdrawn",
			"show=all":                     "both mate other student withdrawn",
			"text=eva":                     "mate",
			"text=EVA%20hara":              "mate",
			"text=hara%20eva":              "mate",
			"text=%C3%A9":                  "mate", // one letter: where a name begins
			"text=%C3%A1":                  "",     // and not inside one
			"text=O_H":                     "mate",
			"text=%25":                     "mate",
			"text=s%2577":                  "mate",
			"text=OTHER%40example":         "other",
			"text=student":                 "student",
			"text=nobody":                  "",
			"text=%20%20":                  "both mate other student",
			"text=stu&show=withdrawn":      "",
			"tutorial_id={tutorialA}":      "both mate student",
			"tutorial_id=0":                "other",
			"tutorial_id=4711":             "",
			"campus_id=0":                  "mate",
			"sort=-name":                   "student other mate both",
			"sort=-target_grade":           "other both mate student",
			"sort=-progress":               "other both mate student",
			"sort=progress&text=o":         "both mate other",
			"sort=last_active":             "both mate other student",
			"sort=-last_active":            "student other both mate",
			"sort=tutorial":                "both mate student other",
			"sort=-last_active&limit=2":    "student other",
			"limit=1&offset=1&text=person": "other",
		} {
			if got := w.do("tutor", "GET "+searchPath+"?"+query, nil).status(200).names(); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		if n := w.do("tutor", "GET "+searchPath+"?limit=1&text=person", nil).Header().Get("X-Total-Count"); n != "3" {
			t.Errorf("%s in all", n)
		}
		w.do("tutor", "GET "+searchPath+"?sort=age", nil).status(400).says("sort")
		w.do("tutor", "GET "+searchPath+"?show=some", nil).status(400).says("show")
		w.do("tutor", "GET /api/units/4711/students", nil).status(404)
	})
}

// What a student does on a task is their last activity; what others do there is not.
func TestLastActivity(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		last := func(who string) any {
			t.Helper()
			return w.do("tutor", "GET "+searchPath+"?text="+who, nil).status(200).list()[0]["last_active_at"]
		}
		if at := last("student"); at != nil {
			t.Errorf("active at %v before doing anything", at)
		}
		const task = "/api/projects/{project:student}/task_def_id/{defA1}"
		w.do("tutor", "POST "+task+"/comments", map[string]any{"comment": "Begin."}).status(201)
		w.do("tutor", "PUT "+task, map[string]any{"trigger": "fix_and_resubmit"}).status(200)
		if at := last("student"); at != nil {
			t.Errorf("active at %v by what the tutor did", at)
		}
		w.do("student", "PUT "+task, map[string]any{"trigger": "working_on_it"}).status(200)
		if at := last("student"); at != clock.At(w.now).String() {
			t.Errorf("active at %v, moved at %v", at, clock.At(w.now))
		}
		w.now = w.now.Add(time.Hour)
		w.do("student", "POST "+task+"/comments", map[string]any{"comment": "I did."}).status(201)
		if at := last("student"); at != clock.At(w.now).String() {
			t.Errorf("active at %v, spoke at %v", at, clock.At(w.now))
		}
		if at := last("mate"); at != nil {
			t.Errorf("a mate was active at %v", at)
		}
		if err := work.CheckActivity(t.Context(), w.db); err != nil {
			t.Error(err)
		}
		w.set(`UPDATE projects SET last_active_at = NULL WHERE id = $1`, w.id["project:student"])
		if err := work.CheckActivity(t.Context(), w.db); err == nil {
			t.Error("a forgotten activity is not found")
		}
		if at := last("student"); at != clock.At(w.now).String() {
			t.Errorf("active at %v after the check, spoke at %v", at, clock.At(w.now))
		}
	})
}

// Students on whom a note asks for a second look are found by it; nobody is told so of
// themselves.
func TestStudentsToLookAtAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM staff_notes`)
		for _, note := range []struct{ on, flagged string }{{"student", "true"}, {"both", "true"}, {"mate", "false"}} {
			w.do("convenor", "POST /api/projects/{project:"+note.on+"}/notes", form{"text": "Look", "flagged": note.flagged}).
				status(201)
		}
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:student"])
		for who, want := range map[string]string{"tutor": "both student", "both": "student"} {
			if got := w.do(who, "GET "+searchPath+"?show=second_look", nil).status(200).names(); got != want {
				t.Errorf("%s finds %s, want %s", who, got, want)
			}
			flags := 0
			for _, s := range w.do(who, "GET "+searchPath+"?show=all", nil).status(200).list() {
				if s["second_look"] == true {
					flags++
				}
			}
			if flags != len(strings.Fields(want)) {
				t.Errorf("%s is told of %d, want %s", who, flags, want)
			}
		}
	})
}

// The list tells of each student how many tasks are overdue, whether they are behind the plan and need
// help, and finds them by it. An extension moves what is due, and work above the target grade is not asked for.
func TestStudentsWhoNeedSomebody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM tasks`)
		w.set(`UPDATE projects SET target_grade = 1 WHERE unit_id = $1`, w.id["unitA"])
		w.set(`UPDATE task_definitions SET target_grade = 3, weighting = 1, target_date = $2, due_date = $3
			WHERE unit_id = $1`,
			w.id["unitA"], clock.Day(w.now.AddDate(0, 0, -9)), clock.Day(w.now.AddDate(0, 0, 60)))
		w.set(`UPDATE task_definitions SET target_grade = 1 WHERE id IN ($1, $2)`, w.id["defA1"], w.id["defA2"])
		w.set(`UPDATE task_definitions SET target_date = $2 WHERE id = $1`, w.id["defA2"], clock.Day(w.now.AddDate(0, 0, 9)))
		found := func(query, want string) {
			t.Helper()
			if got := w.do("tutor", "GET "+searchPath+"?"+query, nil).status(200).names(); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		told := func(who string, overdue float64, behind bool) {
			t.Helper()
			s := w.do("tutor", "GET "+searchPath+"?text="+who, nil).status(200).list()[0]
			if s["overdue"] != overdue || s["behind_plan"] != behind {
				t.Errorf("%s: %v overdue, behind %v", who, s["overdue"], s["behind_plan"])
			}
		}
		told("student", 1, true)
		found("show=overdue", "both mate other student")
		found("show=need_help", "")
		insert := func(who, definition, status string, extensions int, submitted any) {
			t.Helper()
			w.set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, extensions, submission_date, created_at,
				updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`, w.id["project:"+who], w.id[definition], w.id["unitA"], status,
				extensions, submitted, clock.At(w.now))
		}
		insert("student", "defA1", "fix_and_resubmit", 0, clock.At(w.now)) // has to come once more
		insert("student", "defA2", "ready_for_feedback", 0, clock.At(w.now))
		insert("mate", "defA1", "working_on_it", 2, nil) // has an extension
		insert("other", "defA1", "complete", 0, clock.At(w.now))
		insert("other", "defA2", "need_help", 0, nil)
		insert("both", "defA1", "working_on_it", 1, nil) // of a week, which is over
		told("student", 1, false)                        // what is not due yet came in its stead
		told("mate", 0, false)
		told("other", 0, false)
		told("both", 1, true)
		found("show=overdue", "both student")
		found("show=behind_plan", "both")
		found("show=need_help", "other")
		found("sort=-overdue", "both student mate other")
		found("sort=-overdue&limit=1&offset=1", "student")
		found("sort=-waiting", "other student both mate")
		s := w.do("tutor", "GET "+searchPath+"?text=other", nil).status(200).list()[0]
		if got := fmt.Sprint(s["need_help"], s["task_counts"]); got !=
			"1 [map[count:1 status:complete] map[count:1 status:need_help]]" {
			t.Errorf("the tasks of other are %s", got)
		}
		w.set(`UPDATE task_definitions SET due_date = $2 WHERE id = $1`, w.id["defA1"], clock.Day(w.now.AddDate(0, 0, -3)))
		told("mate", 1, true) // no extension passes the deadline
		w.set(`UPDATE task_definitions SET weighting = 0 WHERE unit_id = $1`, w.id["unitA"])
		told("mate", 1, true)
		told("other", 0, false)
	})
}
