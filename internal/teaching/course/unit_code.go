package course

import (
	"context"

	"lectern/internal/platform/db"
)

// UnitByCode gives the unit that people mean by a code, in any case: the newest that is open, or else the newest.
// It fails with fault.Missing where no unit has it.
func UnitByCode(ctx context.Context, q db.Q, code string) (*Unit, error) {
	id, err := db.OneOf[int64](ctx, q, "unit", `SELECT id FROM units WHERE lower(code) = lower($1)
		ORDER BY active DESC, start_date DESC, id DESC LIMIT 1`, code)
	if err != nil {
		return nil, err
	}
	return UnitByID(ctx, q, *id)
}
