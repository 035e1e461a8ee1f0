package work

import (
	"context"
	"errors"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/stats"
)

// noteActivity notes that the students of projects did something just now: handed
// in, moved a task of theirs or said something on one.
func noteActivity(ctx context.Context, q db.Q, projects ...int64) error {
	if len(projects) == 0 {
		return nil
	}
	in, args := db.In([]any{q.Now()}, projects)
	_, err := db.Exec(ctx, q, `UPDATE projects SET last_active_at = $1 WHERE id IN `+in, args...)
	return err
}

// active lists the projects whose students made changes of their own.
func active(by Mover, changes []TaskChange) (projects []int64) {
	for _, c := range changes {
		own := len(c.Plan.Entries) == 0 && by.UserID == c.OwnerID
		for _, e := range c.Plan.Entries {
			own = own || c.author(by, e.By) == c.OwnerID
		}
		if own {
			projects = append(projects, c.ProjectID)
		}
	}
	return projects
}

// ErrActivity says that students had done something later than their projects told.
var ErrActivity = errors.New("the last activity of students was wrong and is right now")

// CheckActivity compares the last activity of every project with what its student
// moved and said, unit by unit. It may be later than both, as of somebody whose
// comment was deleted, but never earlier: then it is put right, and CheckActivity
// fails with ErrActivity, naming the projects, because some change forgot it.
func CheckActivity(ctx context.Context, d *db.DB) error {
	return stats.CheckUnits(ctx, d, ErrActivity, "projects", mendActivity)
}

// mendActivity puts right what is too early in a unit. It holds the projects first,
// or a move between the two statements would be lost.
func mendActivity(ctx context.Context, q db.Q, unitID int64) (off []int64, err error) {
	if q.Postgres() {
		if _, err := db.Exec(ctx, q, `SELECT id FROM projects WHERE unit_id = $1 ORDER BY id FOR NO KEY UPDATE`,
			unitID); err != nil {
			return nil, err
		}
	}
	type late struct {
		ProjectID int64      `db:"project_id"`
		At        clock.Time `db:"at"`
	}
	var rows [][]any
	for r, err := range db.Each[late](ctx, q, `SELECT p.id AS project_id, a.at FROM projects p JOIN (
			SELECT s.project_id, max(s.at) AS at FROM (
				SELECT t.project_id, h.at FROM tasks t JOIN projects o ON o.id = t.project_id
					JOIN task_history h ON h.task_id = t.id AND h.actor_id = o.user_id WHERE t.unit_id = $1
				UNION ALL SELECT t.project_id, c.created_at FROM tasks t JOIN projects o ON o.id = t.project_id
					JOIN task_comments c ON c.task_id = t.id AND c.user_id = o.user_id WHERE t.unit_id = $1) s
			GROUP BY s.project_id) a ON a.project_id = p.id
		WHERE p.unit_id = $1 AND (p.last_active_at IS NULL OR p.last_active_at < a.at) ORDER BY p.id`, unitID) {
		if err != nil {
			return nil, err
		}
		off, rows = append(off, r.ProjectID), append(rows, []any{r.ProjectID, r.At})
	}
	if len(rows) == 0 {
		return nil, nil
	}
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET last_active_at = v.at FROM `+from+` v WHERE projects.id = v.id`, args...)
	return off, err
}
