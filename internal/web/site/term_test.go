package site_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// term makes a term of thirty tasks around today, in all states, of which Ann does
// those for a Credit, and gives the path of her project. Task Tnn is due in the week
// of number nn/2 of her unit, the first of which began ten weeks ago.
func (w *world) term() string {
	w.hostile()
	id, today := w.ids(), clock.Day(w.db.Now().Time)
	start := today.AddDays(-70)
	states := []string{"complete", "ready_for_feedback", "fix_and_resubmit", "not_started", "time_exceeded", "discuss"}
	w.tx(func(ctx context.Context, q db.Q) error {
		exec := func(text string, args ...any) error { _, err := db.Exec(ctx, q, text, args...); return err }
		if err := exec(`UPDATE units SET start_date = $1, end_date = $2`, start, today.AddDays(70)); err != nil {
			return err
		}
		if err := exec(`UPDATE projects SET target_grade = 1`); err != nil {
			return err
		}
		for i := range 30 {
			due := start.AddDays(7 * (i / 2))
			if err := exec(`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting,
					target_grade, start_date, target_date, upload_requirements)
				SELECT unit_id, $2, $3, '', 4, $4, $5, $6, '[]' FROM projects WHERE id = $1`, id[0],
				fmt.Sprintf("Exercise %d", i), fmt.Sprintf("T%02d", i), i%3, due.AddDays(-14), due); err != nil {
				return err
			}
			if i < 18 {
				if err := exec(`INSERT INTO tasks (unit_id, project_id, task_definition_id, status, created_at, updated_at)
					SELECT p.unit_id, p.id, d.id, $2, $3, $3 FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id
					AND d.abbreviation = $4 WHERE p.id = $1`, id[0], states[i%6], q.Now(), fmt.Sprintf("T%02d", i)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return w.path("/projects/{id}")
}

// The address decides how tasks are sorted and which are shown.
func TestTheTermInTheAddress(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path("/projects/{id}")
	for _, q := range []string{"", "?sort=name&show=open", "?sort=nonsense&show=%22"} {
		ann.do(path+q, nil).status(200).says("Not started").says("Next")
	}
	ann.do(path, url.Values{"target_grade": {"2"}}).leadsTo(path)
	ann.do(path, nil).says(`<option value="2" selected>`)
	ann.do(path, url.Values{"target_grade": {"9"}}).status(400)
}

// listed gives the abbreviations of the tasks in the list of a page, in its order.
func (a *answer) listed() (out []string) {
	_, tasks, _ := strings.Cut(a.Body.String(), `id="tasks"`)
	tasks, _, _ = strings.Cut(tasks, `<details>`) // the rest is for higher grades
	for _, part := range strings.Split(tasks, "<bdi>")[1:] {
		name, _, _ := strings.Cut(part, " ")
		out = append(out, name)
	}
	return out
}

// What should have come already is called overdue at home and on its own page, as in the
// term, until it is handed in.
func TestOverdueIsToldWhereverATaskIs(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann := w.as("ann")
		told := func(want bool) {
			t.Helper()
			for _, path := range []string{"/home", w.path("/projects/{id}"), w.path(aTask)} {
				if got := strings.Contains(ann.do(path, nil).status(200).text(), `<strong class="late">Overdue`); got != want {
					t.Errorf("%s says overdue: %t, want %t", path, got, want)
				}
			}
		}
		due := func(days int) {
			day := clock.Day(w.db.Now().Time).AddDays(days)
			w.exec(`UPDATE task_definitions SET start_date = $1, target_date = $1, due_date = $1`, day)
		}
		due(-2)
		told(true)
		w.exec(`UPDATE units SET time_zone = 'Australia/Melbourne'`)
		told(true)
		w.exec(`UPDATE task_definitions SET start_date = '2020-01-01', target_date = $1, due_date = $1`,
			clock.Day(w.db.Now().Time).AddDays(2))
		told(false)
		due(-2)
		ann.do(w.path(aTask)+"/status", url.Values{"status": {"working_on_it"}}).status(303)
		told(true)
		w.exec(`UPDATE tasks SET submission_date = $1`, w.db.Now())
		told(false)
	})
}

func TestTheTermAtAGlance(t *testing.T) {
	each(t, func(w *world) {
		path := w.term()
		ann := w.as("ann")
		all := ann.do(path, nil).status(200).says("Upcoming").says("Overdue").says(`class="chart">`)
		all.says(`<a href="` + path + `/receipts">`)
		if n := len(all.listed()); n != 21 { // twenty of Pass and Credit, and the hostile one
			t.Errorf("%d tasks: %v", n, all.listed())
		}
		for query, want := range map[string]string{
			"?sort=name&status=fix_and_resubmit":              "", // all are for a Distinction
			"?sort=name&status=complete":                      "T00 T06 T12",
			"?sort=name&status=time_exceeded":                 "T04 T10 T16",
			"?sort=name&status=not_started&grade=1&show=open": "T19 T22 T25 T28",
			"?view=weeks&status=ready_for_feedback":           "T01 T07 T13",
		} {
			if got := strings.Join(ann.do(path+query, nil).status(200).listed(), " "); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		weeks := ann.do(path+"?view=weeks", nil).status(200).says("<h3>Week 1</h3>").says("<h3>Week 4</h3>")
		weeks.says(`href="?sort=due&amp;view=list"`)
		if strings.Contains(ann.do(path+"?show=open", nil).text(), `</svg>Complete</span>`) {
			t.Error("what is over is not hidden")
		}
		all.says("<th scope=\"row\">").says("100 %").says("<summary>Show as table</summary>")
		ann.sound(path, ann.do(path+"?view=weeks&grade=0", nil))
	})
}
