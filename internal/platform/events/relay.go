package events

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
)

// numberAtOnce bounds the transaction of the relay.
const numberAtOnce = 1000

// Relay numbers the committed events that have no number yet. Any number of
// relays may run at once, in as many processes: they take turns. A Hub does it
// by itself.
func Relay(ctx context.Context, d *db.DB) error {
	for {
		some, err := db.All[int64](ctx, d.Pool(), `SELECT id FROM events WHERE seq IS NULL LIMIT 1`)
		if err != nil {
			return fmt.Errorf("look for new events: %w", err)
		}
		if len(some) == 0 {
			return nil
		}
		if err := d.Brief(ctx, func(q db.Q) error { return number(ctx, q) }); err != nil {
			return fmt.Errorf("number events: %w", err)
		}
	}
}

// number gives the next numbers. The lock is a statement of its own, so that
// the second one sees all that earlier holders of the lock have committed.
func number(ctx context.Context, q db.Q) error {
	if err := db.LockName(ctx, q, "events relay"); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `UPDATE events SET seq = n.seq FROM (
			SELECT id, (SELECT coalesce(max(seq), 0) FROM events) + row_number() OVER (ORDER BY id) AS seq
			FROM events WHERE seq IS NULL ORDER BY id LIMIT $1) AS n
		WHERE events.id = n.id`, numberAtOnce)
	return err
}
