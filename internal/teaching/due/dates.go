// Package due knows when a task is due: the target date, moved by whole weeks
// of extension, never past the deadline, until the last second of that day.
//
// A day ends everywhere on earth before work due on it is late, unless the
// unit says whose clock counts.
package due

import (
	"sort"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// AnywhereOnEarth is the last time zone in which a day ends.
var AnywhereOnEarth = time.FixedZone("anywhere on earth (UTC-12)", -12*60*60)

const daysAWeek = 7

// mostAsked bounds the weeks a person may ask for at once: more is a slip of
// the keyboard, which cutting to what fits would turn into a wish.
const mostAsked = 52

// Dates are what the due date of one task follows from.
type Dates struct {
	Target     clock.Date     // the day the definition asks for
	Deadline   clock.Date     // the day no extension passes; see Deadline
	Extensions int            // whole weeks granted to the task
	Zone       *time.Location // whose clock ends the day; nil is anywhere on earth
}

// Deadline is the last day of a definition: its own due date, or when it has none
// the end of the unit, but not before the target.
func Deadline(own *clock.Date, unitEnd, target clock.Date) clock.Date {
	switch {
	case own != nil:
		return *own
	case target.After(unitEnd):
		return target
	}
	return unitEnd
}

// Extended is the target moved by the extensions, deadline or not.
func (d Dates) Extended() clock.Date { return d.Target.AddDays(daysAWeek * d.Extensions) }

// Due is the day the task is due: never after the deadline.
func (d Dates) Due() clock.Date {
	if d.Extended().After(d.Deadline) {
		return d.Deadline
	}
	return d.Extended()
}

// Ends is the last second that is on time.
func (d Dates) Ends() time.Time { return Ends(d.Due(), d.Zone) }

// Closes is the last second at which a late submission is taken; late is false where none is.
func (d Dates) Closes() (at time.Time, late bool) {
	if !d.Deadline.After(d.Due()) {
		return time.Time{}, false
	}
	return Ends(d.Deadline, d.Zone), true
}

// OnTime tells whether work handed in at a moment counts. The last second
// counts in full.
func (d Dates) OnTime(at time.Time) bool { return at.Before(d.Ends().Add(time.Second)) }

// Over tells whether the deadline lies before a moment.
func (d Dates) Over(at time.Time) bool { return !at.Before(Ends(d.Deadline, d.Zone).Add(time.Second)) }

// LeastWeeks is how many more weeks are needed for what comes at a moment to be on time; 0 where
// no number of weeks before the deadline is enough.
func (d Dates) LeastWeeks(at time.Time) int {
	for n, more := 1, d; n <= d.WeeksCanExtend() && !d.Over(at); n++ {
		more.Extensions = d.Extensions + n
		if more.OnTime(at) {
			return n
		}
	}
	return 0
}

// CanApply tells whether an extension could move the due date at all. It does
// not ask whether the deadline has passed.
func (d Dates) CanApply() bool { return d.Extended().Before(d.Deadline) }

// WeeksCanExtend is how many more weeks fit before the deadline, a last part
// of a week counting as one. It is 0 or less when there is no room.
func (d Dates) WeeksCanExtend() int { return weeks(d.Target, d.Deadline) - d.Extensions }

// CheckWeeks refuses a number of weeks that nobody can mean, in the field it came in.
func CheckWeeks(field string, asked int) error {
	if asked < 1 || asked > mostAsked {
		return fault.Field(fault.Invalid, field, "must be from 1 to %d", mostAsked)
	}
	return nil
}

// Allow cuts a wish for more weeks to what fits. It fails when no sensible
// number of weeks is asked for or no week is left.
func (d Dates) Allow(asked int) (int, error) {
	if err := CheckWeeks("weeks_requested", asked); err != nil {
		return 0, err
	}
	if !d.CanApply() {
		return 0, fault.New(fault.Conflict, "No extension is possible: the task is already due on its deadline, %s.",
			d.Deadline.Told())
	}
	return min(asked, d.WeeksCanExtend()), nil
}

// Check refuses an extension that is negative or reaches a week or more past
// the deadline, where it could mean nothing.
func (d Dates) Check() error {
	if d.Extensions < 0 {
		return fault.New(fault.Refused, "An extension cannot be %d weeks.", d.Extensions)
	}
	if most := max(weeks(d.Target, d.Deadline), 0); d.Extensions > most {
		return fault.New(fault.Refused, "An extension of %d weeks goes past the deadline, %s. The limit is %d.",
			d.Extensions, d.Deadline.Told(), most)
	}
	return nil
}

// OnResubmit is how many weeks a task gains when staff ask at a moment for it
// to be fixed: what the unit gives, as far as it fits, if less than a week is
// left. A unit that gives none has 0.
func (d Dates) OnResubmit(at time.Time, given int) int {
	if given < 1 || !d.CanApply() || d.Ends().Sub(at) >= daysAWeek*24*time.Hour {
		return 0
	}
	return min(given, d.WeeksCanExtend())
}

// Ends is the last second of a day on the clocks of a zone; nil is anywhere on
// earth. It looks for the first second that shows a later day, because where
// clocks change around midnight 23:59:59 may come twice or not at all.
func Ends(day clock.Date, zone *time.Location) time.Time {
	if zone == nil {
		zone = AnywhereOnEarth
	}
	// No zone is more than 14 hours ahead of UTC, or 12 behind it.
	from := day.AddDays(1).Add(-15 * time.Hour)
	later := sort.Search(30*60*60, func(i int) bool {
		return clock.Day(from.Add(time.Duration(i) * time.Second).In(zone)).After(day)
	})
	return from.Add(time.Duration(later-1) * time.Second)
}

// weeks counts from one day to another, rounding part of a week up.
func weeks(from, to clock.Date) int {
	days := to.DaysSince(from)
	if days < 0 {
		return days / daysAWeek
	}
	return (days + daysAWeek - 1) / daysAWeek
}
