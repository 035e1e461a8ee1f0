package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
)

// AddOutcome puts a learning outcome behind the others of a unit, for whoever holds
// policy.EditOutcomes. Without an abbreviation it gets a free one; fault.Conflict where the
// one given is taken.
func (s *Service) AddOutcome(ctx context.Context, unitID int64, o course.Outcome) (*course.Outcome, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Outcome, error) {
		return course.AddOutcome(ctx, q, unitID, o)
	})
}

// ChangeOutcome changes a learning outcome of a unit, for whoever holds policy.EditOutcomes.
// A new number moves it there and those between by one. It refuses an abbreviation that is
// taken, a number that is not in use, and values that are no longer what was seen.
func (s *Service) ChangeOutcome(ctx context.Context, unitID, id int64, c course.OutcomeChange) (*course.Outcome,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Outcome, error) {
		return course.ChangeOutcome(ctx, q, unitID, id, c)
	})
}

// DeleteOutcome removes a learning outcome of a unit with its alignments, for whoever holds
// policy.EditOutcomes.
func (s *Service) DeleteOutcome(ctx context.Context, unitID, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.DeleteOutcome(ctx, q, unitID, id) })
}

// AddAlignment aligns a task with an outcome: for the unit, for whoever holds
// policy.EditAlignments, or for the student whose project is given, for whoever holds
// policy.AlignProject. It refuses a task or an outcome of another unit, and with
// fault.Conflict what is aligned already.
func (s *Service) AddAlignment(ctx context.Context, unitID, projectID int64, a taskdef.Alignment) (*taskdef.Alignment,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*taskdef.Alignment, error) {
		return taskdef.AddAlignment(ctx, q, unitID, projectID, a)
	})
}

// ChangeAlignment sets the description and the rating of an alignment, for whoever may add
// it; nil leaves one alone. It refuses a rating that is not from 1 to 5, and what is no longer as it was
// seen.
func (s *Service) ChangeAlignment(ctx context.Context, id int64, c taskdef.Cell) (*taskdef.Alignment, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*taskdef.Alignment, error) {
		return taskdef.ChangeAlignment(ctx, q, id, c)
	})
}

// DeleteAlignment removes an alignment, for whoever may add it.
func (s *Service) DeleteAlignment(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return taskdef.DeleteAlignment(ctx, q, id) })
}

// SetAlignment says how strongly a task of a unit serves an outcome, whether or not that was said
// before, for whoever holds policy.EditAlignments; a rating of 0 takes it back. It refuses a task or an
// outcome of another unit, and what somebody else changed since it was seen.
func (s *Service) SetAlignment(ctx context.Context, unitID int64, c taskdef.Cell) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return taskdef.SetCell(ctx, q, unitID, c) })
}

// AlignTask aligns a task of a student's project with an outcome as they see it, for whoever
// holds policy.AlignProject on the project, whether or not they aligned the two before; a
// rating of 0 takes that back. It refuses what AddAlignment and ChangeAlignment refuse, but for
// what is aligned already, which it changes.
func (s *Service) AlignTask(ctx context.Context, unitID, projectID int64, a taskdef.Alignment) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return taskdef.Align(ctx, q, unitID, projectID, a) })
}
