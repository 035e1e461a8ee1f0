package jobs

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
)

// Reason is why some jobs are dead.
type Reason struct {
	Error string `db:"error" json:"error" doc:"what the last try said; empty where it said nothing"`
	Jobs  int64  `db:"jobs" json:"jobs" doc:"how many jobs say so"`
}

// mostReasons bounds how many reasons are told apart.
const mostReasons = 10

// Reasons tells why the chosen jobs are dead, the most frequent reason first, ten at most.
func Reasons(ctx context.Context, q db.Q, f Filter) ([]Reason, error) {
	f.State, f.Attention = Dead, false
	where, args := f.where([]any{mostReasons})
	list, err := db.All[Reason](ctx, q, `SELECT coalesce(error, '') AS error, count(*) AS jobs FROM jobs WHERE `+where+`
		GROUP BY coalesce(error, '') ORDER BY jobs DESC, error LIMIT $1`, args...)
	if err != nil {
		return nil, fmt.Errorf("read why jobs are dead: %w", err)
	}
	return append([]Reason{}, list...), nil
}

// RetryAtOnce bounds how many jobs RetrySome takes, so that its transaction is short.
const RetryAtOnce = 500

// RetrySome gives dead jobs of a kind, and of a unit where one is named, another ten tries each, the
// oldest first, and tells how many: call it again, in a new transaction, until that is 0. Of several for
// the same purpose it takes the newest, and none while one is under way.
func RetrySome(ctx context.Context, q db.Q, kind string, unit int64) (int64, error) {
	f := Filter{State: Dead, Kind: kind, Unit: unit}
	where, args := f.where([]any{q.Now(), defaultAttempts, RetryAtOnce})
	n, err := db.Exec(ctx, q, `UPDATE jobs SET state = 'available', run_at = $1, finished_at = NULL,
			max_attempts = attempt + $2, suspicion = 0
		WHERE id IN (SELECT id FROM (SELECT id, unique_key,
				row_number() OVER (PARTITION BY coalesce(unique_key, 'job ' || id) ORDER BY id DESC) AS place
			FROM jobs WHERE `+where+`) AS d
			WHERE place = 1 AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.unique_key = d.unique_key
				AND o.state IN ('available', 'running'))
			ORDER BY id LIMIT $3)`, args...)
	if err != nil {
		return 0, fmt.Errorf("retry jobs of kind %s: %w", kind, err)
	}
	if n > 0 {
		q.Wake(topic)
	}
	return n, nil
}

// HastenKind lets the jobs of a kind run now that wait for another try, and tells how many those are.
func HastenKind(ctx context.Context, q db.Q, kind string) (int64, error) {
	n, err := db.Exec(ctx, q, `UPDATE jobs SET run_at = $1 WHERE state = 'available' AND kind = $2 AND run_at > $1`,
		q.Now(), kind)
	if err != nil {
		return 0, fmt.Errorf("hasten jobs of kind %s: %w", kind, err)
	}
	if n > 0 {
		q.Wake(topic)
	}
	return n, nil
}
