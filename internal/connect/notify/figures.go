package notify

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// jobKinds are the kinds of the jobs that each send one email.
var jobKinds = []string{sendArgs{}.Kind(), passwordArgs{}.Kind(), addressArgs{}.Kind()}

// Figures tell how the emails of an installation are doing.
type Figures struct {
	Sent    int64 `db:"sent" json:"sent" doc:"emails that the mail server took within the last 24 hours"`
	Waiting int64 `db:"waiting" json:"waiting" doc:"emails that wait for their turn, or for their next try"`
	Failed  int64 `db:"failed" json:"failed" doc:"emails that were given up"`
}

// FiguresOf tells how the emails are doing.
func FiguresOf(ctx context.Context, q db.Q) (*Figures, error) {
	since := clock.At(q.Now().Add(-24 * time.Hour))
	kinds := db.Literals(jobKinds...)
	own := db.Literals(jobKinds[1:]...) // those that are in no other table
	f, err := db.One[Figures](ctx, q, `SELECT
		(SELECT count(*) FROM mails WHERE sent_at >= $1)
			+ (SELECT count(*) FROM invitations WHERE state = 'sent' AND begun_at >= $1)
			+ (SELECT count(*) FROM jobs WHERE kind IN `+own+` AND state = 'done' AND finished_at >= $1) AS sent,
		(SELECT count(*) FROM jobs WHERE kind IN `+kinds+` AND state IN ('available', 'running'))
			+ (SELECT count(*) FROM invitations WHERE state IN ('waiting', 'sending')) AS waiting,
		(SELECT count(*) FROM jobs WHERE kind IN `+kinds+` AND state = 'dead')
			+ (SELECT count(*) FROM invitations WHERE state IN ('failed', 'unsure')) AS failed`, since)
	if err != nil {
		return nil, fmt.Errorf("sum up the emails: %w", err)
	}
	return f, nil
}
