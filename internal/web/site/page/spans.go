package page

import "time"

// Span writes a time in which people heard of their work: hours up to two days, then days; nil: there is none.
func (l *Language) Span(hours *float64) string {
	switch {
	case hours == nil:
		return l.Word("promise.nothing")
	case *hours < 48:
		return l.Word("promise.hours", *hours)
	}
	return l.Word("promise.days", *hours/24)
}

// Took writes how long one work took: seconds up to two minutes, then minutes; empty where it is not known.
func (l *Language) Took(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d == 0:
		return ""
	case d < 2*time.Minute:
		return l.Word("desk.seconds", int(d.Seconds()))
	}
	return l.Word("desk.minutes", int(d.Minutes()))
}
