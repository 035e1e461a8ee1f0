package jobs

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// A job of a fair kind whose moment has come is given a turn, a number among the
// jobs of its unit: one more than the turn of the job its unit began last, and
// than that of the last job which the same person has in line there. So each
// person's first jobs come before anybody's second, in every round anew. Units
// stand in job_units in the order in which they were served.
//
// Enqueueing knows nothing of this: writers do not wait for each other. Turns are
// given and taken by the queues alone, one at a time for each kind.

// lineAtOnce bounds the transaction that gives turns.
const lineAtOnce = 500

// lineUp gives turns to the jobs of fair kinds whose moment has come, also while
// no worker is free: who comes first is known then, and can be told.
func (qu *Queue) lineUp(ctx context.Context) error {
	for name, k := range qu.kinds {
		for more := k.Fair; more; {
			n, err := qu.lineUpSome(ctx, name)
			if err != nil {
				return fmt.Errorf("give turns to jobs of kind %s: %w", name, err)
			}
			more = n == lineAtOnce
		}
	}
	return nil
}

func (qu *Queue) lineUpSome(ctx context.Context, kind string) (n int, err error) {
	some, err := db.All[int64](ctx, qu.db.Pool(), `SELECT id FROM jobs WHERE state = 'available' AND turn IS NULL
		AND kind = $1 AND run_at <= $2 LIMIT 1`, kind, qu.now())
	if err != nil || len(some) == 0 {
		return 0, err
	}
	err = qu.db.Brief(ctx, func(q db.Q) error {
		n, err = giveTurns(ctx, q, kind)
		return err
	})
	return n, err
}

// hold makes the queues give and take turns of a kind one after the other. One
// that falls silent meanwhile loses its connection, and with it the hold.
func hold(ctx context.Context, q db.Q, kind string) error {
	if !q.Postgres() {
		return nil
	}
	if _, err := db.Exec(ctx, q, `SET LOCAL idle_in_transaction_session_timeout = '15s'`); err != nil {
		return err
	}
	return db.LockName(ctx, q, "turns of "+kind)
}

// giveTurns lets the oldest jobs without a turn stand in line, and tells how many.
func giveTurns(ctx context.Context, q db.Q, kind string) (int, error) {
	if err := hold(ctx, q, kind); err != nil {
		return 0, err
	}
	units, err := db.All[int64](ctx, q, `WITH due AS MATERIALIZED (
			SELECT id, unit_key, person_key, run_at FROM jobs
			WHERE state = 'available' AND turn IS NULL AND kind = $1 AND run_at <= $2
			ORDER BY run_at, id LIMIT $3 `+passing(q)+`),
		placed AS MATERIALIZED (
			SELECT id, row_number() OVER (PARTITION BY unit_key, person_key ORDER BY run_at, id) + (
				SELECT coalesce(max(turn), 0) FROM (
					SELECT turn FROM job_units WHERE kind = $1 AND unit_key = due.unit_key
					UNION ALL
					SELECT max(turn) FROM jobs WHERE state = 'available' AND turn IS NOT NULL AND kind = $1
						AND unit_key = due.unit_key AND person_key = due.person_key) AS before) AS turn
			FROM due)
		UPDATE jobs SET turn = placed.turn FROM placed WHERE jobs.id = placed.id RETURNING unit_key`,
		kind, q.Now(), lineAtOnce)
	if err != nil {
		return 0, err
	}
	return len(units), joinUnits(ctx, q, kind, units)
}

// joinUnits adds units that had no job in line, behind all others.
func joinUnits(ctx context.Context, q db.Q, kind string, units []int64) error {
	last, err := db.One[int64](ctx, q, `SELECT coalesce(max(served), 0) FROM job_units WHERE kind = $1`, kind)
	if err != nil {
		return err
	}
	var rows [][]any
	seen := map[int64]bool{}
	for _, u := range units {
		if !seen[u] {
			seen[u] = true
			rows = append(rows, []any{kind, u, *last + int64(len(seen)), 0})
		}
	}
	return db.Insert(ctx, q, `job_units (kind, unit_key, served, turn)`, "ON CONFLICT DO NOTHING", rows)
}

type unit struct {
	Key    int64 `db:"unit_key"`
	kind   string
	worker string
	until  clock.Time
}

// takeFair claims the job of a fair kind whose turn it is: of the unit that has
// waited longest, the job with the smallest turn. Units whose jobs were dropped
// are removed on the way. The statements are so plain that no engine can take
// another way than along the indexes, whatever it knows of the tables.
func takeFair(ctx context.Context, q db.Q, worker string, until clock.Time, kind string) ([]claimed, error) {
	if err := hold(ctx, q, kind); err != nil {
		return nil, err
	}
	for {
		units, err := db.All[unit](ctx, q, `SELECT unit_key FROM job_units WHERE kind = $1
			ORDER BY served, unit_key LIMIT 1`, kind)
		if err != nil || len(units) == 0 {
			return nil, err
		}
		u := unit{units[0].Key, kind, worker, until}
		jobs, err := u.takeFirst(ctx, q)
		if err != nil || len(jobs) > 0 {
			return jobs, err
		}
		if gone, err := u.leave(ctx, q); err != nil || !gone {
			return nil, err // its jobs are being dropped at this moment
		}
	}
}

// takeFirst claims the unit's first job in line, if there is one, and puts the
// unit behind all others.
func (u *unit) takeFirst(ctx context.Context, q db.Q) ([]claimed, error) {
	type place struct {
		ID   int64 `db:"id"`
		Turn int64 `db:"turn"`
	}
	first, err := db.All[place](ctx, q, `SELECT id, turn FROM jobs WHERE state = 'available' AND turn IS NOT NULL
		AND kind = $1 AND unit_key = $2 ORDER BY turn, id LIMIT 1 `+passing(q), u.kind, u.Key)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	jobs, err := db.All[claimed](ctx, q, `UPDATE jobs SET state = 'running', attempt = attempt + 1, worker = $1,
			lease_until = $2, turn = NULL, started_at = coalesce(started_at, $3)
		WHERE id = $4 RETURNING id, kind, args, attempt, max_attempts, run_at, suspicion`, u.worker, u.until,
		q.Now(), first[0].ID)
	if err != nil {
		return nil, err
	}
	if gone, err := u.leave(ctx, q); err != nil || gone {
		return jobs, err
	}
	_, err = db.Exec(ctx, q, `UPDATE job_units SET turn = $3, served = (SELECT max(served) + 1 FROM job_units
		WHERE kind = $1) WHERE kind = $1 AND unit_key = $2`, u.kind, u.Key, first[0].Turn)
	return jobs, err
}

// leave removes a unit that has no job in line, and tells whether it had none.
func (u *unit) leave(ctx context.Context, q db.Q) (bool, error) {
	n, err := db.Exec(ctx, q, `DELETE FROM job_units WHERE kind = $1 AND unit_key = $2 AND NOT EXISTS (
		SELECT 1 FROM jobs WHERE state = 'available' AND turn IS NOT NULL AND kind = $1 AND unit_key = $2)`, u.kind,
		u.Key)
	return n > 0, err
}
