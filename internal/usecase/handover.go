package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/handover"
)

// HandOver hands the queue of somebody on the staff of a unit to colleagues for a time, for whoever
// holds policy.HandOver there. It refuses days out of order or past, colleagues who are not on the
// staff, and with fault.Conflict a queue that is handed over on these days already.
func (s *Service) HandOver(ctx context.Context, _ *access.Caller, n handover.New) (*handover.Handover, error) {
	return change(ctx, s.DB, func(q db.Q) (*handover.Handover, error) { return handover.Add(ctx, q, n) })
}

// EndHandover ends a handover of a unit early, for whoever holds policy.HandOver there. What is over
// already is fault.Missing.
func (s *Service) EndHandover(ctx context.Context, _ *access.Caller, unitID, id int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return handover.End(ctx, q, unitID, id) })
}
