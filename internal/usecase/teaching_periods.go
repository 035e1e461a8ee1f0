package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// AddPeriod creates a teaching period without breaks, for whoever holds policy.EditCalendar.
// It refuses dates out of order and, with fault.Conflict, a second period of that name in
// the year.
func (s *Service) AddPeriod(ctx context.Context, p course.TeachingPeriod) (*course.TeachingPeriod, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.TeachingPeriod, error) { return course.AddPeriod(ctx, q, p) })
}

// ChangePeriod changes a teaching period, for whoever holds policy.EditCalendar. When its
// days change, units that had exactly its days follow with their task definitions, each as
// many days as the period's start moved; its breaks and all other units stay where they are
// and must still lie inside, or nothing changes and the fault.Conflict says why. A value that is no longer
// what the change says was seen is fault.Conflict, too.
func (s *Service) ChangePeriod(ctx context.Context, id int64, c course.PeriodChange) (*course.TeachingPeriod, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.TeachingPeriod, error) { return changePeriod(ctx, q, id, c) })
}

// DeletePeriod removes a teaching period with its breaks, for whoever holds
// policy.EditCalendar. It refuses with fault.Conflict one that has units.
func (s *Service) DeletePeriod(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.DeletePeriod(ctx, q, id) })
}

// AddBreak adds a break to a teaching period, for whoever holds policy.EditCalendar. It
// refuses one that lies outside the period or takes a week of another break.
func (s *Service) AddBreak(ctx context.Context, periodID int64, b course.Break) (*course.Break, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Break, error) { return course.AddBreak(ctx, q, periodID, b) })
}

// ChangeBreak moves a break of a teaching period or changes its length, for whoever holds
// policy.EditCalendar. It refuses what AddBreak refuses.
func (s *Service) ChangeBreak(ctx context.Context, periodID, id int64, c course.BreakChange) (*course.Break, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Break, error) {
		return course.ChangeBreak(ctx, q, periodID, id, c)
	})
}

// DeleteBreak removes a break of a teaching period, for whoever holds policy.EditCalendar.
func (s *Service) DeleteBreak(ctx context.Context, periodID, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.DeleteBreak(ctx, q, periodID, id) })
}
