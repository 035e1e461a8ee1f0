package api

import (
	"fmt"
	"testing"
)

var _ = rights(rightRow{"GET /api/projects/{id}/what_if", "/api/projects/{project:student}/what_if",
	"student " + staffA, nil})

// What another target grade would mean is told and nothing of it is saved.
func TestWhatAnotherTargetGradeWouldMean(t *testing.T) {
	const path = "GET /api/projects/{project:student}/what_if"
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE task_definitions SET target_grade = 2, weighting = 6 WHERE id = $1`, w.id["defA2"])
		w.set(`UPDATE task_definitions SET weighting = 4 WHERE id = $1`, w.id["defA1"])
		type task struct {
			Abbreviation string
			Status       string
			DueDate      string `json:"due_date"`
		}
		type load struct {
			Tasks     int
			Weighting float64
		}
		var got struct {
			Present  int `json:"present_grade"`
			Target   int `json:"target_grade"`
			Added    []task
			Removed  []task
			Burndown struct{ Tasks int }
			Weeks    []struct {
				Start           string `json:"start_date"`
				Week            *int
				Present, Target load
			}
			Grades []struct {
				Adds load
				Left int
			}
		}
		ask := func(target string) string {
			got.Added, got.Removed, got.Weeks = nil, nil, nil
			w.do("student", path+target, nil).status(200).into(&got)
			due, would, breaks := load{}, load{}, 0
			for _, x := range got.Weeks {
				due.Tasks, due.Weighting = due.Tasks+x.Present.Tasks, due.Weighting+x.Present.Weighting
				would.Tasks, would.Weighting = would.Tasks+x.Target.Tasks, would.Weighting+x.Target.Weighting
				if x.Week == nil {
					breaks++
				}
			}
			return fmt.Sprint(got.Present, got.Target, len(got.Added), len(got.Removed), due, would, breaks,
				got.Burndown.Tasks)
		}
		for target, want := range map[string]string{
			"":                "1 1 0 0 {1 4} {1 4} 1 1",
			"?target_grade=0": "1 0 0 0 {1 4} {1 4} 1 1",
			"?target_grade=3": "1 3 1 0 {1 4} {2 10} 1 2",
		} {
			if s := ask(target); s != want {
				t.Errorf("%s: %s, want %s", target, s, want)
			}
		}
		if len(got.Grades) != 4 || got.Grades[0].Adds != (load{1, 4}) || got.Grades[2].Adds != (load{1, 6}) ||
			got.Grades[2].Left != 1 {
			t.Errorf("the grades ask for %+v", got.Grades)
		}
		w.set(`UPDATE projects SET target_grade = 3 WHERE id = $1`, w.id["project:student"])
		if s := ask("?target_grade=0"); s != "3 0 0 1 {2 10} {1 4} 1 1" || got.Removed[0].Status != "not_started" {
			t.Errorf("%s %+v", s, got.Removed)
		}
		w.do("tutor", path+"?target_grade=2", nil).status(200)
		w.do("student", path+"?target_grade=4", nil).status(400)
		w.do("student", path+"?target_grade=-1", nil).status(400)
		if n := w.count(`projects WHERE id = $1 AND target_grade = 3`, w.id["project:student"]); n != 1 {
			t.Error("asking has changed the grade aimed for")
		}
		if texts := w.statementsOf("tutor", path); len(texts) != 4 { // one finds the caller and their standing
			t.Errorf("%d statements: %q", len(texts), texts)
		}
	})
}

// A unit of many years tells of the weeks with work alone.
func TestWhatIfOfALongUnitIsShort(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE units SET end_date = '2999-01-01' WHERE id = $1`, w.id["unitA"])
		var got struct{ Weeks []any }
		w.do("student", "GET /api/projects/{project:student}/what_if?target_grade=3", nil).status(200).into(&got)
		if n := len(got.Weeks); n < 1 || n > 2 {
			t.Errorf("%d weeks", n)
		}
	})
}
