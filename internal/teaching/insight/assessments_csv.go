package insight

import (
	"context"
	"io"
	"strconv"

	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/work"
)

// Assessor is how many tasks of a unit one person has marked, a task that was
// marked several times counting once.
type Assessor struct {
	Username string `db:"username"`
	Name     string `db:"name"`
	Tasks    int64  `db:"tasks"`
}

// AssessorsOf lists the staff of a unit, and whoever else has marked work in
// it: people leave, and their work stays.
func AssessorsOf(ctx context.Context, q db.Q, unitID int64) ([]Assessor, error) {
	return db.All[Assessor](ctx, q, `SELECT s.username, s.first_name || ' ' || s.last_name AS name, coalesce(a.tasks,
		0) AS tasks
		FROM users s
		LEFT JOIN unit_roles r ON r.user_id = s.id AND r.unit_id = $1
		LEFT JOIN (SELECT h.actor_id, count(DISTINCT h.task_id) AS tasks FROM tasks t
		JOIN task_history h ON h.task_id = t.id AND h.assessed AND `+work.NotUndone+`
			WHERE t.unit_id = $1 GROUP BY h.actor_id) a ON a.actor_id = s.id
		WHERE r.id IS NOT NULL OR a.tasks IS NOT NULL ORDER BY s.username_key`, unitID)
}

// WriteAssessors writes the counts as a sheet.
func WriteAssessors(w io.Writer, list []Assessor) error {
	t := sheet.Write(w, []string{"Username", "Tutor Name", "Total Tasks Assessed"})
	for _, a := range list {
		if err := t.Row(a.Username, a.Name, strconv.FormatInt(a.Tasks, 10)); err != nil {
			return err
		}
	}
	return t.Flush()
}
