package webhook

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
)

// Delivery is an event that was handed to a receiver, or a test, and what came of it.
type Delivery struct {
	ID        int64      `db:"id" json:"id"`
	Seq       *int64     `db:"seq" json:"event" doc:"the number of the event; null: it was a test"`
	Kind      string     `db:"kind" json:"kind" doc:"the kind of the event, or test"`
	Attempts  int64      `db:"attempts" json:"attempts" doc:"how often it was tried"`
	Delivered bool       `db:"delivered" json:"delivered" doc:"whether the receiver took it"`
	Status    *int64     `db:"status" json:"status" doc:"what the receiver answered last; null: it did not answer"`
	Error     *string    `db:"error" json:"error" doc:"why the last try that failed did, in words; null: none failed"`
	CreatedAt clock.Time `db:"created_at" json:"created_at" doc:"when it was tried first"`
	TriedAt   clock.Time `db:"tried_at" json:"tried_at" doc:"when it was tried last"`
	Took      int64      `db:"milliseconds" json:"milliseconds" doc:"how long the last try took"`
}

// Deliveries gives a part of what was sent to a webhook, the newest first, and tells how much there is in
// all; failed narrows it to what failed at least once. It is for holders of policy.SeeWebhooks, and fails
// with fault.Missing where there is no such webhook. Call it in a View.
func Deliveries(ctx context.Context, q db.Q, id int64, failed bool, p db.Page) ([]Delivery, int64, error) {
	if _, err := ByID(ctx, q, id); err != nil {
		return nil, 0, err
	}
	where := ` FROM webhook_deliveries WHERE webhook_id = $1`
	if failed {
		where += ` AND error IS NOT NULL`
	}
	total, err := db.One[int64](ctx, q, `SELECT count(*)`+where, id)
	if err != nil {
		return nil, 0, fmt.Errorf("count deliveries: %w", err)
	}
	list, err := db.All[Delivery](ctx, q, `SELECT id, seq, kind, attempts, delivered, status, error, created_at, tried_at,
		milliseconds`+where+` ORDER BY id DESC LIMIT $2 OFFSET $3`, id, p.Limit(), p.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("list deliveries: %w", err)
	}
	return list, *total, nil
}

// try is one try to hand something over.
type try struct {
	status  int64 // what the receiver answered; 0: nothing
	took    time.Duration
	failure error // nil: the receiver took it
}

// note writes down what came of a try: the tries of an event share a row, each test has its own. One to a
// webhook that is gone is not noted.
func (y *try) note(ctx context.Context, q db.Q, id int64, e *events.Event) error {
	var why *string
	if y.failure != nil {
		text := y.failure.Error()
		why = &text
	}
	_, err := db.Exec(ctx, q, `INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, status, error,
			created_at, tried_at, milliseconds)
		SELECT id, $2, $3, 1, $4, $5, $6, $7, $7, $8 FROM webhooks WHERE id = $1
		ON CONFLICT (webhook_id, seq) DO UPDATE SET attempts = webhook_deliveries.attempts + 1,
			delivered = excluded.delivered, status = excluded.status,
			error = coalesce(excluded.error, webhook_deliveries.error), tried_at = excluded.tried_at,
			milliseconds = excluded.milliseconds`,
		id, opt.NonZero(e.Seq), string(e.Kind), y.failure == nil, opt.NonZero(y.status), why, q.Now(),
		y.took.Milliseconds())
	if err != nil {
		return fmt.Errorf("note a delivery: %w", err)
	}
	return nil
}

const (
	// mostDeliveries is how many deliveries of each webhook are kept.
	mostDeliveries = 1000
	// pruneEvery is after how many deliveries an instance removes those that are too many.
	pruneEvery = 100
)

// Prune removes deliveries beyond the newest thousand of each webhook, a bounded number, and tells how many:
// call it again, in a new transaction, until that is 0.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	n, err := db.Exec(ctx, q, `DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhooks w
		JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.id <= (SELECT o.id FROM webhook_deliveries o
			WHERE o.webhook_id = w.id ORDER BY o.id DESC LIMIT 1 OFFSET $1) LIMIT 1000)`, mostDeliveries)
	if err != nil {
		return 0, fmt.Errorf("remove old deliveries: %w", err)
	}
	return n, nil
}

// noted removes what is too much now and then, so that a busy webhook does not fill the disk until the night.
func (c *Deliverer) noted(ctx context.Context) error {
	if c.sent.Add(1)%pruneEvery != 0 {
		return nil
	}
	return c.DB.Tx(ctx, func(q db.Q) error {
		_, err := Prune(ctx, q)
		return err
	})
}

// Retry sends what a receiver did not take again at once, instead of when its wait is over. It is for holders
// of policy.ManageWebhooks. It fails with fault.Missing where there is no such webhook, and with
// fault.Conflict where nothing of it waits after a failure, or it is paused.
func Retry(ctx context.Context, q db.Q, id int64) (*Webhook, error) {
	n, err := db.Exec(ctx, q, `UPDATE webhooks SET next_try_at = NULL WHERE id = $1 AND active AND failures > 0`, id)
	if err != nil {
		return nil, fmt.Errorf("retry a webhook: %w", err)
	}
	h, err := ByID(ctx, q, id)
	switch {
	case err != nil:
		return nil, err
	case n == 0 && !h.Active:
		return nil, fault.New(fault.Conflict, "This webhook is paused. Resume it, and what waits is sent.")
	case n == 0:
		return nil, fault.New(fault.Conflict, "Nothing of this webhook waits to be sent again.")
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Webhook, Action: "retried", RecordID: id}); err != nil {
		return nil, err
	}
	if err := enqueue(ctx, q, id); err != nil {
		return nil, err
	}
	return h, jobs.Hasten(ctx, q, key(id))
}
