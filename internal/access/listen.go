package access

import (
	"context"

	"lectern/internal/db"
	"lectern/internal/fault"
)

// Teaches gives the units the caller is employed in, in order, as long as their
// session lasts; fault.Unknown once it has ended or the account is disabled. It
// is for who listens for long: what they were at the start may end meanwhile.
func Teaches(ctx context.Context, q db.Q, c *Caller) ([]int64, error) {
	rows, err := db.All[*int64](ctx, q, `SELECT r.unit_id FROM sessions s JOIN users u ON u.id = s.user_id
		LEFT JOIN unit_roles r ON r.user_id = u.id
		WHERE s.id = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL ORDER BY r.unit_id`, c.SessionID, q.Now())
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.Unknown, "Your session has ended. Sign in again.")
	}
	var units []int64
	for _, id := range rows {
		if id != nil {
			units = append(units, *id)
		}
	}
	return units, nil
}
