package course

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/week"
)

// calendarRow is a span with one of its breaks, or with none.
type calendarRow struct {
	ID          int64       `db:"id"`
	Start       clock.Date  `db:"start_date"`
	End         clock.Date  `db:"end_date"`
	PeriodStart *clock.Time `db:"period_start"`
	PeriodEnd   *clock.Time `db:"period_end"`
	BreakStart  *clock.Date `db:"break_start"`
	BreakWeeks  *int64      `db:"number_of_weeks"`
}

// Calendars give the weeks of units: those of their teaching periods, or, for
// a unit without one, those of its own dates. One statement reads them all.
func Calendars(ctx context.Context, q db.Q, unitIDs ...int64) (map[int64]week.Calendar, error) {
	in, args := db.In(nil, unitIDs)
	rows, err := db.All[calendarRow](ctx, q, `SELECT u.id, u.start_date, u.end_date, p.start_date AS period_start,
		p.end_date AS period_end,
			b.start_date AS break_start, b.number_of_weeks
		FROM units u LEFT JOIN teaching_periods p ON p.id = u.teaching_period_id
		LEFT JOIN breaks b ON b.teaching_period_id = p.id
		WHERE u.id IN `+in+` ORDER BY u.id`, args...)
	if err != nil {
		return nil, err
	}
	out := map[int64]week.Calendar{}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].ID == rows[0].ID {
			n++
		}
		out[rows[0].ID] = calendarOf(rows[:n])
		rows = rows[n:]
	}
	return out, nil
}

// calendarOf builds a calendar from the rows of one unit.
func calendarOf(rows []calendarRow) week.Calendar {
	start, end := rows[0].Start, rows[0].End
	if rows[0].PeriodStart != nil {
		start, end = clock.Day(rows[0].PeriodStart.Time), clock.Day(rows[0].PeriodEnd.Time)
	}
	var breaks []week.Break
	for _, r := range rows {
		if r.BreakStart != nil {
			breaks = append(breaks, week.Break{Start: *r.BreakStart, Weeks: int(*r.BreakWeeks)})
		}
	}
	return week.New(start, end, breaks)
}
