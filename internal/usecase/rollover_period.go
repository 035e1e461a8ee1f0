package usecase

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// PeriodRollover says which units of a teaching period are taught again.
type PeriodRollover struct {
	FromID, ToID  int64
	Inactive      bool // inactive units, too
	SearchForward bool // take the newest unit of each code from the periods in between
	CallerID      int64
	Only          []int64 // of those units these alone; nil: all of them
}

// RolloverPeriod copies the units of a teaching period into a later one, for whoever holds
// policy.RolloverPeriod: all of them, or none where one cannot be copied. Codes the later
// period has already are passed over, so that it may be done again. It refuses a period that
// does not start after the old one, and with fault.Conflict one that has begun, or a unit of Only
// that is not among those to be copied.
func (s *Service) RolloverPeriod(ctx context.Context, r PeriodRollover) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		_, err := rolloverPeriod(ctx, q, r)
		return err
	})
}

// rolloverPeriod is RolloverPeriod in a transaction, and gives what was copied.
func rolloverPeriod(ctx context.Context, q db.Q, r PeriodRollover) (*copying, error) {
	from, err := course.PeriodByID(ctx, q, r.FromID)
	if err != nil {
		return nil, err
	}
	c, err := newCopying(ctx, q, r.ToID, r.CallerID)
	if err != nil {
		return nil, err
	}
	first, _ := c.period.Days()
	if old, _ := from.Days(); !first.After(old) {
		return nil, fault.Field(fault.Refused, "new_teaching_period_id", "must be a period that starts after %s, when the "+
			"one you roll over starts", old.Told())
	}
	if first.Before(clock.Day(q.Now().Time)) {
		return nil, fault.New(fault.Conflict, "The teaching period %s %d has already started. Choose one that starts "+
			"later.", c.period.Period, c.period.Year)
	}
	ids, err := r.units(ctx, q, from, c.period)
	if err != nil {
		return nil, err
	}
	return c, c.copy(ctx, q, ids)
}

// units chooses what is copied.
func (r PeriodRollover) units(ctx context.Context, q db.Q, from, to *course.TeachingPeriod) ([]int64, error) {
	list, err := db.All[original](ctx, q, `SELECT u.id, u.code, u.portfolio_auto_generation_date FROM units u
		WHERE u.teaching_period_id = $1 AND (u.active OR CAST($2 AS BOOLEAN))
			AND NOT EXISTS (SELECT 1 FROM units t WHERE t.teaching_period_id = $3 AND t.code = u.code)
		ORDER BY u.code`, r.FromID, r.Inactive, r.ToID)
	if err != nil {
		return nil, err
	}
	newer := map[string]int64{}
	if r.SearchForward {
		for u, err := range db.Each[original](ctx, q, `SELECT u.id, u.code, u.portfolio_auto_generation_date FROM units u
			JOIN teaching_periods p ON p.id = u.teaching_period_id
			WHERE p.start_date > $1 AND p.start_date < $2 ORDER BY p.start_date, p.id`, from.EndDate, to.StartDate) {
			if err != nil {
				return nil, err
			}
			newer[u.Code] = u.ID
		}
	}
	ids := make([]int64, len(list))
	for i, u := range list {
		if ids[i] = u.ID; newer[u.Code] != 0 {
			ids[i] = newer[u.Code]
		}
	}
	return r.chosen(ids)
}

// chosen leaves the units that are asked for.
func (r PeriodRollover) chosen(ids []int64) ([]int64, error) {
	if r.Only == nil {
		return ids, nil
	}
	for _, id := range r.Only {
		if !slices.Contains(ids, id) {
			return nil, fault.New(fault.Conflict, "The unit %d is not among those that can be copied any more: the "+
				"later period may have its code by now. Look at the plan again.", id)
		}
	}
	return slices.DeleteFunc(ids, func(id int64) bool { return !slices.Contains(r.Only, id) }), nil
}
