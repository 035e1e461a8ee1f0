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
		"GET " + thePromise:          {303, 403, 200, 403},
		"GET " + thePromise + ".svg": {303, 403, 200, 403},
		"POST " + thePromise:         {401, 403, 403, 403}, // a tutor promises nothing
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
		tom.do(path, nil).status(200).says("promises nothing").says("5 to 7 days").says("Only convenors see this part")
		tom.do(path, url.Values{"days": {"2"}}).leadsTo(path)
		tom.do(path, nil).status(200).says("within this many days: 2").says("Waiting longer than promised: 1")
		tom.do(path, url.Values{"days": {"soon"}}).status(422).says("Type a number of days").says(`value="soon"`)
		tom.do(path, url.Values{"days": {"61"}}).status(400).says("from 1 to 60")
		tom.do(path, url.Values{"days": {" "}}).leadsTo(path)
		tom.do(path, nil).status(200).says("promises nothing")
		picture := tom.do(path+".svg", nil).status(200)
		if !strings.Contains(picture.Body.String(), "<svg") || !strings.Contains(picture.Body.String(), "5 to 7 days: 1") {
			t.Errorf("%s", picture.Body)
		}
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
		const judged = `<td data-head="Judged">1</td><td data-head="Half within">9.0 hours</td>` +
			`<td data-head="Nine in ten within">9.0 hours</td>`
		if n := strings.Count(tom.do(path, nil).status(200).lacks("by tutor").Body.String(), judged); n != 2 {
			t.Errorf("%d rows say how long it took, not that of the task and that of all", n)
		}
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
		board := w.as("tom").do(path, nil).status(200).says("The last four weeks, by tutor").
			says(`<th scope="row"><bdi>tom &lt;b&gt;Person&lt;/b&gt;</bdi></th>` + judged)
		if n := strings.Count(board.Body.String(), judged); n != 3 {
			t.Errorf("%d rows say how long it took", n)
		}
	})
}
