package webhook

import (
	"context"
	"crypto/rand"
	"log/slog"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

// Trial is the kind of a delivery that tells of nothing.
const Trial events.Kind = "test"

// Tried is what became of a delivery that was asked for to see whether it arrives.
type Tried struct {
	Delivered bool       `json:"delivered" doc:"whether the receiver took it"`
	Error     string     `json:"error" doc:"why it did not, in words; empty where it did"`
	At        clock.Time `json:"at" doc:"when it was sent"`
	Took      float64    `json:"seconds" doc:"how long it took"`
}

// Try sends a webhook one delivery about nothing, signed as all are, and waits for its receiver. It goes
// to paused webhooks as well, changes nothing of how deliveries stand, and is listed with them. It is for holders of
// policy.ManageWebhooks, and fails with fault.Missing where there is no such webhook.
func Try(ctx context.Context, d *db.DB, log *slog.Logger, g Guard, id int64) (*Tried, error) {
	t, err := find(ctx, d.Pool(), id)
	if err != nil {
		_, err = ByID(ctx, d.Pool(), id) // which says what there is none of
		return nil, err
	}
	c := &Deliverer{DB: d, Log: log, client: g.client()}
	defer c.client.CloseIdleConnections()
	e := &events.Event{Kind: Trial, At: d.Now(), Body: struct{}{}}
	y := c.send(ctx, t, message{"test-" + rand.Text(), e})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Tried{Delivered: y.failure == nil, At: e.At, Took: y.took.Seconds()}
	if y.failure != nil {
		out.Error = y.failure.Error()
	}
	return out, d.Tx(ctx, func(q db.Q) error { return y.note(ctx, q, id, e) })
}
