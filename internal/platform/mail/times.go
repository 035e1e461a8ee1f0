package mail

import (
	"path"
	"strings"
	"time"

	"lectern/internal/ground/clock"
)

// Due is until when a task is taken.
type Due struct {
	Ends    time.Time      // the last second that is on time
	Closes  time.Time      // the last second that is late; zero where nothing late is taken
	Zone    *time.Location // whose clock ends its days; nil: the last on Earth
	Overdue bool
}

// anywhere is where days end last.
var anywhere = time.FixedZone("anywhere", -12*60*60)

// ToldDue is a Due as its reader is told it.
type ToldDue struct {
	Near    string // how far away it is
	At      string // on the reader's clock
	There   string // on the unit's, where that shows another time; or whose clock At is on
	Until   string // when the last late submission is taken; may be empty
	Overdue bool
}

// When is when the last second on time is, with whose clock that is.
func (d ToldDue) When() string { return strings.TrimSpace(d.At + " " + d.There) }

// Told tells until when a task is taken: on the clock of whom the email is for, else on the unit's.
func (f Frame) Told(d Due) ToldDue {
	unit, here := d.Zone, f.Zone
	if unit == nil {
		unit = anywhere
	}
	out := ToldDue{Overdue: d.Overdue}
	switch {
	case here == nil:
		here, out.There = unit, f.place(unit)
	case !clock.SameTime(d.Ends, here, unit):
		out.There = f.language().Word("when.elsewhere", f.moment(d.Ends, unit), f.place(unit))
	}
	out.Near, out.At = f.near(d.Ends, here), f.moment(d.Ends, here)
	if !d.Closes.IsZero() {
		out.Until = f.moment(d.Closes, here)
	}
	return out
}

// On tells a day, with its year where that is not this one.
func (f Frame) On(d clock.Date) string {
	if d.Year() != f.Now.In(f.clock()).Year() {
		return f.language().Date("day-year", d.Time)
	}
	return f.language().Date("day", d.Time)
}

// At tells a moment of the past on the reader's clock, to the minute.
func (f Frame) At(at time.Time) string {
	told := f.moment(at, f.clock())
	if f.Zone == nil {
		return f.language().Word("when.there", told, f.place(time.UTC))
	}
	return told
}

// Since tells how long ago something was, and on which day.
func (f Frame) Since(at time.Time) string {
	return f.language().Word("when.since", f.On(clock.Day(at.In(f.clock()))), f.near(at, f.clock()))
}

// Clock names the clock that the email tells times by; empty where it names one beside each.
func (f Frame) Clock() string {
	if f.Zone == nil {
		return ""
	}
	return f.place(f.Zone)
}

func (f Frame) clock() *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// moment writes a time on the clock of a zone, with its year where that is not this one.
func (f Frame) moment(at time.Time, zone *time.Location) string {
	if at = at.In(zone); at.Year() != f.Now.In(zone).Year() {
		return f.language().Date("moment-year", at)
	}
	return f.language().Date("moment", at)
}

// near says how far away a time was when the email was written.
func (f Frame) near(at time.Time, zone *time.Location) string {
	l := f.language()
	unit, n := clock.Span(f.Now, at, zone)
	switch {
	case unit == "":
		return l.Word("when.now")
	case unit == "day" && n == 1:
		return l.Word("when.tomorrow")
	case unit == "day" && n == -1:
		return l.Word("when.yesterday")
	case n < 0:
		return l.Word("when.ago-"+unit, -n)
	}
	return l.Word("when.in-"+unit, n)
}

// place names a zone as people do: by its city.
func (f Frame) place(zone *time.Location) string {
	switch zone {
	case anywhere:
		return f.language().Word("when.anywhere")
	case time.UTC:
		return zone.String()
	}
	return f.language().Word("when.place", strings.ReplaceAll(path.Base(zone.String()), "_", " "))
}

// Lasting tells how long something works: in days where there are two or more.
func (f Frame) Lasting(d time.Duration) string {
	if d >= 48*time.Hour {
		return f.language().Word("count.days", int(d.Hours()/24))
	}
	return f.language().Word("count.hours", int(d.Hours()))
}
