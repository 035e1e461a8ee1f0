package usecase

import (
	"context"

	"lectern/internal/platform/db"
)

// UnitChoices is a unit by its names, and what lists of its work can be narrowed to.
type UnitChoices struct {
	ID        int64  `db:"id"`
	Code      string `db:"code"`
	Name      string `db:"name"`
	Tutorials []UnitChoice
	Tasks     []UnitChoice
}

// UnitChoice is a tutorial or a task of a unit by its short name.
type UnitChoice struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// UnitChoicesOf reads the choices of a unit: its tutorials by name, its tasks by start.
func UnitChoicesOf(ctx context.Context, q db.Q, unitID int64) (*UnitChoices, error) {
	u, err := db.OneOf[UnitChoices](ctx, q, "unit", `SELECT id, code, name FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	u.Tutorials, err = db.All[UnitChoice](ctx, q, `SELECT id, abbreviation AS name FROM tutorials WHERE unit_id = $1
		ORDER BY abbreviation, id`, unitID)
	if err != nil {
		return nil, err
	}
	u.Tasks, err = db.All[UnitChoice](ctx, q, `SELECT id, abbreviation AS name FROM task_definitions WHERE unit_id = $1
		ORDER BY start_date, abbreviation`, unitID)
	return u, err
}
