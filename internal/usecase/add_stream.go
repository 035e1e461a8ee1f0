package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// AddStream gives a unit a stream. Once a unit has streams each of its task
// definitions belongs to one, so the first takes them all over.
func AddStream(ctx context.Context, q db.Q, unitID int64, activityAbbr string) (*enrol.Stream, error) {
	s, first, err := enrol.AddStream(ctx, q, unitID, activityAbbr)
	if err != nil || !first {
		return s, err
	}
	_, err = db.Exec(ctx, q, `UPDATE task_definitions SET tutorial_stream_id = $2 WHERE unit_id = $1`, unitID, s.ID)
	return s, err
}
