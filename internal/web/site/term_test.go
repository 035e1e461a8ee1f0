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

// The address decides how tasks are shown and which.
func TestTheTermInTheAddress(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path("/projects/{id}")
	for _, q := range []string{"", "?view=list&show=todo", "?view=nonsense&show=%22&grade=x"} {
		ann.do(path+q, nil).status(200).says("Not started").says("Next").says(`aria-current="true"`)
	}
	ann.do(path, nil).says(`<a class="chip" href="?" aria-current="true">All`)
	ann.do(path+"?show=waiting", nil).says(`<a class="chip" href="?show=waiting" aria-current="true">Waiting for feedback`).
		says("No tasks match these filters.").says(`href="?">Clear filters`)
}

// listed gives the abbreviations of the tasks in the list of a page, in its order.
func (a *answer) listed() (out []string) {
	_, tasks, _ := strings.Cut(a.Body.String(), `id="tasks"`)
	tasks, _, _ = strings.Cut(tasks, `<details class="beyond">`) // the rest is for higher grades
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

// Tasks stand by the weeks they are due in: past weeks of which nothing is left are one line, this
// one is marked, breaks are named; above them how far the work is, and what is left of it.
func TestTheTermAtAGlance(t *testing.T) {
	each(t, func(w *world) {
		path := w.term()
		ann := w.as("ann")
		all := ann.do(path, nil).status(200).says("Overdue").says(`class="chart">`).says("Progress to Credit").
			says("of 21 tasks complete").says(`<li class="now">`).says("Week 11").says("Change target")
		all.says(`<a class="btn" href="` + path + `/receipts">`).says("Nothing is due").says("10 tasks above your target grade")
		if n := len(all.listed()); n != 21 { // twenty of Pass and Credit, and the hostile one
			t.Errorf("%d tasks: %v", n, all.listed())
		}
		for query, want := range map[string]string{
			"?view=list&show=complete":         "T00 T06 T12",
			"?show=waiting":                    "T01 T07 T13",
			"?view=list&show=complete&grade=1": "",
			"?view=list&show=waiting&grade=1":  "T01 T07 T13",
		} {
			if got := strings.Join(ann.do(path+query, nil).status(200).listed(), " "); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		ann.do(path+"?show=waiting", nil).says("<h3>Week 1</h3>").says("<h3>Week 4</h3>").lacks("Nothing is due").
			says(`href="?show=waiting&amp;view=list"`)
		w.exec(`UPDATE tasks SET status = 'complete' WHERE task_definition_id IN (SELECT id FROM task_definitions
			WHERE abbreviation < 'T06')`)
		ann.do(path, nil).says("<h3>Weeks 1–3</h3>").says("4 of 4 tasks complete").lacks("<h3>Week 1</h3>")
		all.says("<th scope=\"row\">").says("100 %").says("<summary>Show as table</summary>")
		ann.sound(path, ann.do(path+"?view=list&grade=0", nil))
		ann.sound(path, all)
	})
}

// What is past its deadline is not what is next, and a past week with something left to do is shown.
func TestTheNextTaskCanStillBeSubmitted(t *testing.T) {
	each(t, func(w *world) {
		path := w.term()
		ann := w.as("ann")
		w.exec(`UPDATE task_definitions SET due_date = target_date`)
		body := ann.do(path, nil).status(200).Body.String()
		_, next, _ := strings.Cut(body, `next-list`)
		next, _, _ = strings.Cut(next, `</ul>`)
		if strings.Contains(next, "Overdue") || !strings.Contains(next, "<bdi>") {
			t.Errorf("next is %s", next)
		}
		w.exec(`UPDATE tasks SET status = 'fix_and_resubmit', submission_date = created_at`)
		w.exec(`UPDATE task_definitions SET due_date = $1 WHERE abbreviation LIKE 'T%'`, clock.Day(w.db.Now().Time).AddDays(70))
		ann.do(path, nil).says("<h3>Week 1</h3>").says(`<strong class="late">Overdue`)
	})
}
