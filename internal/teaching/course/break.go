package course

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/week"
)

// Break is a pause of whole weeks in a teaching period.
type Break struct {
	ID            int64      `db:"id" json:"id"`
	StartDate     clock.Date `db:"start_date" json:"start_date"`
	NumberOfWeeks int64      `db:"number_of_weeks" json:"number_of_weeks"`
}

// BreakChange is what to set of a break; nil leaves a value alone.
type BreakChange struct {
	StartDate     *clock.Date
	NumberOfWeeks *int64
	Seen          *BreakChange // what whoever changes it saw; nil: whatever it was
}

const breakColumns = `id, start_date, number_of_weeks`

// longestBreak in weeks; a year off is no pause in a period but its end.
const longestBreak = 52

// end is the first day after the break.
func (b Break) end() clock.Date { return b.StartDate.AddDays(7 * int(b.NumberOfWeeks)) }

// BreakByID gives a break of a period.
func BreakByID(ctx context.Context, q db.Q, periodID, id int64) (*Break, error) {
	return db.OneOf[Break](ctx, q, "break in this teaching period",
		`SELECT `+breakColumns+` FROM breaks WHERE id = $1 AND teaching_period_id = $2`, id, periodID)
}

// Breaks lists those of a period in the order in which they begin. A period
// that does not exist has none.
func Breaks(ctx context.Context, q db.Q, periodID int64) ([]Break, error) {
	return db.All[Break](ctx, q, `SELECT `+breakColumns+` FROM breaks WHERE teaching_period_id = $1
		ORDER BY start_date, id`, periodID)
}

// AddBreak adds a break to a period. It refuses one that lies outside the period or takes a
// week of another break. It is for holders of policy.EditCalendar.
func AddBreak(ctx context.Context, q db.Q, periodID int64, b Break) (*Break, error) {
	p, err := LockPeriod(ctx, q, periodID)
	if err != nil {
		return nil, err
	}
	if err := p.fits(ctx, q, b); err != nil {
		return nil, err
	}
	made, err := db.One[Break](ctx, q, `INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks)
		VALUES ($1, $2, $3) RETURNING `+breakColumns, periodID, b.StartDate, b.NumberOfWeeks)
	if err != nil {
		return nil, err
	}
	return made, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "break_created", RecordID: made.ID})
}

// ChangeBreak moves a break of the period or changes its length, for holders of policy.EditCalendar. It
// refuses what AddBreak refuses, and with fault.Conflict a value that is no longer what the change says was
// seen.
func ChangeBreak(ctx context.Context, q db.Q, periodID, id int64, c BreakChange) (*Break, error) {
	p, err := LockPeriod(ctx, q, periodID)
	if err != nil {
		return nil, err
	}
	b, err := BreakByID(ctx, q, periodID, id)
	if err != nil {
		return nil, err
	}
	if c.Seen != nil {
		var wrong fault.Fields
		clashed(&wrong, "start_date", b.StartDate, c.Seen.StartDate, c.StartDate)
		clashed(&wrong, "number_of_weeks", b.NumberOfWeeks, c.Seen.NumberOfWeeks, c.NumberOfWeeks)
		if err := wrong.Err(fault.Conflict); err != nil {
			return nil, err
		}
		c.Seen = nil // it changes nothing
	}
	opt.Set(&b.StartDate, c.StartDate)
	opt.Set(&b.NumberOfWeeks, c.NumberOfWeeks)
	if err := p.fits(ctx, q, *b); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "break_changed", RecordID: id,
		Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	return db.One[Break](ctx, q, `UPDATE breaks SET start_date = $2, number_of_weeks = $3
		WHERE id = $1 RETURNING `+breakColumns, id, b.StartDate, b.NumberOfWeeks)
}

// DeleteBreak removes a break. It fails with fault.Missing where the period has no such break.
// It is for holders of policy.EditCalendar.
func DeleteBreak(ctx context.Context, q db.Q, periodID, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM breaks WHERE id = $1 AND teaching_period_id = $2`, id, periodID)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "There is no such break in this teaching period.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "break_deleted", RecordID: id})
}

// fits tells whether the period may have b beside its other breaks. Only while
// the period is locked does the answer hold.
func (p *TeachingPeriod) fits(ctx context.Context, q db.Q, b Break) error {
	if b.NumberOfWeeks < 1 || b.NumberOfWeeks > longestBreak {
		return fault.Field(fault.Invalid, "number_of_weeks", "must be from 1 to %d", longestBreak)
	}
	others, err := Breaks(ctx, q, p.ID)
	if err != nil {
		return err
	}
	all := []Break{b}
	for _, o := range others {
		if o.ID != b.ID {
			all = append(all, o)
		}
	}
	start, end := p.Days()
	if err := week.Check(start, end, Weeks(all)); err != nil {
		return err
	}
	for _, o := range all[1:] {
		if b.StartDate.Before(o.end()) && o.StartDate.Before(b.end()) {
			return fault.Field(fault.Refused, "start_date", "(%s) and the weeks after it overlap the break of %s: "+
				"move one or make it shorter", b.StartDate.Told(), o.StartDate.Told())
		}
	}
	return nil
}

// Weeks gives breaks in the form the arithmetic of weeks takes.
func Weeks(breaks []Break) []week.Break {
	out := make([]week.Break, len(breaks))
	for i, b := range breaks {
		out[i] = week.Break{Start: b.StartDate, Weeks: int(b.NumberOfWeeks)}
	}
	return out
}
