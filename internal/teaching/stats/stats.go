// Package stats keeps the statistics of projects: how much of what a student
// aims for stands at which colour, summed up from their tasks.
package stats

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
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
	_, err := RecomputeActive(ctx, q, unitID, nil, projectIDs...)
	return err
}

// RecomputeActive is Recompute which notes in the same statement that the students of
// active, some of the projects, did something just now. It gives the statistics as
// they are now.
func RecomputeActive(ctx context.Context, q db.Q, unitID int64, active []int64, projectIDs ...int64) (
	map[int64]progress.Stats, error) {
	which, args := `p.unit_id = $1`, []any{unitID}
	if len(projectIDs) > 0 {
		var in string
		in, args = db.In(args, projectIDs)
		which += ` AND p.id IN ` + in
	}
	if q.Postgres() {
		if _, err := db.Exec(ctx, q, `SELECT p.id FROM projects p WHERE `+which+` ORDER BY p.id FOR NO KEY UPDATE`,
			args...); err != nil {
			return nil, err
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
		return nil, err
	}
	return saveStats(ctx, q, active, sumUp(rows))
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

// saveStats writes the statistics and gives them as they are stored.
func saveStats(ctx context.Context, q db.Q, active []int64, stats [][]any) (map[int64]progress.Stats, error) {
	const real = " DOUBLE PRECISION"
	from, args, err := db.Rows(q, nil, []string{"id BIGINT", "red" + real, "grey" + real, "orange" + real,
		"blue" + real, "green" + real, "scale" + real}, stats)
	if err != nil {
		return nil, err
	}
	var noted string
	if len(active) > 0 {
		var in string
		in, args = db.In(append(args, q.Now()), active)
		noted = `, last_active_at = CASE WHEN projects.id IN ` + in + ` THEN $2 ELSE last_active_at END`
	}
	out := map[int64]progress.Stats{}
	for r, err := range db.Each[row](ctx, q, `UPDATE projects SET red_pct = v.red, grey_pct = v.grey,
			orange_pct = v.orange, blue_pct = v.blue, green_pct = v.green, order_scale = v.scale`+noted+`
		FROM `+from+` v WHERE projects.id = v.id RETURNING projects.`+columns, args...) {
		if err != nil {
			return nil, err
		}
		out[r.ID] = r.Stats
	}
	return out, nil
}
