// Package stats keeps the statistics of projects: how much of what a student
// aims for stands at which colour, summed up from their tasks.
package stats

import (
	"context"

	"lectern/internal/db"
	"lectern/internal/progress"
	"lectern/internal/status"
)

// tally is how many tasks of a project stand at a status. A project without
// any has one row with neither.
type tally struct {
	ProjectID int64   `db:"project_id"`
	Total     int64   `db:"total"`
	Status    *string `db:"status"`
	Count     int64   `db:"count"`
}

// Recompute brings the statistics of projects up to date in the transaction
// that changed their tasks, their target grade or the unit's definitions: of
// the projects named, or of all in the unit. It takes three statements,
// however many projects there are, and holds their rows first: of two changes
// at once, the later one counts what the earlier one did.
func Recompute(ctx context.Context, q db.Q, unitID int64, projectIDs ...int64) error {
	which, args := `p.unit_id = $1`, []any{unitID}
	if len(projectIDs) > 0 {
		var in string
		in, args = db.In(args, projectIDs)
		which += ` AND p.id IN ` + in
	}
	if q.Postgres() {
		if _, err := db.Exec(ctx, q, `SELECT p.id FROM projects p WHERE `+which+` ORDER BY p.id FOR NO KEY UPDATE`,
			args...); err != nil {
			return err
		}
	}
	rows, err := db.All[tally](ctx, q, `SELECT p.id AS project_id, t.status, count(t.id) AS count,
			(SELECT count(*) FROM task_definitions a WHERE a.unit_id = p.unit_id
			AND a.target_grade <= p.target_grade) AS total
		FROM projects p
		LEFT JOIN (tasks t JOIN task_definitions d ON d.id = t.task_definition_id)
			ON t.project_id = p.id AND d.target_grade <= p.target_grade
		WHERE `+which+` GROUP BY p.id, p.unit_id, p.target_grade, t.status ORDER BY p.id`, args...)
	if err != nil || len(rows) == 0 {
		return err
	}
	return saveStats(ctx, q, sumUp(rows))
}

// sumUp turns the tallies, sorted by project, into a row of statistics each.
func sumUp(rows []tally) [][]any {
	var out [][]any
	for i := 0; i < len(rows); {
		first, counts := rows[i], map[status.Status]int{}
		for ; i < len(rows) && rows[i].ProjectID == first.ProjectID; i++ {
			if rows[i].Status != nil {
				counts[status.Status(*rows[i].Status)] = int(rows[i].Count)
			}
		}
		s := progress.Of(counts, int(first.Total))
		out = append(out, []any{first.ProjectID, s.Red, s.Grey, s.Orange, s.Blue, s.Green, s.OrderScale})
	}
	return out
}

func saveStats(ctx context.Context, q db.Q, stats [][]any) error {
	const real = " DOUBLE PRECISION"
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "red" + real, "grey" + real, "orange" + real,
		"blue" + real, "green" + real, "scale" + real}, stats)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET red_pct = v.red, grey_pct = v.grey, orange_pct = v.orange, blue_pct =
		v.blue,
		green_pct = v.green, order_scale = v.scale FROM `+from+` v WHERE projects.id = v.id`, args...)
	return err
}
