package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
)

// OutsideReport gives the address at which the caller can look at a report of the
// outside similarity service, by the id of the submission there. Where none is
// configured it fails with fault.Unavailable.
func (s *Service) OutsideReport(ctx context.Context, who *access.Caller, outsideID string) (string, error) {
	if s.Report != nil {
		return s.Report(ctx, who, outsideID)
	}
	return s.Outside.ViewerURL(ctx, who.ID, outsideID)
}

// FlagSimilarity decides whether a similarity of a task's work is to be looked at, for whoever
// holds policy.FlagSimilarity on the task. It holds for all members of a group until they hand
// in other work; the other side of the pair has a decision of its own.
func (s *Service) FlagSimilarity(ctx context.Context, who *access.Caller, taskID, id int64,
	flagged bool) (*similarity.Record, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*similarity.Record, error) {
		return similarity.Decide(ctx, q, who, taskID, id, flagged)
	})
}

// DecideCases decides on cases of similar work of a unit, with a reason, for whoever holds policy.DecideCases in
// it. It holds for all whose work it is in the unit until they hand in other work. What a colleague decided on
// since the caller looked is fault.Conflict, and a case they may not see fault.Missing; nothing is changed then.
func (s *Service) DecideCases(ctx context.Context, who *access.Caller, unitID int64,
	v similarity.Verdict) ([]similarity.Case, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) ([]similarity.Case, error) {
		return similarity.DecideCases(ctx, q, who, unitID, v)
	})
}
