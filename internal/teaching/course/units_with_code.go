package course

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
)

// UnitsWithCode gives the units of a code, whatever the case of its letters: one code stands for a unit
// of every period. They are the newest ones, at most so many.
func UnitsWithCode(ctx context.Context, q db.Q, code string, most int) ([]int64, error) {
	list, err := db.All[int64](ctx, q, `SELECT id FROM units WHERE lower(code) = lower($1) ORDER BY id DESC LIMIT $2`, code,
		most)
	if err != nil {
		return nil, fmt.Errorf("find the units of a code: %w", err)
	}
	return list, nil
}
