package due

import "lectern/internal/ground/clock"

// Columns are what the dates of a task follow from, as a statement selects them.
type Columns struct {
	Target     clock.Date  `db:"target_date" json:"-"`
	Deadline   *clock.Date `db:"due_date" json:"-"` // of the definition
	UnitEnd    clock.Date  `db:"end_date" json:"-"`
	TimeZone   *string     `db:"time_zone" json:"-"` // of the unit
	Extensions int         `db:"extensions" json:"-"`
}

// Dates are the dates of the task.
func (c Columns) Dates() Dates {
	return Dates{Target: c.Target, Deadline: Deadline(c.Deadline, c.UnitEnd, c.Target), Extensions: c.Extensions,
		Zone: clock.Zone(c.TimeZone)}
}
