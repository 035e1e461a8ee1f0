package bench

import (
	"context"
	"strconv"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/trash"
)

// What a deletion of the work of 2,000 students holds is shown in under a tenth of a second.
func TestALargeDeletionIsShownQuickly(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: both at once would slow each other
		t.Run(engine, func(t *testing.T) {
			u := newUniversityOn(t, engine)
			u.enrolMany(2000)
			at := "/units/{id}/settings/deleted"
			held := at + "?at=" + strconv.FormatInt(u.deleteOfMany(), 10)
			for _, page := range []string{at, held, held + "&page=15"} {
				u.quick(100*time.Millisecond, aConvenor, page, page)
			}
		})
	}
}

// deleteOfMany lets those of enrolMany hand in a file for a task and say something, and deletes the task.
func (u *university) deleteOfMany() int64 {
	u.Helper()
	ctx := context.Background()
	var out *trash.Deletion
	err := u.db.Tx(ctx, func(q db.Q) error {
		id, err := db.One[int64](ctx, q, `SELECT min(id) FROM task_definitions WHERE unit_id = 1`)
		if err != nil {
			return err
		}
		many := ` FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
			WHERE u.username LIKE 'many%' AND t.task_definition_id = $2 ORDER BY t.id`
		for _, text := range []string{
			`INSERT INTO tasks (project_id, task_definition_id, unit_id, grade, created_at, updated_at)
				SELECT p.id, $2, 1, 2, $1, $1 FROM projects p JOIN users u ON u.id = p.user_id
				WHERE u.username LIKE 'many%' ORDER BY p.id`,
			`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state)
				SELECT 1, t.id, u.id, $1, 0, 'ready'` + many,
			`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT s.task_id, s.at, s.id, 100, 3
				FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN users u ON u.id = s.user_id
				WHERE u.username LIKE 'many%' AND t.task_definition_id = $2 AND s.at = $1`,
			`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
				SELECT t.id, 1, u.id, u.id, 'text', 'Well', $1` + many,
		} {
			if _, err := db.Exec(ctx, q, text, q.Now(), *id); err != nil {
				return err
			}
		}
		by, err := db.One[int64](ctx, q, `SELECT id FROM users WHERE username = $1`, aConvenor)
		if err != nil {
			return err
		}
		if out, _, err = trash.Keep(ctx, q, trash.Thing{Kind: trash.Definition, ID: *id}, *by); err != nil {
			return err
		}
		if _, err = db.Exec(ctx, q, `DELETE FROM task_definitions WHERE id = $1`, *id); err != nil {
			return err
		}
		_, err = db.Exec(ctx, q, `ANALYZE`)
		return err
	})
	if err != nil {
		u.Fatal(err)
	}
	return out.ID
}
