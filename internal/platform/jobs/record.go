package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Record is a job as administrators see it.
type Record struct {
	ID          int64           `db:"id" json:"id"`
	Kind        string          `db:"kind" json:"kind"`
	Args        json.RawMessage `json:"args"`
	State       State           `db:"state" json:"state"`
	Attempt     int             `db:"attempt" json:"attempt"`
	MaxAttempts int             `db:"max_attempts" json:"max_attempts"`
	RunAt       clock.Time      `db:"run_at" json:"run_at"`
	Error       *string         `db:"error" json:"error"` // of the last try that failed
	CreatedAt   clock.Time      `db:"created_at" json:"created_at"`
	FinishedAt  *clock.Time     `db:"finished_at" json:"finished_at"`
	UnitID      int64           `db:"unit_key" json:"unit_id" doc:"the unit whose job it is; 0 where it is none's"`
	PersonID    int64           `db:"person_key" json:"user_id" doc:"whose job it is; 0 where it is nobody's"`
	// Stuck: it was due long ago and has not begun, or its worker is gone.
	Stuck bool `db:"stuck" json:"stuck" doc:"it was due ten minutes ago and has not begun, or its worker is gone"`
}

// Retry gives a dead job another ten tries. It is fault.Conflict when the job is
// not dead, or another with its unique key is under way. The attempts count on,
// since settle relies on that.
func Retry(ctx context.Context, q db.Q, id int64) error {
	n, err := db.Exec(ctx, q, `UPDATE jobs SET state = 'available', run_at = $1, finished_at = NULL,
		max_attempts = attempt + $2, suspicion = 0 WHERE id = $3 AND state = 'dead'`, q.Now(), defaultAttempts, id)
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another job for the same purpose is already running.")
	}
	if err != nil {
		return err
	}
	if n > 0 {
		q.Wake(topic)
		return nil
	}
	state, err := db.OneOf[State](ctx, q, "job", `SELECT state FROM jobs WHERE id = $1`, id)
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "Job %d is %s. Only a dead job can be retried.", id, *state)
}

// tidy removes old done jobs and reports kinds that nobody here works.
func (qu *Queue) tidy(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := qu.prune(ctx); err != nil {
		return fmt.Errorf("remove old jobs: %w", err)
	}
	return qu.reportUnknown(ctx)
}

// pruneAtOnce keeps the transactions that delete short.
const pruneAtOnce = 1000

// prune deletes jobs done longer than Keep ago. Dead ones stay until someone
// has seen to them.
func (qu *Queue) prune(ctx context.Context) error {
	old := clock.At(qu.now().Add(-qu.conf.Keep))
	for {
		some, err := db.All[int64](ctx, qu.db.Pool(), `SELECT id FROM jobs WHERE state = 'done'
			AND finished_at < $1 LIMIT 1`, old)
		if err != nil || len(some) == 0 {
			return err
		}
		err = qu.db.Tx(ctx, func(q db.Q) error {
			_, err := db.Exec(ctx, q, `DELETE FROM jobs WHERE id IN
				(SELECT id FROM jobs WHERE state = 'done' AND finished_at < $1 ORDER BY finished_at LIMIT $2)`, old,
				pruneAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// overdue is how long a job waits before its kind is called unknown: an
// instance of another version may know it.
const overdue = time.Minute

// reportUnknown warns of waiting jobs that this instance has no worker for.
func (qu *Queue) reportUnknown(ctx context.Context) error {
	type waiting struct {
		Kind string `db:"kind"`
		N    int64  `db:"n"`
	}
	known := make([]string, 0, len(qu.kinds))
	for _, here := range append(slices.Clone(qu.beside), qu) {
		known = slices.AppendSeq(known, maps.Keys(here.kinds))
	}
	list, args := db.In([]any{clock.At(qu.now().Add(-overdue))}, append(known, ""))
	kinds, err := db.All[waiting](ctx, qu.db.Pool(), `SELECT kind, count(*) AS n FROM jobs
		WHERE state = 'available' AND run_at < $1 AND kind NOT IN `+list+` GROUP BY kind ORDER BY kind`, args...)
	for _, k := range kinds {
		qu.log.WarnContext(ctx, "jobs wait for a worker that this instance does not have", "kind", k.Kind, "jobs", k.N)
	}
	return err
}
