package access

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Teaches gives the units the caller is employed in, in order, as long as their
// session lasts; fault.Unknown once it has ended or the account is disabled. It
// is for who listens for long: what they were at the start may end meanwhile.
func Teaches(ctx context.Context, q db.Q, c *Caller) ([]int64, error) {
	type row struct {
		UnitID    *int64      `db:"unit_id"`
		Role      policy.Role `db:"role"`
		ExpiresAt clock.Time  `db:"expires_at"`
		RenewedAt clock.Time  `db:"renewed_at"`
	}
	rows, err := db.All[row](ctx, q, `SELECT r.unit_id, u.role, s.expires_at,
			coalesce(s.renewed_at, s.created_at) AS renewed_at
		FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN unit_roles r ON r.user_id = u.id
		WHERE s.id = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL ORDER BY r.unit_id`, c.SessionID, q.Now())
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !Until(rows[0].ExpiresAt, rows[0].RenewedAt, rows[0].Role).After(q.Now().Time) {
		return nil, errEnded()
	}
	var units []int64
	for _, r := range rows {
		if r.UnitID != nil {
			units = append(units, *r.UnitID)
		}
	}
	return units, nil
}
