package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// RequestExtension asks for more weeks for a task, for whoever holds policy.RequestExtension
// on it: its student, or the staff on the student's behalf, whose request is granted at once.
// It refuses a number of weeks nobody can mean, and with fault.Conflict where no week is left
// before the deadline.
func (s *Service) RequestExtension(ctx context.Context, who *access.Caller, at work.TaskRef,
	w work.ExtensionRequest) (*work.Extension, error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Extension, error) {
		return work.RequestExtension(ctx, q, Reader(who), at, w)
	})
}

// AssessExtension grants or rejects a request for more time, for whoever holds
// policy.AssessExtension on the task. It refuses with fault.Conflict one that is decided
// already, and the caller's own or one of their group; one for which no week is left is
// rejected with that reason.
func (s *Service) AssessExtension(ctx context.Context, who *access.Caller, at work.TaskRef, id int64,
	granted bool) (*work.Extension, error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Extension, error) {
		return work.AssessExtension(ctx, q, Reader(who), at, id, granted)
	})
}

// DecideExtensions grants or rejects many requests of a unit in one transaction, for whoever
// holds policy.GiveFeedback there, and tells what became of each. What somebody decided on
// meanwhile, and work the caller has a part in, stays as it is. It refuses no request at all
// and too many.
func (s *Service) DecideExtensions(ctx context.Context, who *access.Caller,
	b work.ExtensionBatch) ([]work.DecidedExtension, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) ([]work.DecidedExtension, error) {
		return work.DecideExtensions(ctx, q, who.ID, b)
	})
}

// GrantExtensions gives students of a unit an extension of one task without a request, in one
// transaction, for whoever holds policy.GrantExtensions there, and tells what became of each. It
// refuses no student and too many, no reason, and a number of weeks nobody can mean; work the caller
// has a part in and what no week is left for stays as it is.
func (s *Service) GrantExtensions(ctx context.Context, who *access.Caller,
	g work.ExtensionGrant) ([]work.GivenExtension, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) ([]work.GivenExtension, error) {
		return work.GrantExtensions(ctx, q, who.ID, g)
	})
}
