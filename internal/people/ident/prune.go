package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// pruneAtOnce bounds how long a prune holds the writer.
const pruneAtOnce = 5000

// Prune deletes expired sessions, links and tickets, and forgotten failures, a
// bounded number of each. It tells how many rows went: call it again, in a new
// transaction, until that is 0.
func Prune(ctx context.Context, q db.Q) (n int64, err error) {
	for _, table := range []string{"sessions", "password_links", "address_links", "sign_in_tickets", "live_tickets",
		"student_views", "first_links"} {
		gone, err := db.Exec(ctx, q, `DELETE FROM `+table+` WHERE id IN
			(SELECT id FROM `+table+` WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, q.Now(), pruneAtOnce)
		if err != nil {
			return n, err
		}
		n += gone
	}
	// A block lasts an hour at most and is remembered for as long as a window;
	// a day is longer than both in any sensible configuration.
	old := clock.At(q.Now().Add(-24 * time.Hour))
	gone, err := db.Exec(ctx, q, `DELETE FROM throttles WHERE name IN
		(SELECT name FROM throttles WHERE since <= $1 AND (blocked_until IS NULL OR blocked_until <= $1)
		ORDER BY since LIMIT $2)`, old, pruneAtOnce)
	if err != nil {
		return n, err
	}
	n += gone
	gone, err = db.Exec(ctx, q, `DELETE FROM sign_in_places WHERE used_at <= $1`, clock.At(q.Now().Add(-keepPlaces)))
	return n + gone, err
}
