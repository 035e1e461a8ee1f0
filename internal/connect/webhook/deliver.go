package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
)

// Deliverer sends events to webhooks. Each webhook has one job, which lives as long as the
// hook is active; its lease makes sure that one instance delivers at a time.
// Give it a queue of its own with Most workers: then a receiver that
// is slow or down delays nobody but itself.
type Deliverer struct {
	DB    *db.DB
	Hub   *events.Hub
	Log   *slog.Logger
	Guard Guard
	Live  context.Context // ends when the service stops: deliveries pass to another instance

	client  *http.Client
	backoff func(failures int64) time.Duration
	sent    atomic.Int64 // tries that were noted
}

// deliverArgs name the webhook a job serves.
type deliverArgs struct {
	HookID int64 `json:"webhook_id"`
}

// Kind implements jobs.Args.
func (deliverArgs) Kind() string { return "webhook" }

// shift is how long a job works before it gives its place up, so that it never
// meets the time limit of jobs.
const shift = 10 * time.Minute

// Register makes the Deliverer the worker of its jobs.
func (c *Deliverer) Register(qu *jobs.Queue) {
	c.client = c.Guard.client()
	if c.backoff == nil {
		c.backoff = backoff
	}
	jobs.Register(qu, c.work, jobs.Limits{Timeout: 2 * shift, Outside: true})
}

// backoff doubles the wait with every failure, from two seconds up to an hour.
func backoff(failures int64) time.Duration {
	d := min(time.Second<<min(failures, 12), time.Hour)
	return d - d/10 + rand.N(d/5) //nolint:gosec // nobody gains by guessing it
}

// target is a webhook as its deliveries need it.
type target struct {
	ID        int64       `db:"id"`
	URL       string      `db:"url"`
	Secret    string      `db:"secret"`
	Kinds     Kinds       `db:"kinds"`
	Active    bool        `db:"active"`
	LastSeq   int64       `db:"last_seq"`
	Failures  int64       `db:"failures"`
	NextTryAt *clock.Time `db:"next_try_at"`
}

func find(ctx context.Context, q db.Q, id int64) (*target, error) {
	return db.One[target](ctx, q, `SELECT id, url, secret, kinds, active, last_seq, failures, next_try_at
		FROM webhooks WHERE id = $1`, id)
}

// errIdle says that a webhook is deleted or not active: its job ends.
var errIdle = errors.New("the webhook is not active")

// errWait says that a delivery failed, and was noted: the job waits.
type errWait time.Duration

func (errWait) Error() string { return "the receiver did not take the event" }

func (c *Deliverer) work(ctx context.Context, job jobs.Job, a deliverArgs) error {
	err := c.serve(ctx, a.HookID)
	wait, failed := errors.AsType[errWait](err)
	switch {
	case errors.Is(err, errIdle):
		return c.end(ctx, job, a.HookID)
	case failed:
		return jobs.Snooze(time.Duration(wait))
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded), c.Live.Err() != nil:
		return jobs.Snooze(time.Second)
	}
	return err
}

// end finishes the job of a webhook that is not active. It holds the webhook's row,
// so that whoever makes the webhook active again meets a job that is either still
// needed or gone.
func (c *Deliverer) end(ctx context.Context, job jobs.Job, id int64) error {
	again := false
	err := c.DB.Tx(ctx, func(q db.Q) error {
		if err := db.Lock(ctx, q, "webhooks", id); err != nil {
			return err
		}
		t, err := find(ctx, q, id)
		if again = err == nil && t.Active; again {
			return nil
		}
		if err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		return job.Done(ctx, q)
	})
	if again {
		return jobs.Snooze(0)
	}
	return err
}

// serve delivers until the shift or the service ends, or something fails.
func (c *Deliverer) serve(ctx context.Context, id int64) error {
	listen, stop := context.WithTimeout(ctx, shift)
	defer stop()
	defer context.AfterFunc(c.Live, stop)()
	t, err := c.active(ctx, id)
	if err != nil {
		return err
	}
	if t.NextTryAt != nil && t.NextTryAt.After(c.DB.Now().Time) {
		return errWait(t.NextTryAt.Sub(c.DB.Now().Time))
	}
	sub := c.Hub.Subscribe(events.Filter{All: true}, t.LastSeq)
	defer sub.Close()
	for {
		list, err := sub.Next(listen)
		if err != nil {
			return err
		}
		if t, err = c.deliver(ctx, listen, t, list); err != nil {
			return err
		}
	}
}

// active reads a webhook anew: it may have been changed since the last delivery.
func (c *Deliverer) active(ctx context.Context, id int64) (*target, error) {
	t, err := find(ctx, c.DB.Pool(), id)
	if fault.Is(err, fault.Missing) || err == nil && !t.Active {
		return nil, errIdle
	}
	return t, err
}

// deliver sends the events a webhook asks for, one after the other, and passes
// over the others, until listen ends. A delivery that was begun is never broken
// off by that: it would have to be made again. It gives the webhook as it stands
// then.
func (c *Deliverer) deliver(ctx, listen context.Context, t *target, list []events.Event) (*target, error) {
	if gap := list[0].Seq - t.LastSeq - 1; gap > 0 {
		c.Log.WarnContext(ctx, "a webhook was behind for so long that events are gone", "webhook", t.ID, "missed", gap)
		if err := c.pass(ctx, t, list[0].Seq-1, gap); err != nil {
			return t, err
		}
	}
	id := t.ID
	for i := range list {
		e := &list[i]
		if err := listen.Err(); err != nil {
			return t, err
		}
		if e.OnlyTheirs() {
			continue
		}
		if t.Kinds.want(e.Kind) {
			var err error
			if t, err = c.active(ctx, id); err != nil {
				return nil, err
			}
		}
		if !t.Kinds.want(e.Kind) {
			continue
		}
		if err := c.hand(ctx, t, e); err != nil {
			return t, err
		}
	}
	return t, c.pass(ctx, t, list[len(list)-1].Seq, 0)
}

// pass notes that a webhook need not hear of the events up to a number.
func (c *Deliverer) pass(ctx context.Context, t *target, seq, missed int64) error {
	if seq <= t.LastSeq {
		return nil
	}
	t.LastSeq = seq
	return c.DB.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE webhooks SET last_seq = $2, missed = missed + $3 WHERE id = $1
			AND last_seq < $2`, t.ID, seq, missed)
		return err
	})
}

// hand delivers one event and notes what came of it. A delivery that this
// process gave up itself is no failure of the receiver.
func (c *Deliverer) hand(ctx context.Context, t *target, e *events.Event) error {
	y := c.post(ctx, t, e)
	if y.failure != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	// Noted even when the service stops meanwhile: the receiver has it.
	ctx = context.WithoutCancel(ctx)
	if y.failure == nil {
		t.LastSeq, t.Failures = e.Seq, 0
		return errors.Join(c.DB.Tx(ctx, func(q db.Q) error {
			if _, err := db.Exec(ctx, q, `UPDATE webhooks SET last_seq = $2, failures = 0, last_error = NULL, next_try_at
				= NULL,
				last_tried_at = $3, last_delivered_at = $3 WHERE id = $1 AND last_seq < $2`, t.ID, e.Seq, q.Now()); err != nil {
				return err
			}
			return y.note(ctx, q, t.ID, e)
		}), c.noted(ctx))
	}
	wait := c.backoff(t.Failures + 1)
	err := c.DB.Tx(ctx, func(q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE webhooks SET failures = failures + 1, last_error = $2, last_tried_at = $3,
			next_try_at = $4
			WHERE id = $1`, t.ID, fmt.Sprintf("event %d: %s", e.Seq, y.failure), q.Now(),
			clock.At(q.Now().Add(wait))); err != nil {
			return err
		}
		return y.note(ctx, q, t.ID, e)
	})
	if err != nil {
		return err
	}
	return errWait(wait)
}

// message is the body of a delivery: the event, and an id that stays the same
// when it is sent again.
type message struct {
	ID string `json:"id"`
	*events.Event
}

// post sends one event.
func (c *Deliverer) post(ctx context.Context, t *target, e *events.Event) *try {
	return c.send(ctx, t, message{fmt.Sprintf("%d-%d", t.ID, e.Seq), e})
}

// send sends one message, and tells what came of it.
func (c *Deliverer) send(ctx context.Context, t *target, m message) *try {
	begun := time.Now()
	y := &try{}
	y.status, y.failure = c.exchange(ctx, t, m)
	y.took = time.Since(begun)
	return y
}

// exchange sends one message and gives what the receiver answered; no error means that it took the message.
func (c *Deliverer) exchange(ctx context.Context, t *target, m message) (int64, error) {
	e := m.Event
	body, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	now := c.DB.Now().Unix()
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Lectern-Webhook/1",
		"X-Lectern-Id": m.ID, "X-Lectern-Event": string(e.Kind), "X-Lectern-Sequence": strconv.FormatInt(e.Seq, 10),
		"X-Lectern-Timestamp": strconv.FormatInt(now, 10), "X-Lectern-Signature": sign(t.Secret, now, body),
	} {
		r.Header.Set(name, value)
	}
	answer, err := c.client.Do(r)
	if err != nil {
		c.Log.InfoContext(ctx, "a webhook was not reached", "webhook", t.ID, "event", e.Seq, "error", cause(err))
		return 0, errors.New(reason(err))
	}
	defer answer.Body.Close()
	// A little is read so that the connection can be used again, never all.
	_, _ = io.CopyN(io.Discard, answer.Body, answerSize)
	if answer.StatusCode/100 != 2 {
		return int64(answer.StatusCode), fmt.Errorf("the receiver answered %d", answer.StatusCode)
	}
	return int64(answer.StatusCode), nil
}
