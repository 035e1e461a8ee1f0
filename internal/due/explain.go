package due

import (
	"fmt"
	"time"
)

// Explanation shows how a due date came about, so that a student and a tutor
// who disagree look at the same sum.
type Explanation struct {
	Target         string `json:"target_date"`
	Extensions     int    `json:"extensions"`
	Extended       string `json:"extended_date"`
	Deadline       string `json:"deadline"`
	Capped         bool   `json:"capped_by_deadline"`
	Due            string `json:"due_date"`
	Zone           string `json:"time_zone"`
	Ends           string `json:"ends_at"` // the last second on time, in UTC
	CanApply       bool   `json:"can_apply_for_extension"`
	WeeksCanExtend int    `json:"weeks_can_extend"`
	Text           string `json:"explanation"`
}

// Explain takes the steps to the due date one by one.
func (d Dates) Explain() Explanation {
	zone := d.Zone
	if zone == nil {
		zone = AnywhereOnEarth
	}
	e := Explanation{
		Target: text(d.Target), Extensions: d.Extensions, Extended: text(d.Extended()),
		Deadline: text(d.Deadline), Capped: d.Extended().After(midnight(d.Deadline)), Due: text(d.Due()),
		Zone: zone.String(), Ends: d.Ends().UTC().Format("2006-01-02T15:04:05.000Z"),
		CanApply: d.CanApply(), WeeksCanExtend: max(d.WeeksCanExtend(), 0),
	}
	e.Text = e.sentence()
	return e
}

func (e Explanation) sentence() string {
	s := "The target date is " + e.Target + "."
	switch e.Extensions {
	case 0:
	case 1:
		s += " An extension of 1 week moves it to " + e.Extended + "."
	default:
		s += fmt.Sprintf(" Extensions of %d weeks move it to %s.", e.Extensions, e.Extended)
	}
	if e.Capped {
		s += " The deadline comes first."
	}
	return s + fmt.Sprintf(" The task is due on %s, until the end of the day in the time zone %s: %s.", e.Due, e.Zone, e.Ends)
}

func text(day time.Time) string { return midnight(day).Format(time.DateOnly) }
