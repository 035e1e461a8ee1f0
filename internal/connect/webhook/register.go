// Package webhook tells other systems what happened: an administrator registers
// an address, and every event is sent there, signed, in the order of their
// numbers, until the receiver takes it.
package webhook

import (
	"context"
	"math"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
)

// Hook is a registered receiver and how deliveries to it stand.
type Webhook struct {
	ID          int64       `db:"id" json:"id"`
	URL         string      `db:"url" json:"url"`
	Kinds       Kinds       `db:"kinds" json:"kinds"`
	Active      bool        `db:"active" json:"active"`
	LastSeq     int64       `db:"last_seq" json:"last_seq"` // all events up to here are dealt with
	Behind      int64       `db:"behind" json:"behind"`     // events after that
	Missed      int64       `db:"missed" json:"missed"`     // events too old to be kept when their turn came
	Failures    int64       `db:"failures" json:"failures"` // in a row
	LastError   *string     `db:"last_error" json:"last_error"`
	TriedAt     *clock.Time `db:"last_tried_at" json:"last_tried_at"`
	DeliveredAt *clock.Time `db:"last_delivered_at" json:"last_delivered_at"`
	NextTryAt   *clock.Time `db:"next_try_at" json:"next_try_at"`
	CreatedAt   clock.Time  `db:"created_at" json:"created_at"`
	Secret      string      `json:"secret,omitempty"` // only when it was just set
}

const columns = `id, url, kinds, active, last_seq, missed, failures, last_error, last_tried_at, last_delivered_at,
	next_try_at, created_at,
	CASE WHEN last_seq < (SELECT coalesce(max(seq), 0) FROM events) THEN (SELECT max(seq) FROM events) - last_seq
	ELSE 0 END AS behind`

// List gives all webhooks by id, without their secrets.
func List(ctx context.Context, q db.Q) ([]Webhook, error) {
	return db.All[Webhook](ctx, q, `SELECT `+columns+` FROM webhooks ORDER BY id`)
}

// ByID reads a webhook. It fails with fault.Missing where there is none.
func ByID(ctx context.Context, q db.Q, id int64) (*Webhook, error) {
	return db.OneOf[Webhook](ctx, q, "webhook", `SELECT `+columns+` FROM webhooks WHERE id = $1`, id)
}

// Most is how many hooks there may be: each has a worker of its own.
const Most = 50

// Change is what to set of a webhook; nil leaves a value alone. An empty secret
// asks for a new one.
type Change struct {
	URL, Secret *string
	Kinds       *Kinds
	Active      *bool
}

func (c Change) check(g Guard) error {
	if c.URL != nil {
		if err := g.CheckURL(*c.URL); err != nil {
			return err
		}
	}
	if c.Secret != nil && *c.Secret != "" && (len(*c.Secret) < 16 || len(*c.Secret) > 200) {
		return fault.Field(fault.Refused, "secret", "must have 16 to 200 characters; leave it empty to get one")
	}
	if c.Kinds != nil {
		return c.Kinds.check()
	}
	return nil
}

// Add registers a receiver, which hears of what happens from now on. Its secret is shown only
// now. It is for holders of policy.ManageWebhooks. It refuses an address that is none or lies
// inside the network (see Guard), and kinds of events that there are not.
func Add(ctx context.Context, q db.Q, g Guard, c Change) (*Webhook, error) {
	if err := c.check(g); err != nil {
		return nil, err
	}
	if err := db.LockName(ctx, q, "webhooks"); err != nil {
		return nil, err
	}
	if n, err := db.One[int64](ctx, q, `SELECT count(*) FROM webhooks`); err != nil {
		return nil, err
	} else if *n >= Most {
		return nil, fault.New(fault.Conflict, "There are already %d webhooks, which is the limit. Delete one first.", *n)
	}
	last, err := events.Last(ctx, q)
	if err != nil {
		return nil, err
	}
	secret := *c.secret()
	id, err := db.One[int64](ctx, q, `INSERT INTO webhooks (url, secret, kinds, active, last_seq, created_at,
		updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`, *c.URL, secret, opt.Or(c.Kinds, Kinds{}),
		opt.Or(c.Active, true), last, q.Now())
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Webhook, Action: audit.Created, RecordID: *id}); err != nil {
		return nil, err
	}
	return started(ctx, q, *id, secret)
}

// secret gives the secret to store: the one given, or a new one.
func (c Change) secret() *string {
	if s := opt.Or(c.Secret, ""); s != "" {
		return &s
	}
	s := newSecret()
	return &s
}

// Alter changes a webhook. Deliveries that wait after failures are tried at once, as the change
// may be what they waited for. It is for holders of policy.ManageWebhooks and refuses what Add
// refuses.
func Alter(ctx context.Context, q db.Q, g Guard, id int64, c Change) (*Webhook, error) {
	if err := c.check(g); err != nil {
		return nil, err
	}
	var secret *string
	if c.Secret != nil {
		secret = c.secret()
	}
	n, err := db.Exec(ctx, q, `UPDATE webhooks SET url = coalesce($2, url), secret = coalesce($3, secret), kinds =
		coalesce($4, kinds),
			active = coalesce($5, active), next_try_at = NULL, updated_at = $6 WHERE id = $1`,
		id, c.URL, secret, c.Kinds, c.Active, q.Now())
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fault.New(fault.Missing, "There is no such webhook.")
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Webhook, Action: audit.Changed, RecordID: id,
		Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	return started(ctx, q, id, opt.Or(secret, ""))
}

// started makes sure that an active webhook has its job, and shows the webhook.
func started(ctx context.Context, q db.Q, id int64, secret string) (*Webhook, error) {
	h, err := ByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	h.Secret = secret
	if !h.Active {
		return h, nil
	}
	if err := enqueue(ctx, q, id); err != nil {
		return nil, err
	}
	return h, jobs.Hasten(ctx, q, key(id))
}

// Delete removes a webhook, and with it what waits to be delivered. It fails with fault.Missing
// where there is none. It is for holders of policy.ManageWebhooks.
func Delete(ctx context.Context, q db.Q, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM webhooks WHERE id = $1`, id)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "There is no such webhook.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Webhook, Action: audit.Deleted, RecordID: id})
}

// key makes the job of a webhook the only one of its kind, in all instances.
func key(id int64) string { return "webhook " + strconv.FormatInt(id, 10) }

func enqueue(ctx context.Context, q db.Q, id int64) error {
	_, err := jobs.Enqueue(ctx, q, deliverArgs{id}, jobs.Options{Unique: key(id), MaxAttempts: math.MaxInt32})
	return err
}

// Ensure gives every active webhook its job, should one have been lost.
func Ensure(ctx context.Context, d *db.DB) error {
	return d.Tx(ctx, func(q db.Q) error {
		ids, err := db.All[int64](ctx, q, `SELECT id FROM webhooks WHERE active ORDER BY id LIMIT $1`, Most)
		for _, id := range ids {
			if err := enqueue(ctx, q, id); err != nil {
				return err
			}
		}
		return err
	})
}

// Figures tell how all webhooks are doing.
type Figures struct {
	Active  int64 `db:"active" json:"active"`
	Paused  int64 `db:"paused" json:"paused" doc:"webhooks to which nothing is sent"`
	Failing int64 `db:"failing" json:"failing" doc:"active webhooks whose receiver did not take the last delivery"`
	Behind  int64 `db:"behind" json:"behind" doc:"events that the slowest active webhook has not got yet"`
}

// FiguresOf tells how all webhooks are doing.
func FiguresOf(ctx context.Context, q db.Q) (*Figures, error) {
	return db.One[Figures](ctx, q, `SELECT count(CASE WHEN active THEN 1 END) AS active,
		count(CASE WHEN active THEN NULL ELSE 1 END) AS paused,
		count(CASE WHEN active AND failures > 0 THEN 1 END) AS failing,
		coalesce(max(CASE WHEN active AND last_seq < top.seq THEN top.seq - last_seq ELSE 0 END), 0) AS behind
		FROM webhooks, (SELECT coalesce(max(seq), 0) AS seq FROM events) AS top`)
}
