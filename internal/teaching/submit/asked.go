package submit

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/taskdef"
)

// Asked gives what has to be uploaded for a task. It refuses a sender who has
// handed in so many times within an hour with fault.Throttled; most 0 is no bound.
// Uploads that come at the same time may exceed it by their number.
func Asked(ctx context.Context, q db.Q, definitionID, senderID, most int64) (taskdef.Requirements, error) {
	since := clock.At(q.Now().Add(-time.Hour))
	r, err := db.OneOf[struct {
		Requirements taskdef.Requirements `db:"upload_requirements"`
		Full         *clock.Time          `db:"full_at"` // when the oldest of so many was sent
	}](ctx, q, "task definition", `SELECT d.upload_requirements, (SELECT s.at FROM submissions s WHERE s.user_id = $2
			AND s.at > $3 ORDER BY s.at DESC LIMIT 1 OFFSET $4) AS full_at
		FROM task_definitions d WHERE d.id = $1`, definitionID, senderID, since, max(most-1, 0))
	if err != nil {
		return nil, err
	}
	if most == 0 || r.Full == nil {
		return r.Requirements, nil
	}
	wait := max(r.Full.Sub(since.Time), time.Second)
	return nil, &fault.Error{Kind: fault.Throttled, Wait: wait, Text: fmt.Sprintf("You submitted %d times within an "+
		"hour, and every submission is kept. Wait %s before you submit again.", most, bounds.WaitText(wait))}
}
