package usecase

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// PeriodPlan is what a change of a teaching period would make of it and of its units.
type PeriodPlan struct {
	Period course.TeachingPeriod `json:"teaching_period" doc:"as it would be"`
	Units  []PeriodMove          `json:"units" doc:"all units of the period, with their dates before and after, by code"`
}

// PeriodMove is a unit of a teaching period whose dates change, with those before and after.
type PeriodMove struct {
	ID        int64      `db:"id" json:"id"`
	Code      string     `db:"code" json:"code"`
	Name      string     `db:"name" json:"name"`
	FromStart clock.Date `db:"-" json:"from_start_date" doc:"as it is"`
	FromEnd   clock.Date `db:"-" json:"from_end_date" doc:"as it is"`
	StartDate clock.Date `db:"start_date" json:"start_date" doc:"as it would be"`
	EndDate   clock.Date `db:"end_date" json:"end_date" doc:"as it would be"`
	Tasks     int64      `db:"tasks" json:"tasks" doc:"task definitions whose dates move along"`
}

// Stays tells whether the unit keeps its dates.
func (m PeriodMove) Stays() bool { return m.FromStart == m.StartDate && m.FromEnd == m.EndDate }

// PlanPeriod tells what ChangePeriod would make of a teaching period and of its units, and changes nothing:
// it is the same up to the commit.
func (s *Service) PlanPeriod(ctx context.Context, id int64, c course.PeriodChange) (*PeriodPlan, error) {
	return planned(ctx, s.DB, func(q db.Q) (*PeriodPlan, error) {
		before, err := placedUnits(ctx, q, id)
		if err != nil {
			return nil, err
		}
		p, err := changePeriod(ctx, q, id, c)
		if err != nil {
			return nil, err
		}
		after, err := placedUnits(ctx, q, id)
		if err != nil {
			return nil, err
		}
		for i := range after {
			m := &after[i]
			m.FromStart, m.FromEnd = before[i].StartDate, before[i].EndDate
			if m.FromStart == m.StartDate {
				m.Tasks = 0 // they move by as much as the start does
			}
		}
		return &PeriodPlan{*p, after}, nil
	})
}

// placedUnits are the units of a period with their dates.
func placedUnits(ctx context.Context, q db.Q, periodID int64) ([]PeriodMove, error) {
	return db.All[PeriodMove](ctx, q, `SELECT u.id, u.code, u.name, u.start_date, u.end_date,
			(SELECT count(*) FROM task_definitions d WHERE d.unit_id = u.id) AS tasks
		FROM units u WHERE u.teaching_period_id = $1 ORDER BY u.code, u.id`, periodID)
}
