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
		tom.do(path, nil).status(200).says("Feedback target: 2 days").says("1 over target")
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
		const pace = `<td data-label="Marked">1</td><td data-label="Median">9.0 hours</td>` +
			`<td data-label="90th percentile">9.0 hours</td>`
		if n := strings.Count(tom.do(path, nil).status(200).lacks("by tutor").dense(), pace); n != 2 {
			t.Errorf("%d rows say how long it took, not that of the task and that of all", n)
		}
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
		board := w.as("tom").do(path, nil).status(200).says("Last 4 weeks by tutor").
			says(`<th scope="row"><bdi>tom &lt;b&gt;Person&lt;/b&gt;</bdi></th>` + pace)
		if n := strings.Count(board.dense(), pace); n != 3 {
			t.Errorf("%d rows say how long it took", n)
		}
	})
}
