package site_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

const thePromise = "/units/{id}/promise"

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + thePromise:  {303, 403, 200, 403},
		"POST " + thePromise: {401, 403, 403, 403}, // a tutor promises nothing
	})
}

// A convenor makes a promise; the staff see how it is kept, convenors by whom.
func TestThePromiseOnAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.tx(func(ctx context.Context, q db.Q) error {
			if _, err := db.Exec(ctx, q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, status,
					submission_date, created_at, updated_at)
				SELECT p.id, d.id, p.unit_id, 'ready_for_feedback', $1, $2, $2 FROM projects p
				JOIN task_definitions d ON d.unit_id = p.unit_id`, clock.At(q.Now().Add(-6*24*time.Hour)), q.Now()); err != nil {
				return err
			}
			for _, text := range []string{`UPDATE units SET description = 'x'`, `UPDATE unit_roles SET role = 3`,
				`UPDATE users SET role = 3 WHERE username = 'tom'`} {
				if _, err := db.Exec(ctx, q, text); err != nil {
					return err
				}
			}
			return nil
		})
		tom, path := w.as("tom"), w.path(thePromise)
		tom.do(path, nil).status(200).says("No feedback target set").says("5 to 7 days").says("Only convenors see this section")
		tom.do(path, url.Values{"days": {"2"}}).leadsTo(path)
		tom.do(path, nil).status(200).says("Feedback target: 2 days").says("1 submission is over target.")
		tom.do(path, url.Values{"days": {"soon"}}).status(422).says("Enter a number of days").says(`value="soon"`)
		tom.do(path, url.Values{"days": {"61"}}).status(400).says("from 1 to 60")
		tom.do(path, url.Values{"days": {" "}}).leadsTo(path)
		tom.do(path, nil).status(200).says("No feedback target set")
		tom.do(path, nil).says(`class="chart">`).says("5 to 7 days: 1").says("<summary>Show as table</summary>")
		w.as("ann").do(path, nil).status(403)
	})
}

// The board tells of each task how long half and nine in ten waited in the last four
// weeks, and to convenors alone the same by tutor.
func TestPaceOnThePromiseBoard(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom, path := w.as("tom"), w.path(thePromise)
		desk := tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0]), nil)
		tom.do(w.onTask(ids[0], "verdict"), desk.marks("redo", "Again.")).status(303)
		const pace = `<td class="n" data-label="Marked">1</td><td class="n" data-label="Median">9.0 hours</td>` +
			`<td class="n" data-label="90th percentile">9.0 hours</td>`
		if n := strings.Count(tom.do(path, nil).status(200).lacks("by tutor").dense(), pace); n != 2 {
			t.Errorf("%d rows say how long it took, not that of the task and that of all", n)
		}
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
		board := w.as("tom").do(path, nil).status(200).says("last 4 weeks, by tutor").
			says(`<bdi>tom &lt;b&gt;Person&lt;/b&gt;</bdi>`)
		if n := strings.Count(board.dense(), pace); n != 3 {
			t.Errorf("%d rows say how long it took", n)
		}
		board.says("Days to feedback").says("Median days to feedback, by tutor and week").says(`<td class="heat-1">0.4</td>`)
		w.exec(`UPDATE units SET feedback_days = 2`)
		w.exec(`UPDATE task_history SET submitted_at = $1 WHERE submitted_at IS NOT NULL`,
			clock.At(w.db.Now().Add(-6*24*time.Hour)))
		w.as("tom").do(path, nil).says(`<td class="heat-4">6.0 !<span class="unseen">Over target</span></td>`).
			says("over target of 2 days").says("target: 2 days")
	})
}

// Every number of turnaround leads to the rows it counts, and those are as many: all that is to mark, what
// is over the target, what is to answer; and for convenors the same of each tutor. A tutor sees none of that,
// and is turned away from the rows of another.
func TestNumbersOfTurnaroundLeadToTheirRows(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		w.exec(`UPDATE units SET feedback_days = 1`)
		w.exec(`UPDATE tasks SET submission_date = $1 WHERE id = (SELECT min(id) FROM tasks)`,
			clock.At(w.db.Now().Add(-3*24*time.Hour)))
		tutor := w.one(`SELECT id FROM users WHERE username = 'tom'`)
		w.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location, unit_role_id)
			SELECT r.unit_id, 'LA7', 'Monday', '10:00', 'x', r.id FROM unit_roles r WHERE r.user_id = ` + tutor)
		w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id) SELECT p.id, max(t.id) FROM projects p, tutorials t
			WHERE p.id = (SELECT min(project_id) FROM tasks) GROUP BY p.id`)
		inbox, path := w.path("/units/{id}/inbox"), w.path(thePromise)
		tom := w.as("tom")
		rows := func(query string) int {
			return strings.Count(tom.do(inbox+query, nil).status(200).text(), "data-task=")
		}
		all := rows("?kind=to_mark")
		board := tom.do(path, nil).status(200).lacks("by tutor").lacks("tutor=")
		for query, n := range map[string]int{"?kind=to_mark": all, "?over=true": 1} {
			board.says(fmt.Sprintf(`<a href="%s%s">%d</a>`, inbox, query, n))
			if got := rows(query); got != n {
				t.Errorf("%s leads to %d rows, not %d", query, got, n)
			}
		}
		tom.do(inbox+"?over=true&tutor=4711", nil).status(403).says("Only convenors see what waits for one tutor.")
		tom.do(inbox+"?tutor="+tutor, nil).status(200) // one's own

		// Marking starts with the filter that it is started under.
		desk := w.path(aDesk)
		board.says(`href="` + desk + `?kind=to_mark">`).says(`href="` + desk + `?kind=to_mark&amp;over=true">Mark them`)
		tom.do(inbox+"?over=true&tutor="+tutor, nil).says(`href="` + desk + `?over=true&amp;tutor=` + tutor + `">`)
		tom.do(desk+"?kind=to_mark&over=true", nil).status(200).says("1 to mark,").says("Over target")
		tom.do(desk+"?tutor=4711", nil).status(403).says("Only convenors see what waits for one tutor.")
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
		tom = w.as("tom")
		theirs := fmt.Sprintf("?kind=to_mark&tutor=%s", tutor)
		n := rows(theirs)
		if n == 0 || n >= all {
			t.Fatalf("%d of %d wait in the tutorial", n, all)
		}
		tom.do(path, nil).status(200).says("Only convenors see this section").
			says(fmt.Sprintf(`<a href="%s%s">%d</a>`, inbox, strings.ReplaceAll(theirs, "&", "&amp;"), n))
		if got := rows("?kind=to_mark&tutor=4711"); got != 0 {
			t.Errorf("nobody's tutorials have %d rows", got)
		}
	})
}
