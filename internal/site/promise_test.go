package site_test

import (
	"context"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/clock"
	"lectern/internal/db"
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
