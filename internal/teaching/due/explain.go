package due

import (
	"fmt"

	"lectern/internal/ground/clock"
)

// Explanation shows how a due date came about, so that a student and a tutor
// who disagree look at the same sum.
type Explanation struct {
	Target         clock.Date `json:"target_date"`
	Extensions     int        `json:"extensions"`
	Extended       clock.Date `json:"extended_date"`
	Deadline       clock.Date `json:"deadline"`
	Capped         bool       `json:"capped_by_deadline"`
	Due            clock.Date `json:"due_date"`
	Zone           string     `json:"time_zone"`
	Ends           clock.Time `json:"ends_at"` // the last second on time, in UTC
	CanApply       bool       `json:"can_apply_for_extension"`
	WeeksCanExtend int        `json:"weeks_can_extend"`
	Text           string     `json:"explanation"`
	Dates          Dates      `json:"-"`
}

// Explain takes the steps to the due date one by one.
func (d Dates) Explain() Explanation {
	zone := d.Zone
	if zone == nil {
		zone = AnywhereOnEarth
	}
	e := Explanation{
		Dates:  d,
		Target: d.Target, Extensions: d.Extensions, Extended: d.Extended(),
		Deadline: d.Deadline, Capped: d.Extended().After(d.Deadline), Due: d.Due(),
		Zone: zone.String(), Ends: clock.At(d.Ends()),
		CanApply: d.CanApply(), WeeksCanExtend: max(d.WeeksCanExtend(), 0),
	}
	e.Text = e.sentence()
	return e
}

func (e Explanation) sentence() string {
	s := "The target date is " + e.Target.String() + "."
	switch e.Extensions {
	case 0:
	case 1:
		s += " An extension of 1 week moves it to " + e.Extended.String() + "."
	default:
		s += fmt.Sprintf(" Extensions of %d weeks move it to %s.", e.Extensions, e.Extended)
	}
	if e.Capped {
		s += " The deadline comes first."
	}
	return s + fmt.Sprintf(" The task is due on %s, until the end of the day in the time zone %s: %s.", e.Due, e.Zone,
		e.Ends)
}
