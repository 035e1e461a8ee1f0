package calendar

import (
	"fmt"
	"strings"

	"lectern/internal/ground/fault"
)

// Reminder is how long before the day of an event a program should say so.
type Reminder struct {
	Time int
	Unit string // w weeks, d days, h hours, m minutes, in either case
}

// durations are the forms of RFC 5545, which has weeks and days outside the
// time part and hours and minutes inside it, with the longest each may be:
// a year.
var durations = map[string]struct {
	format string
	limit  int
}{
	"w": {"-P%dW", 52},
	"d": {"-P%dD", 366},
	"h": {"-PT%dH", 366 * 24},
	"m": {"-PT%dM", 366 * 24 * 60},
}

// NewReminder checks a reminder as a user sets it: a unit of w, d, h or m in
// either case, and a time from 0 up to a year.
func NewReminder(time int, unit string) (Reminder, error) {
	r := Reminder{Time: time, Unit: unit}
	d, known := durations[strings.ToLower(unit)]
	if !known {
		return Reminder{}, fault.Field(fault.Invalid, "unit", "must be w, d, h or m")
	}
	if time < 0 || time > d.limit {
		return Reminder{}, fault.Field(fault.Invalid, "time", "must be from 0 to %d for the unit %s",
			d.limit, r.Unit)
	}
	return r, nil
}

// Trigger is the reminder as an alarm's TRIGGER has it: counted back from the
// start of the event's day. It is empty for a unit NewReminder refuses.
func (r Reminder) Trigger() string {
	d, known := durations[strings.ToLower(r.Unit)]
	if !known {
		return ""
	}
	return fmt.Sprintf(d.format, r.Time)
}
