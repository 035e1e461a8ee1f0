package taskdef

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
)

// Beside is a definition that stands before or after another one.
type Beside struct {
	ID           int64  `db:"id"`
	Abbreviation string `db:"abbreviation"`
	Name         string `db:"name"`
}

// Neighbours gives the definitions before and after one, in the order in which they are due, of
// those that a target grade asks for; nil where there is none.
func Neighbours(ctx context.Context, q db.Q, of *Definition, target grade.Grade) (before, after *Beside, err error) {
	list, err := db.All[Beside](ctx, q, `SELECT id, abbreviation, name FROM task_definitions
		WHERE unit_id = $1 AND (target_grade <= $2 OR id = $3) ORDER BY target_date, abbreviation, id`, of.UnitID,
		target, of.ID)
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		if list[i].ID != of.ID {
			continue
		}
		if i > 0 {
			before = &list[i-1]
		}
		if i+1 < len(list) {
			after = &list[i+1]
		}
	}
	return before, after, nil
}
