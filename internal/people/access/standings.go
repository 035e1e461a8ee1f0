package access

import (
	"context"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Standings gives what c is in each of several units, as staff: the standings by
// which a right on them is decided. A unit in which c has no role is left to what c
// is in the system.
func Standings(ctx context.Context, q db.Q, c *Caller, units []int64) (map[int64]policy.Who, error) {
	out := map[int64]policy.Who{}
	if len(units) == 0 {
		return out, nil
	}
	for _, u := range units {
		out[u] = System(c.Role)
	}
	type role struct {
		UnitID int64       `db:"unit_id"`
		Role   policy.Role `db:"role"`
	}
	in, args := db.In([]any{c.ID}, units)
	for r, err := range db.Each[role](ctx, q, `SELECT unit_id, role FROM unit_roles WHERE user_id = $1
		AND unit_id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		out[r.UnitID] |= map[policy.Role]policy.Who{policy.Tutor: policy.UnitTutor,
			policy.Convenor: policy.UnitConvenor}[r.Role]
	}
	return out, nil
}
