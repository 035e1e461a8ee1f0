package webhook

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

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
// to paused webhooks as well, and changes nothing of how deliveries stand. It is for holders of
// policy.ManageWebhooks, and fails with fault.Missing where there is no such webhook.
func Try(ctx context.Context, d *db.DB, log *slog.Logger, g Guard, id int64) (*Tried, error) {
	t, err := find(ctx, d.Pool(), id)
	if err != nil {
		_, err = ByID(ctx, d.Pool(), id) // which says what there is none of
		return nil, err
	}
	c := &Deliverer{DB: d, Log: log, client: g.client()}
	defer c.client.CloseIdleConnections()
	begun := time.Now()
	out := &Tried{At: d.Now()}
	failure := c.send(ctx, t, message{"test-" + rand.Text(), &events.Event{Kind: Trial, At: out.At, Body: struct{}{}}})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.Took = time.Since(begun).Seconds()
	if out.Delivered = failure == nil; !out.Delivered {
		out.Error = failure.Error()
	}
	return out, nil
}
