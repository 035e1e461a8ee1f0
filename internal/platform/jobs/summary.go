package jobs

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// stuckAfter is how long a job may be due before it should have been begun.
const stuckAfter = 10 * time.Minute

// Summary tells how all jobs are doing.
type Summary struct {
	Waiting int64 `db:"waiting" json:"waiting" doc:"jobs that are due, or will be"`
	Running int64 `db:"running" json:"running" doc:"jobs that a worker has"`
	Stuck   int64 `db:"stuck" json:"stuck" doc:"jobs that were due ten minutes ago and have not begun, or whose worker is gone"`
	Dead    int64 `db:"dead" json:"dead" doc:"jobs that failed for good"`
	// Oldest is since when the job that is due for longest waits.
	Oldest *clock.Time `db:"oldest_due" json:"oldest_due_at" doc:"since when the job waits that is due for longest; null: none is"`
}

// SummaryOf tells how all jobs are doing.
func SummaryOf(ctx context.Context, q db.Q) (*Summary, error) {
	s, err := db.One[Summary](ctx, q, `SELECT
		(SELECT count(*) FROM jobs WHERE state = 'available') AS waiting,
		(SELECT count(*) FROM jobs WHERE state = 'running') AS running,
		(SELECT count(*) FROM jobs WHERE state = 'dead') AS dead,
		(SELECT count(*) FROM jobs WHERE state = 'available' AND run_at < $2)
			+ (SELECT count(*) FROM jobs WHERE state = 'running' AND lease_until < $2) AS stuck,
		(SELECT run_at FROM jobs WHERE state = 'available' AND run_at <= $1 ORDER BY run_at LIMIT 1) AS oldest_due`,
		q.Now(), late(q))
	if err != nil {
		return nil, fmt.Errorf("sum up the jobs: %w", err)
	}
	return s, nil
}
