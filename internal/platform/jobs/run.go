package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Job is one try at a job, as its worker sees it. Workers may be called with a
// Job made by hand, in tests say; its Done does nothing.
type Job struct {
	ID          int64
	Kind        string
	Attempt     int // 1 at the first try
	MaxAttempts int

	run *run
}

// Last tells whether the job is dead if this try fails, so that the worker can
// tell someone. A worker killed in its last try gets no chance to.
func (j Job) Last() bool { return j.Attempt >= j.MaxAttempts }

// Done marks the job done in the transaction that writes its result, so that
// both happen or neither, whenever the worker is killed. It fails with ErrLost
// when another worker has taken the job over: leave the transaction then. Call
// it last, as it holds the job's row until the transaction ends.
func (j Job) Done(ctx context.Context, q db.Q) error {
	if j.run == nil {
		return nil
	}
	q.After(func() { j.run.done.Store(true) })
	return j.run.settle(ctx, q, outcome{state: Done, attempt: j.Attempt, runAt: q.Now()})
}

// Later gives the job back in the caller's transaction, to be run again after d, so
// that whoever hastens it comes before or after, never in between. The try is not
// counted. As with Done, ErrLost means that the job is another's, and it comes last.
func (j Job) Later(ctx context.Context, q db.Q, d time.Duration) error {
	if j.run == nil {
		return nil
	}
	q.After(func() { j.run.done.Store(true) })
	return j.run.settle(ctx, q, outcome{state: Available, attempt: j.Attempt - 1, runAt: clock.At(q.Now().Add(d))})
}

// ErrLost says that the lease of a job ended and someone else has the job now.
var ErrLost = errors.New("the job was taken over by another worker")

// errStopping is why the context of a job ends when its queue stops.
var errStopping = errors.New("the queue is stopping")

type snoozed time.Duration

func (s snoozed) Error() string { return "to be run again in " + time.Duration(s).String() }

// Snooze, as the result of a worker, runs the job again after d. The try is not
// counted.
func Snooze(d time.Duration) error { return snoozed(d) }

type discarded struct{ error }

func (d discarded) Unwrap() error { return d.error }

// Discard, as the result of a worker, makes the job dead at once: trying again
// would not help.
func Discard(err error) error { return discarded{err} }

// run is a job in the hands of this instance.
type run struct {
	Job
	queue  *Queue
	args   []byte
	cancel context.CancelCauseFunc
	done   atomic.Bool // Done or Later was called and committed
	until  time.Time   // when the lease ends; only keepLeases touches it after the start

	due       clock.Time                // when it was to run; Hasten changes it in the row
	suspicion int                       // what was held against it when it was claimed
	ended     atomic.Pointer[time.Time] // when its context ended, if it has
}

// outcome is what becomes of a job after a try.
type outcome struct {
	state   State
	attempt int // tries that count
	runAt   clock.Time
	err     error

	suspicion int // unsuspected after a try that ended in order
}

// work runs the job and writes what became of it.
func (r *run) work(ctx context.Context) {
	if o, ok := r.queue.admit(ctx, r); !ok {
		r.conclude(ctx, o)
		return
	}
	defer r.queue.dismiss(r)
	err := r.call(ctx)
	if r.done.Load() {
		if err != nil {
			r.queue.log.WarnContext(ctx, "a job failed after its end was written", "job", r.ID, "kind", r.Kind, "err",
				err)
		}
		return
	}
	if errors.Is(err, ErrLost) || errors.Is(context.Cause(ctx), ErrLost) {
		r.tellLost(ctx)
		return
	}
	r.conclude(ctx, r.outcomeAfter(ctx, err))
}

// conclude writes what became of the job.
func (r *run) conclude(ctx context.Context, o outcome) {
	err := r.finish(ctx, o)
	if errors.Is(err, ErrLost) {
		r.tellLost(ctx)
	} else if err != nil {
		r.queue.log.ErrorContext(ctx, "cannot write the end of a job; it will be run again", "job", r.ID, "kind",
			r.Kind, "err", err)
	}
}

func (r *run) tellLost(ctx context.Context) {
	r.queue.log.WarnContext(ctx, "a job was taken over by another worker", "job", r.ID, "kind", r.Kind, "attempt",
		r.Attempt)
}

// call runs the worker. A panic is a failure like others.
func (r *run) call(ctx context.Context) (err error) {
	k := r.queue.kinds[r.Kind]
	ctx, stop := context.WithTimeoutCause(ctx, k.Timeout, fmt.Errorf("it took longer than %v", k.Timeout))
	defer stop()
	unwatch := context.AfterFunc(ctx, func() {
		now := time.Now()
		r.ended.Store(&now)
	})
	defer unwatch()
	defer func() {
		if p := recover(); p != nil {
			r.queue.log.ErrorContext(ctx, "a job panicked", "job", r.ID, "kind", r.Kind, "panic", p, "stack",
				string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	err = k.work(ctx, r.Job, r.args)
	if cause := context.Cause(ctx); err != nil && cause != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return err
}

// outcomeAfter decides what becomes of the job after its worker gave err.
func (r *run) outcomeAfter(ctx context.Context, err error) outcome {
	now := r.queue.now()
	o := outcome{state: Available, attempt: r.Attempt, runAt: now, err: err}
	nap, naps := errors.AsType[snoozed](err)
	_, hopeless := errors.AsType[discarded](err)
	switch {
	case err == nil:
		o.state = Done
	case naps:
		o.attempt, o.err, o.runAt = r.Attempt-1, nil, clock.At(now.Add(time.Duration(nap)))
	case errors.Is(context.Cause(ctx), errStopping):
		o.attempt, o.err = r.Attempt-1, nil
	case hopeless || r.Last():
		o.state = Dead
	default:
		o.runAt = clock.At(now.Add(r.queue.conf.Backoff(r.Attempt)))
	}
	return o
}

// finish writes o, also when the job's own context has ended.
func (r *run) finish(ctx context.Context, o outcome) error {
	if o.state == Dead {
		r.queue.log.ErrorContext(ctx, "a job is dead", "job", r.ID, "kind", r.Kind, "attempt", r.Attempt, "err", o.err)
	} else if o.err != nil {
		r.queue.log.WarnContext(ctx, "a job failed and will be tried again", "job", r.ID, "kind", r.Kind,
			"attempt", r.Attempt, "at", o.runAt, "err", o.err)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	return r.queue.db.Brief(ctx, func(q db.Q) error { return r.settle(ctx, q, o) })
}

// settle ends the lease with o, unless it is no longer ours. The name of the
// worker is never used twice and the attempts of one worker at one job only
// rise, so the two tell this try from every other. A job that was hastened during the
// try and is to run again does so at the moment that Hasten set: its worker may have
// read what has changed before it did.
func (r *run) settle(ctx context.Context, q db.Q, o outcome) error {
	var ended, text any
	if o.state == Done || o.state == Dead {
		ended = q.Now()
	}
	if o.err != nil {
		text = storable(o.err.Error())
	}
	n, err := db.Exec(ctx, q, `UPDATE jobs SET state = $1, attempt = $2,
			run_at = CASE WHEN $1 = 'available' AND run_at <> $10 THEN run_at ELSE $3 END,
			error = coalesce($4, error), finished_at = $5, lease_until = NULL, suspicion = $6
		WHERE id = $7 AND worker = $8 AND attempt = $9 AND state = 'running'`,
		o.state, o.attempt, o.runAt, text, ended, o.suspicion, r.ID, r.queue.name, r.Attempt, r.due)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

const maxErrorText = 2000

// storable makes the text of an error fit to be stored: bounded, and free of what
// PostgreSQL refuses.
func storable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if runes := []rune(s); len(runes) > maxErrorText {
		return string(runes[:maxErrorText-1]) + "…"
	}
	return s
}
