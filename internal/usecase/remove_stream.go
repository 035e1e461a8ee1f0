package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// RemoveStream takes a stream out of a unit, with its tutorials, for whoever holds
// policy.EditTutorials. Its task definitions go to the other stream of two, or to none with
// the last; among more it would be a guess, so fault.Conflict while it has any. It refuses
// one whose tutorials groups or enrolled students use.
func (s *Service) RemoveStream(ctx context.Context, unitID int64, abbreviation string) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return removeStream(ctx, q, unitID, abbreviation) })
}

// removeStream is RemoveStream in a transaction.
func removeStream(ctx context.Context, q db.Q, unitID int64, abbreviation string) error {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return err
	}
	streams, err := enrol.StreamsOf(ctx, q, unitID)
	if err != nil {
		return err
	}
	gone, heir := apart(streams, abbreviation)
	if gone == nil {
		return fault.New(fault.Missing, "There is no such tutorial stream.")
	}
	if len(streams) > 2 {
		if err := refuseDefinitions(ctx, q, gone); err != nil {
			return err
		}
	}
	_, err = db.Exec(ctx, q, `UPDATE task_definitions SET tutorial_stream_id = $2 WHERE tutorial_stream_id = $1`,
		gone.ID, heir)
	if err != nil {
		return err
	}
	return enrol.DeleteStream(ctx, q, gone.ID)
}

// apart finds the stream that goes and, where just one other is left, its heir.
func apart(streams []enrol.Stream, abbreviation string) (gone *enrol.Stream, heir *int64) {
	for i := range streams {
		if streams[i].Abbreviation == abbreviation {
			gone = &streams[i]
		} else if len(streams) == 2 {
			heir = &streams[i].ID
		}
	}
	return gone, heir
}

func refuseDefinitions(ctx context.Context, q db.Q, s *enrol.Stream) error {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM task_definitions WHERE tutorial_stream_id = $1`, s.ID)
	if err == nil && *n > 0 {
		return fault.New(fault.Conflict, "Task definitions use %s (%d of them). Choose another stream for them "+
			"first.", s.Name, *n)
	}
	return err
}
