package usecase

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/week"
)

// changePeriod is Service.ChangePeriod in a transaction.
func changePeriod(ctx context.Context, q db.Q, id int64, c course.PeriodChange) (*course.TeachingPeriod, error) {
	old, err := course.LockPeriod(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if err := c.Clashes(old); err != nil {
		return nil, err
	}
	merged := c.Merge(*old)
	saved, err := course.SavePeriod(ctx, q, &merged)
	if err != nil {
		return nil, err
	}
	m := move{from: daysOf(old), to: daysOf(saved)}
	if m.from == m.to {
		return saved, nil
	}
	return saved, m.run(ctx, q, id)
}

// span is a run of days, the last included.
type span struct{ start, end clock.Date }

func daysOf(p *course.TeachingPeriod) span {
	start, end := p.Days()
	return span{start, end}
}

func (s span) holds(o span) bool { return !o.start.Before(s.start) && !o.end.After(s.end) }

// move is a change of a period's days.
type move struct{ from, to span }

// days is how far what follows moves.
func (m move) days() int { return m.to.start.DaysSince(m.from.start) }

// run checks what stays and moves what follows. It takes five statements,
// however many units there are.
func (m move) run(ctx context.Context, q db.Q, periodID int64) error {
	breaks, err := course.Breaks(ctx, q, periodID)
	if err != nil {
		return err
	}
	if err := week.Check(m.to.start, m.to.end, course.Weeks(breaks)); err != nil {
		return fault.New(fault.Conflict, "The dates cannot change, because %s. Change or delete that break first.", err)
	}
	units, err := db.All[placed](ctx, q, `SELECT code, start_date, end_date, portfolio_auto_generation_date
		FROM units WHERE teaching_period_id = $1 ORDER BY code`, periodID)
	if err != nil {
		return err
	}
	if err := m.check(units); err != nil {
		return err
	}
	return m.units(ctx, q, periodID)
}

// placed is a unit as far as its days go.
type placed struct {
	Code      string      `db:"code"`
	Start     clock.Date  `db:"start_date"`
	End       clock.Date  `db:"end_date"`
	Portfolio *clock.Date `db:"portfolio_auto_generation_date"`
}

// check refuses a move that would leave a unit outside the period, or the day
// of a unit's portfolios outside the unit.
func (m move) check(units []placed) error {
	var outside, portfolio []string
	for _, u := range units {
		at := span{u.Start, u.End}
		switch {
		case at != m.from && !m.to.holds(at):
			outside = append(outside, fmt.Sprintf("%s (%s to %s)", u.Code, u.Start.Told(), u.End.Told()))
		case at == m.from && u.Portfolio != nil && u.Portfolio.AddDays(m.days()).After(m.to.end):
			portfolio = append(portfolio, u.Code)
		}
	}
	if len(outside) > 0 {
		return fault.New(fault.Conflict, "The dates cannot change, because these units would lie outside the period: "+
			"%s. Change their dates first.", some(outside))
	}
	if len(portfolio) > 0 {
		return fault.New(fault.Conflict, "The dates cannot change, because portfolios would be compiled after the "+
			"end of these units: %s. Change that date first.", some(portfolio))
	}
	return nil
}

// some names the first few of a list.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// units moves the units that had the period's days. Their definitions go first,
// while the old days still tell which units those are.
func (m move) units(ctx context.Context, q db.Q, periodID int64) error {
	const following = `teaching_period_id = $2 AND start_date = $3 AND end_date = $4`
	if err := shiftDefinitions(ctx, q, m.days(), following, periodID, m.from.start, m.from.end); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `UPDATE units SET start_date = $5, end_date = $6, updated_at = $7,
			portfolio_auto_generation_date = `+db.AddDays(q, "portfolio_auto_generation_date", "$1")+`
		WHERE `+following, m.days(), periodID, m.from.start, m.from.end, m.to.start, m.to.end, q.Now())
	return err
}

// shiftDefinitions moves the task definitions of the units that meet a
// condition, whose arguments start at $2. One without a due date of its own has
// none afterwards: it goes on ending with its unit.
func shiftDefinitions(ctx context.Context, q db.Q, days int, units string, args ...any) error {
	if days == 0 {
		return nil
	}
	_, err := db.Exec(ctx, q, `UPDATE task_definitions SET
			start_date = `+db.AddDays(q, "start_date", "$1")+`,
			target_date = `+db.AddDays(q, "target_date", "$1")+`,
			due_date = `+db.AddDays(q, "due_date", "$1")+`
		WHERE unit_id IN (SELECT id FROM units WHERE `+units+`)`, append([]any{days}, args...)...)
	return err
}
