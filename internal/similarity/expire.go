package similarity

import (
	"context"
	"time"

	"lectern/internal/clock"
	"lectern/internal/db"
)

// Expiry says how long fingerprints are kept.
type Expiry struct {
	Days int // 0: for ever
}

// Prune removes some fingerprints that are too old and tells how many. What was found
// by them stays.
func (e Expiry) Prune(ctx context.Context, q db.Q) (int64, error) {
	if e.Days == 0 {
		return 0, nil
	}
	return db.Exec(ctx, q, `DELETE FROM similarity_prints WHERE submission_id IN (SELECT submission_id
		FROM similarity_prints WHERE at < $1 ORDER BY at LIMIT 500) AND at < $1`,
		clock.At(q.Now().Add(-time.Duration(e.Days)*24*time.Hour)))
}
