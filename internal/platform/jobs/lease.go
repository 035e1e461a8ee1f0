package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// keepLeases keeps the leases of this instance alive, frees those that others let
// lapse, and now and then cleans up.
func (qu *Queue) keepLeases(ctx context.Context) {
	beat := time.NewTicker(qu.conf.Lease / 3)
	defer beat.Stop()
	chores := time.NewTicker(time.Minute)
	defer chores.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			err = qu.renew(ctx)
		case <-chores.C:
			err = qu.tidy(ctx)
		}
		if err != nil && ctx.Err() == nil {
			qu.log.ErrorContext(ctx, "cannot look after the jobs; will try again", "err", err)
		}
	}
}

// renew beats for the jobs at hand, and only then looks for lapsed leases: a
// process that was held up renews its own before it takes any.
func (qu *Queue) renew(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, qu.conf.Lease)
	defer stop()
	if err := qu.beat(ctx); err != nil {
		return fmt.Errorf("renew leases: %w", err)
	}
	if err := qu.rescue(ctx); err != nil {
		return fmt.Errorf("take over lapsed leases: %w", err)
	}
	return nil
}

// beat prolongs the leases of the jobs at hand and cancels the jobs whose lease
// is lost, or cannot be known to be held. Those that outstay their context lapse.
func (qu *Queue) beat(ctx context.Context) error {
	held := slices.DeleteFunc(qu.held(), (*run).stubborn)
	if len(held) == 0 {
		return nil
	}
	var until clock.Time
	var ours map[try]bool
	err := qu.db.Brief(ctx, func(q db.Q) (err error) {
		until = clock.At(q.Now().Add(qu.conf.Lease))
		ours, err = prolong(ctx, q, qu.name, until, held)
		return err
	})
	for _, r := range held {
		switch {
		case err == nil && ours[try{r.ID, r.Attempt}]:
			r.until = until.Time
		case err == nil || qu.now().After(r.until):
			r.cancel(ErrLost)
		}
	}
	return err
}

// try tells one run of a job from its others.
type try struct {
	ID      int64 `db:"id"`
	Attempt int   `db:"attempt"`
}

// prolong extends the leases of held and tells which are ours. A row that is
// locked belongs to a transaction that is about to mark the job done: waiting
// for it would hold up the other leases.
func prolong(ctx context.Context, q db.Q, worker string, until clock.Time, held []*run) (map[try]bool, error) {
	list, args := db.In([]any{until, worker}, ids(held))
	_, err := db.Exec(ctx, q, `UPDATE jobs SET lease_until = $1 WHERE id IN (SELECT id FROM jobs
		WHERE worker = $2 AND state = 'running' AND id IN `+list+` `+passing(q)+`)`, args...)
	if err != nil {
		return nil, err
	}
	list, args = db.In([]any{worker}, ids(held))
	tries, err := db.All[try](ctx, q, `SELECT id, attempt FROM jobs
		WHERE worker = $1 AND state IN ('running', 'done') AND id IN `+list, args...)
	ours := map[try]bool{}
	for _, t := range tries {
		ours[t] = true
	}
	return ours, err
}

func ids(held []*run) []int64 {
	list := make([]int64, len(held))
	for i, r := range held {
		list[i] = r.ID
	}
	return list
}

// rescueAtOnce bounds the transaction of one rescue.
const rescueAtOnce = 500

type rescued struct {
	ID    int64  `db:"id"`
	Kind  string `db:"kind"`
	State State  `db:"state"`
}

// breakOff ends a try that did not end in order, at the moment $1 and with the words $2.
// It counts, and makes the job a suspect.
const breakOff = `UPDATE jobs SET run_at = $1, lease_until = NULL, error = $2,
	suspicion = CASE WHEN suspicion = 0 THEN 1 ELSE suspicion END,
	state = CASE WHEN attempt < max_attempts THEN 'available' ELSE 'dead' END,
	finished_at = CASE WHEN attempt < max_attempts THEN finished_at ELSE $1 END`

// rescue makes jobs whose worker fell silent available to others. The try
// counts, so that a job that kills its process ends up dead.
func (qu *Queue) rescue(ctx context.Context) error {
	some, err := db.All[int64](ctx, qu.db.Pool(),
		`SELECT id FROM jobs WHERE state = 'running' AND lease_until < $1 LIMIT 1`, qu.now())
	if err != nil || len(some) == 0 {
		return err
	}
	var jobs []rescued
	err = qu.db.Brief(ctx, func(q db.Q) error {
		jobs, err = db.All[rescued](ctx, q, `WITH lapsed AS MATERIALIZED (
				SELECT id FROM jobs WHERE state = 'running' AND lease_until < $1
				ORDER BY lease_until LIMIT $3 `+passing(q)+`)
			`+breakOff+` WHERE id IN (SELECT id FROM lapsed) RETURNING id, kind, state`,
			q.Now(), "the worker stopped in the midst of the job", rescueAtOnce)
		return err
	})
	for _, j := range jobs {
		qu.log.WarnContext(ctx, "the worker of a job fell silent", "job", j.ID, "kind", j.Kind, "now", j.State)
	}
	qu.Wake()
	return err
}

// release gives jobs back that are still running here. Their workers can no
// longer finish them.
func (qu *Queue) release(ctx context.Context, left []*run) error {
	return qu.db.Brief(ctx, func(q db.Q) error {
		list, args := db.In([]any{q.Now(), "the job did not stop when it was told to", qu.name}, ids(left))
		_, err := db.Exec(ctx, q, breakOff+` WHERE worker = $3 AND state = 'running' AND id IN `+list, args...)
		return err
	})
}
