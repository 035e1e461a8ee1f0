package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// AddStream gives a unit a stream, for whoever holds policy.EditTutorials. Once a unit has
// streams each of its task definitions belongs to one, so the first takes them all over. It
// refuses an activity type that there is not.
func (s *Service) AddStream(ctx context.Context, unitID int64, activityAbbr string) (*enrol.Stream, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Stream, error) { return addStream(ctx, q, unitID, activityAbbr) })
}

// addStream is AddStream in a transaction.
func addStream(ctx context.Context, q db.Q, unitID int64, activityAbbr string) (*enrol.Stream, error) {
	s, first, err := enrol.AddStream(ctx, q, unitID, activityAbbr)
	if err != nil || !first {
		return s, err
	}
	return s, takeOver(ctx, q, unitID, s.ID)
}

// takeOver gives all task definitions of a unit to the first stream it has.
func takeOver(ctx context.Context, q db.Q, unitID, streamID int64) error {
	_, err := db.Exec(ctx, q, `UPDATE task_definitions SET tutorial_stream_id = $2 WHERE unit_id = $1`, unitID, streamID)
	return err
}
