// Package jobs is a durable queue in the service's own database. A job is
// enqueued in the transaction of the data it belongs to, so there is never one
// without the other.
//
// A worker holds a job under a lease that it renews while it lives. When it is
// killed, the lease lapses and another takes the job over within seconds; a
// worker that lost its lease can no longer finish the job. A job may therefore
// be begun more than once. It takes effect exactly once when it writes its
// result and calls Job.Done in one transaction; without that it must be able to
// run twice.
//
// Jobs of most kinds run in the order of their moments. Those of a kind that is
// registered with Limits.Fair take turns instead: units do, and inside a unit the
// people do, so that neither a deadline of one unit nor the hundred jobs of one
// person hold up the others. Whoever enqueues such a job says whose it is:
//
//	jobs.Enqueue(ctx, q, args, jobs.Options{For: jobs.For{Unit: unitID, Person: userID}})
//
// Drop takes jobs back that have not begun, when newer ones make them needless.
// WaitingOf tells a person's jobs in line with how many come before each, which the
// event stream tells them; Backlog how the jobs of a unit are doing.
//
// Leases go by the clocks of the instances: these should agree to a second or
// so. If they do not, a job is begun twice more often, but still finished once.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Args are what a job is given, kept as JSON. Administrators can see them, and of a
// fair kind the person whose job it is: a secret does not belong here.
type Args interface {
	// Kind names the worker that takes them. It is stored, so it must not
	// change while there are jobs, and must not depend on the value.
	Kind() string
}

// Options tune one job; the zero value runs it at once, up to ten times.
type Options struct {
	// Unique makes a second Enqueue with the same key give the first job while
	// that is available or running. As a running job may already have read its
	// data, use it where the job reads nothing that the second caller changed.
	Unique string
	// RunAt is the earliest moment to run; now when zero.
	RunAt time.Time
	// For says whose job it is, where the kind is fair.
	For For
	// MaxAttempts is how often to try before the job is dead; 10 when zero.
	MaxAttempts int
}

// For says whose a job is: jobs of different units take turns, and so do those of
// different people inside a unit. The zero value stands for nobody's.
type For struct {
	Unit   int64 `db:"unit_id"`
	Person int64 `db:"user_id"`
}

const defaultAttempts = 10

// State is where a job stands.
type State string

// The states. A job that failed and will be tried again is Available.
const (
	Available State = "available"
	Running   State = "running"
	Done      State = "done"
	Dead      State = "dead"
)

// Enum gives all states, for the documentation of the API.
func (State) Enum() []string {
	return []string{string(Available), string(Running), string(Done), string(Dead)}
}

// topic wakes the queues of this process when there may be a job to run.
const topic = "jobs"

// Enqueue adds a job in the caller's transaction, and wakes the workers of this
// process once that is committed.
func Enqueue(ctx context.Context, q db.Q, a Args, o Options) (int64, error) {
	args, err := json.Marshal(a)
	if err != nil {
		return 0, fmt.Errorf("encode the job %s: %w", a.Kind(), err)
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = defaultAttempts
	}
	at := q.Now()
	if !o.RunAt.IsZero() {
		at = clock.At(o.RunAt)
	}
	id, err := insert(ctx, q, a.Kind(), string(args), at, o)
	if err != nil {
		return 0, fmt.Errorf("enqueue %s: %w", a.Kind(), err)
	}
	q.Wake(topic)
	return id, nil
}

// EnqueueAll adds many jobs in the caller's transaction with few statements;
// they run at once, up to ten times each.
func EnqueueAll[A Args](ctx context.Context, q db.Q, list []A) error {
	return EnqueueEach(ctx, q, list, func(A) For { return For{} })
}

// EnqueueEach is EnqueueAll for jobs of a fair kind: whose tells each one's.
func EnqueueEach[A Args](ctx context.Context, q db.Q, list []A, whose func(A) For) error {
	rows := make([][]any, len(list))
	for i, a := range list {
		args, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("encode the job %s: %w", a.Kind(), err)
		}
		w := whose(a)
		rows[i] = []any{a.Kind(), string(args), defaultAttempts, q.Now(), q.Now(), w.Unit, w.Person}
	}
	if err := db.Insert(ctx, q, `jobs (kind, args, max_attempts, run_at, created_at, unit_key, person_key)`, "",
		rows); err != nil {
		return fmt.Errorf("enqueue %d jobs: %w", len(list), err)
	}
	q.Wake(topic)
	return nil
}

// Hasten lets the job with a unique key that waits for a later moment run now. One that
// runs meanwhile runs again as soon as it would only wait: its new moment is later than the
// one at which it was due, by which the end of the try tells that it was hastened.
func Hasten(ctx context.Context, q db.Q, unique string) error {
	now := q.Now()
	_, err := db.Exec(ctx, q, `UPDATE jobs SET run_at = CASE state WHEN 'running' THEN $3 ELSE $2 END
		WHERE unique_key = $1 AND (state = 'running' OR state = 'available' AND run_at > $2)`, unique, now,
		clock.At(now.Add(time.Millisecond)))
	q.Wake(topic)
	return err
}

// Drop removes those of the jobs that have not begun, and gives their ids. A job
// that failed before and waits for its next try goes, too.
func Drop(ctx context.Context, q db.Q, ids []int64) ([]int64, error) {
	list, args := db.In(nil, ids)
	gone, err := db.All[int64](ctx, q, `DELETE FROM jobs WHERE state = 'available' AND id IN `+list+` RETURNING id`,
		args...)
	if err != nil {
		return nil, fmt.Errorf("drop %d jobs: %w", len(ids), err)
	}
	return gone, nil
}

// insert adds the row, or finds the one that holds the unique key. The holder
// may end between the two statements, and then the key is free again.
func insert(ctx context.Context, q db.Q, kind, args string, at clock.Time, o Options) (int64, error) {
	var key any
	if o.Unique != "" {
		key = o.Unique
	}
	for range 10 {
		ids, err := db.All[int64](ctx, q, `INSERT INTO jobs (kind, args, unique_key, max_attempts, run_at, created_at,
				unit_key, person_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (unique_key) WHERE state IN ('available', 'running') DO NOTHING RETURNING id`,
			kind, args, key, o.MaxAttempts, at, q.Now(), o.For.Unit, o.For.Person)
		if err == nil && len(ids) == 0 {
			ids, err = db.All[int64](ctx, q,
				`SELECT id FROM jobs WHERE unique_key = $1 AND state IN ('available', 'running')`, key)
		}
		if err != nil {
			return 0, err
		}
		if len(ids) > 0 {
			return ids[0], nil
		}
	}
	return 0, errors.New("jobs with this key come and go too fast")
}
