package access

import (
	"context"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Holding gives those of several units in which c holds a right, as staff there or by what
// c is in the system, in their order.
func Holding(ctx context.Context, q db.Q, c *Caller, right *policy.Right, units []int64) ([]int64, error) {
	if c.Asked != nil {
		c.Asked(right)
	}
	as, err := AsStaff(ctx, q, c, units)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, u := range units {
		if right.Allows(as[u]) {
			out = append(out, u)
		}
	}
	return out, nil
}

// AsStaff gives the standing of c in each of several units: as staff there and by what c is in
// the system.
func AsStaff(ctx context.Context, q db.Q, c *Caller, units []int64) (map[int64]policy.Who, error) {
	if len(units) == 0 {
		return nil, nil
	}
	type role struct {
		UnitID int64       `db:"unit_id"`
		Role   policy.Role `db:"role"`
	}
	as := map[int64]policy.Who{}
	for _, u := range units {
		as[u] = System(c.Role)
	}
	in, args := db.In([]any{c.ID}, units)
	for r, err := range db.Each[role](ctx, q, `SELECT unit_id, role FROM unit_roles WHERE user_id = $1
		AND unit_id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		as[r.UnitID] |= inUnit(r.Role)
	}
	return as, nil
}

// Somewhere tells whether c holds one of a rule's rights in some unit, as staff there or by
// what c is in the system. It decides nothing: it is for what comes before the unit is known.
func Somewhere(ctx context.Context, q db.Q, c *Caller, r policy.Rule) (bool, error) {
	if c.Enrolling {
		return false, nil
	}
	who := System(c.Role)
	for role, err := range db.Each[policy.Role](ctx, q, `SELECT DISTINCT role FROM unit_roles WHERE user_id = $1`, c.ID) {
		if err != nil {
			return false, err
		}
		who |= inUnit(role)
	}
	return r.Allows(who), nil
}

// inUnit gives the standing of one who is employed in a unit.
func inUnit(r policy.Role) policy.Who {
	return map[policy.Role]policy.Who{policy.Tutor: policy.UnitTutor, policy.Convenor: policy.UnitConvenor}[r]
}
