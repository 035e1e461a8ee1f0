package course

import (
	"context"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// TeachingPeriod is a stretch of the year in which units are taught, such as a
// trimester.
type TeachingPeriod struct {
	ID          int64      `db:"id" json:"id"`
	Period      string     `db:"period" json:"period"`
	Year        int64      `db:"year" json:"year"`
	StartDate   clock.Time `db:"start_date" json:"start_date"`
	EndDate     clock.Time `db:"end_date" json:"end_date"`
	ActiveUntil clock.Time `db:"active_until" json:"active_until"`
	Active      bool       `db:"active" json:"active"` // ActiveUntil is still to come
}

// Days gives the first and the last day, the ones its units and breaks count by.
func (p *TeachingPeriod) Days() (start, end clock.Date) {
	return clock.Day(p.StartDate.Time), clock.Day(p.EndDate.Time)
}

// PeriodChange is what to set of a teaching period; nil leaves a value alone.
type PeriodChange struct {
	Period                          *string
	Year                            *int64
	StartDate, EndDate, ActiveUntil *clock.Time
	Seen                            *PeriodChange // what whoever changes it saw; nil: whatever it was
}

// periodColumns needs the present moment as argument 1.
const periodColumns = `id, period, year, start_date, end_date, active_until, active_until > $1 AS active`

// TeachingPeriods lists them all in the order in which they begin.
func TeachingPeriods(ctx context.Context, q db.Q) ([]TeachingPeriod, error) {
	return db.All[TeachingPeriod](ctx, q, `SELECT `+periodColumns+` FROM teaching_periods ORDER BY start_date, id`,
		q.Now())
}

// PeriodByID reads a teaching period. It fails with fault.Missing where there is
// none.
func PeriodByID(ctx context.Context, q db.Q, id int64) (*TeachingPeriod, error) {
	return db.OneOf[TeachingPeriod](ctx, q, "teaching period",
		`SELECT `+periodColumns+` FROM teaching_periods WHERE id = $2`, q.Now(), id)
}

// LockPeriod gives one and keeps its dates and breaks as they are until the
// transaction ends. Whoever places a break or a unit inside a period takes this
// lock first, or the period may move away between the check and the write.
func LockPeriod(ctx context.Context, q db.Q, id int64) (*TeachingPeriod, error) {
	if err := db.Lock(ctx, q, "teaching_periods", id); err != nil {
		return nil, err
	}
	return PeriodByID(ctx, q, id)
}

// AddPeriod creates a teaching period without breaks. It refuses dates out of order and, with
// fault.Conflict, a second period of that name in the year. It is for holders of
// policy.EditCalendar.
func AddPeriod(ctx context.Context, q db.Q, p TeachingPeriod) (*TeachingPeriod, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	out, err := db.One[TeachingPeriod](ctx, q, `INSERT INTO teaching_periods (period, year, start_date, end_date,
		active_until)
		VALUES ($2, $3, $4, $5, $6) RETURNING `+periodColumns, q.Now(), p.Period, p.Year, p.StartDate, p.EndDate,
		p.ActiveUntil)
	if err != nil {
		return nil, p.taken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "teaching_period_created", RecordID: out.ID})
}

// SavePeriod writes the values of p over those of the period with its id. The units and breaks
// inside it are the caller's care. It is for holders of policy.EditCalendar and refuses what
// AddPeriod refuses.
func SavePeriod(ctx context.Context, q db.Q, p *TeachingPeriod) (*TeachingPeriod, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	out, err := db.OneOf[TeachingPeriod](ctx, q, "teaching period", `UPDATE teaching_periods
		SET period = $3, year = $4, start_date = $5, end_date = $6, active_until = $7
		WHERE id = $2 RETURNING `+periodColumns, q.Now(), p.ID, p.Period, p.Year, p.StartDate, p.EndDate, p.ActiveUntil)
	if err != nil {
		return nil, p.taken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "teaching_period_changed", RecordID: p.ID})
}

// UnitsIn counts the units of a teaching period, closed ones too.
func UnitsIn(ctx context.Context, q db.Q, periodID int64) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM units WHERE teaching_period_id = $1`, periodID)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// DeletePeriod removes one with its breaks, for holders of policy.EditCalendar. It is
// fault.Conflict while it has units: they are moved first.
func DeletePeriod(ctx context.Context, q db.Q, id int64) error {
	if err := db.Lock(ctx, q, "teaching_periods", id); err != nil {
		return err
	}
	units, err := UnitsIn(ctx, q, id)
	if err != nil {
		return err
	}
	if units > 0 {
		return fault.New(fault.Conflict, "This teaching period still has %s. Move them to another period first.",
			count(units, "unit"))
	}
	n, err := db.Exec(ctx, q, `DELETE FROM teaching_periods WHERE id = $1`, id)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "There is no such teaching period.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "teaching_period_deleted", RecordID: id})
}

// Merge gives p with the change made. It is checked as a whole when it is saved.
func (c PeriodChange) Merge(p TeachingPeriod) TeachingPeriod {
	opt.Set(&p.Period, c.Period)
	opt.Set(&p.Year, c.Year)
	opt.Set(&p.StartDate, c.StartDate)
	opt.Set(&p.EndDate, c.EndDate)
	opt.Set(&p.ActiveUntil, c.ActiveUntil)
	return p
}

// Clashes refuses values of p that somebody else changed since they were seen.
func (c PeriodChange) Clashes(p *TeachingPeriod) error {
	if c.Seen == nil {
		return nil
	}
	var wrong fault.Fields
	clashed(&wrong, "period", p.Period, c.Seen.Period, c.Period)
	clashed(&wrong, "year", p.Year, c.Seen.Year, c.Year)
	clashed(&wrong, "start_date", p.StartDate, c.Seen.StartDate, c.StartDate)
	clashed(&wrong, "end_date", p.EndDate, c.Seen.EndDate, c.EndDate)
	clashed(&wrong, "active_until", p.ActiveUntil, c.Seen.ActiveUntil, c.ActiveUntil)
	return wrong.Err(fault.Conflict)
}

// PeriodSummary is a teaching period with what lies in it.
type PeriodSummary struct {
	TeachingPeriod
	Units  int64 `db:"units" json:"units" doc:"how many units are in it, closed ones too"`
	Closed int64 `db:"closed" json:"closed_units" doc:"how many of them are closed"`
	Breaks int64 `db:"breaks" json:"breaks" doc:"how many breaks it has"`
}

// PeriodSummaries lists all teaching periods, the newest first. They are for holders of policy.SeeSetup.
func PeriodSummaries(ctx context.Context, q db.Q) ([]PeriodSummary, error) {
	return db.All[PeriodSummary](ctx, q, `SELECT p.id, p.period, p.year, p.start_date, p.end_date, p.active_until,
			p.active_until > $1 AS active, coalesce(u.units, 0) AS units, coalesce(u.closed, 0) AS closed,
			(SELECT count(*) FROM breaks b WHERE b.teaching_period_id = p.id) AS breaks
		FROM teaching_periods p
		LEFT JOIN (SELECT teaching_period_id, count(*) AS units, sum(CASE WHEN active THEN 0 ELSE 1 END) AS closed
			FROM units GROUP BY teaching_period_id) u ON u.teaching_period_id = p.id
		ORDER BY p.start_date DESC, p.id DESC`, q.Now())
}

// The years a period may be of. Its days may reach a year beyond either end.
const firstYear, lastYear = 2000, 2999

func (p *TeachingPeriod) check() error {
	var wrong fault.Fields
	if n := utf8.RuneCountInString(p.Period); n > 20 || strings.TrimSpace(p.Period) == "" {
		wrong.Add("period", "must have 1 to 20 characters")
	}
	if p.Year < firstYear || p.Year > lastYear {
		wrong.Outside("year", "must be a year from 2000 to 2999")
	}
	if p.EndDate.Before(p.StartDate.Time) {
		wrong.Add("end_date", "must not be before start_date")
	}
	if p.ActiveUntil.Before(p.EndDate.Time) {
		wrong.Add("active_until", "must not be before end_date")
	}
	for name, at := range map[string]clock.Time{"start_date": p.StartDate, "end_date": p.EndDate,
		"active_until": p.ActiveUntil} {
		if y := at.Year(); y < firstYear-1 || y > lastYear+1 {
			wrong.Add(name, "must lie in the years 1999 to 3000")
		}
	}
	return wrong.Err(fault.Refused)
}

func (p *TeachingPeriod) taken(err error) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "There is already a teaching period %s of %d.", p.Period, p.Year)
	}
	return err
}
