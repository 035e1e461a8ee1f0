package similarity

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Prune removes some fingerprints that are too old and tells how many. What was found by them
// stays. It is for the job that cleans up.
func (s *Service) Prune(ctx context.Context, q db.Q) (int64, error) {
	if s.Days == 0 {
		return 0, nil
	}
	return db.Exec(ctx, q, `DELETE FROM similarity_prints WHERE submission_id IN (SELECT submission_id
		FROM similarity_prints WHERE at < $1 ORDER BY at LIMIT 500) AND at < $1`, s.expired(q))
}

// expired is the moment before which fingerprints are too old.
func (s *Service) expired(q db.Q) clock.Time {
	if s.Days == 0 {
		return clock.At(time.Unix(0, 0))
	}
	return clock.At(q.Now().Add(-time.Duration(s.Days) * 24 * time.Hour))
}
