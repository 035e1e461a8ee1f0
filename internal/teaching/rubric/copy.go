package rubric

import (
	"context"

	"lectern/internal/platform/db"
)

// Copied gives the criteria to be those of another task: all of them new there.
func (c Criteria) Copied() Criteria {
	out := make(Criteria, len(c))
	for i, one := range c {
		one.ID, one.Levels = 0, append([]Level{}, one.Levels...)
		for j := range one.Levels {
			one.Levels[j].ID = 0
		}
		out[i] = one
	}
	return out
}

// Source is a task whose rubric can be copied.
type Source struct {
	ID           int64  `db:"id"` // of the task definition
	UnitID       int64  `db:"unit_id"`
	UnitCode     string `db:"unit_code"`
	Abbreviation string `db:"abbreviation"`
	Name         string `db:"name"`
}

// MostSources is how many tasks are offered to copy from.
const MostSources = 200

// Sources lists the tasks with a rubric whose rubric the one of a task definition may become: those of its own unit
// first, then those of the units that the person convenes, the latest first. It is for holders of
// policy.EditDefinitions in the unit of the definition.
func Sources(ctx context.Context, q db.Q, definitionID, userID int64) ([]Source, error) {
	return db.All[Source](ctx, q, `SELECT d.id, d.unit_id, u.code AS unit_code, d.abbreviation, d.name
		FROM task_definitions own JOIN rubrics r ON r.current AND r.task_definition_id <> own.id
		JOIN task_definitions d ON d.id = r.task_definition_id JOIN units u ON u.id = d.unit_id
		WHERE own.id = $1 AND (u.id = own.unit_id OR EXISTS (SELECT 1 FROM unit_roles e WHERE e.unit_id = u.id
			AND e.user_id = $2 AND e.role = 3))
		ORDER BY CASE WHEN u.id = own.unit_id THEN 0 ELSE 1 END, u.start_date DESC, u.id, d.target_date, d.id
		LIMIT $3`, definitionID, userID, MostSources)
}
