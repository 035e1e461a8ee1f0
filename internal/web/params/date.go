package params

import (
	"strings"
	"time"

	"lectern/internal/ground/clock"
)

// parseDate reads a day, alone or at the head of an RFC 3339 date-time.
func parseDate(s string) (clock.Date, bool) {
	if len(s) > len(time.DateOnly) {
		if _, ok := parseTime(s); !ok {
			return clock.Date{}, false
		}
		s = s[:len(time.DateOnly)]
	}
	t, err := time.Parse(time.DateOnly, s)
	return clock.Date{Time: t}, err == nil && t.Year() >= 1
}

// parseTime reads an RFC 3339 date-time, or a bare date as midnight UTC. T and Z may be small.
func parseTime(s string) (time.Time, bool) {
	if len(s) == len(time.DateOnly) {
		d, ok := parseDate(s)
		return d.Time, ok
	}
	// time.Parse also takes an hour of one digit, which RFC 3339 does not.
	if len(s) < len("2006-01-02T15:04:05Z") || s[13] != ':' {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	t = t.UTC()
	return t, err == nil && t.Year() >= 1 && t.Year() <= 9999
}
