package clock

import "time"

// Span counts from now to a time in the largest unit that people would take: minutes and hours by
// the clock, longer ones by the days of a calendar; less than a minute has no unit. Pages and emails
// tell times by it, and dates.js counts the same way.
func Span(now, at time.Time, zone *time.Location) (unit string, n int) {
	d := at.Sub(now)
	days := Day(at.In(zone)).DaysSince(Day(now.In(zone)))
	switch far := max(days, -days); {
	case d.Abs() < time.Minute:
		return "", 0
	case d.Abs() < time.Hour:
		return "minute", int(d / time.Minute)
	case far == 0 || d.Abs() < 12*time.Hour:
		return "hour", int(d / time.Hour)
	case far < 14:
		return "day", days
	case far < 60:
		return "week", days / 7
	case far < 365:
		return "month", days / 30
	}
	return "year", days / 365
}

// Told writes a day as people read it, with its year: for texts that do not know when they are read.
func (d Date) Told() string { return d.Format("Mon 2 Jan 2006") }

// SameTime tells whether clocks of two zones show the same at a moment.
func SameTime(at time.Time, a, b *time.Location) bool {
	_, here := at.In(a).Zone()
	_, there := at.In(b).Zone()
	return here == there
}
