package page

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be there wherever the tests run

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/due"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z := clock.Zone(&name)
	if z == nil {
		t.Fatalf("there is no zone %s", name)
	}
	return z
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func TestTimesAreToldAsPeopleDo(t *testing.T) {
	const melbourne, kolkata, berlin, utc = "Australia/Melbourne", "Asia/Kolkata", "Europe/Berlin", "UTC"
	for _, c := range []struct{ about, zone, now, at, near, full string }{
		{"now", utc, "2026-11-16T12:00:00Z", "2026-11-16T12:00:00Z", "now", "Mon 16 Nov, 12:00"},
		{"a moment ago", utc, "2026-11-16T12:00:59Z", "2026-11-16T12:00:00Z", "now", "Mon 16 Nov, 12:00"},
		{"one minute", utc, "2026-11-16T12:01:30Z", "2026-11-16T12:00:00Z", "1 minute ago", "Mon 16 Nov, 12:00"},
		{"minutes over midnight", utc, "2026-11-16T23:50:00Z", "2026-11-17T00:20:00Z", "in 30 minutes", "Tue 17 Nov, 00:20"},
		{"one hour", utc, "2026-11-16T12:00:00Z", "2026-11-16T13:59:59Z", "in 1 hour", "Mon 16 Nov, 13:59"},
		{"hours of a night", utc, "2026-11-16T20:00:00Z", "2026-11-17T06:00:00Z", "in 10 hours", "Tue 17 Nov, 06:00"},
		{"hours of a day", utc, "2026-11-16T05:00:00Z", "2026-11-16T23:59:59Z", "in 18 hours", "Mon 16 Nov, 23:59"},
		{"the next day", utc, "2026-11-16T09:00:00Z", "2026-11-17T23:59:59Z", "tomorrow", "Tue 17 Nov, 23:59"},
		{"the day before", utc, "2026-11-16T23:00:00Z", "2026-11-15T00:30:00Z", "yesterday", "Sun 15 Nov, 00:30"},
		{"two days by the calendar", utc, "2026-11-16T23:00:00Z", "2026-11-18T01:00:00Z", "in 2 days", "Wed 18 Nov, 01:00"},
		{"13 days", utc, "2026-11-16T12:00:00Z", "2026-11-29T12:00:00Z", "in 13 days", "Sun 29 Nov, 12:00"},
		{"two weeks", utc, "2026-11-16T12:00:00Z", "2026-11-02T12:00:00Z", "2 weeks ago", "Mon 2 Nov, 12:00"},
		{"months", utc, "2026-11-16T12:00:00Z", "2026-08-10T12:00:00Z", "3 months ago", "Mon 10 Aug, 12:00"},
		{"another year", utc, "2026-11-16T12:00:00Z", "2025-11-10T12:00:00Z", "1 year ago", "Mon 10 Nov 2025, 12:00"},
		{"a year's turn", utc, "2026-12-31T23:30:00Z", "2027-01-01T00:00:00Z", "in 30 minutes", "Fri 1 Jan 2027, 00:00"},
		{"a turn that was in the zone", melbourne, "2026-12-31T14:00:00Z", "2026-12-31T15:00:00Z", "in 1 hour", "Fri 1 Jan, 02:00"},
		{"half hours", kolkata, "2026-11-16T18:00:00Z", "2026-11-16T18:29:59Z", "in 29 minutes", "Mon 16 Nov, 23:59"},
		{"tomorrow by half an hour", kolkata, "2026-11-16T01:00:00Z", "2026-11-16T18:30:00Z", "tomorrow", "Tue 17 Nov, 00:00"},
		{"a day of 25 hours", berlin, "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "in 24 hours", "Sun 25 Oct, 23:59"},
		{"the hour that comes twice", berlin, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "in 1 hour", "Sun 25 Oct, 02:30"},
		{"a day of 23 hours", berlin, "2026-03-28T23:00:00Z", "2026-03-30T21:59:59Z", "tomorrow", "Mon 30 Mar, 23:59"},
	} {
		r := reader{Language: English, zone: zone(t, c.zone), known: true, now: at(t, c.now)}
		if near, full := r.near(at(t, c.at)), r.moment(at(t, c.at), r.zone); near != c.near || full != c.full {
			t.Errorf("%s: %q, %q; want %q, %q", c.about, near, full, c.near, c.full)
		}
		email := mail.Frame{Now: r.now, Zone: r.zone}.Told(mail.Due{Ends: at(t, c.at), Zone: r.zone})
		if email.Near != c.near || email.At != c.full {
			t.Errorf("%s: an email tells %q, %q; want %q, %q", c.about, email.Near, email.At, c.near, c.full)
		}
	}
}

// What is told is near what is meant, on the right side of now, whatever the zone.
func TestSpansAreNear(t *testing.T) {
	zones := clock.Zones()
	size := map[string]time.Duration{"": time.Minute, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
		"week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour, "year": 365 * 24 * time.Hour}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0)
		d := time.Duration(rapid.Int64Range(-4e8, 4e8).Draw(t, "seconds")) * time.Second
		unit, n := clock.Span(now, now.Add(d), clock.Zone(&name))
		if told := time.Duration(n) * size[unit]; (d - told).Abs() > size[unit]+25*time.Hour {
			t.Errorf("%v is told as %d %s", d, n, unit)
		}
		if unit != "" && (n == 0 || n < 0 != (d < 0)) {
			t.Errorf("%v is told as %d %s", d, n, unit)
		}
	})
}

func untoldDue(l limits) string {
	return `<time class="when" data-as="both" ` + string(l.OnTime) + `></time>`
}

// The unit's clock is named where the reader's shows another time; who has told no zone reads the
// unit's.
func TestTheClockOfTheUnitIsNamedWhereItDiffers(t *testing.T) {
	melbourne := zone(t, "Australia/Melbourne")
	day := clock.On(2026, time.November, 20)
	in := func(unit *time.Location, reads *time.Location, known bool) string {
		r := reader{English, reads, known, at(t, "2026-11-16T12:00:00Z")}
		body := []byte(untoldDue(English.limits(due.Dates{Target: day, Deadline: day, Zone: unit})))
		text := string(r.tell(body))
		_, text, _ = strings.Cut(text, ">")
		return strings.TrimSuffix(text, "</time>")
	}
	for want, got := range map[string]string{
		`<strong>in 4 days</strong> <small>Fri 20 Nov, 23:59</small>`: in(melbourne, melbourne, true),
		`<strong>in 4 days</strong> <small>Fri 20 Nov, 18:29 <small>(Fri 20 Nov, 23:59 Melbourne time)</small></small>`: in(melbourne,
			zone(t, "Asia/Kolkata"), true),
		`<strong>in 4 days</strong> <small>Fri 20 Nov, 23:59 Melbourne time</small>`: in(melbourne, time.UTC, false),
		`<strong>in 5 days</strong> <small>Sat 21 Nov, 11:59 <small>(Fri 20 Nov, 23:59 <abbr title="anywhere on Earth">AoE</abbr>)</small></small>`: in(nil,
			time.UTC, true),
		`<strong>in 4 days</strong> <small>Fri 20 Nov, 23:59 <abbr title="anywhere on Earth">AoE</abbr></small>`: in(nil,
			time.UTC, false),
		`<strong>in 4 days</strong> <small>Fri 20 Nov, 23:59</small> `: in(time.UTC, time.UTC, false) + " ",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestLateWorkIsTakenUntilTheDeadline(t *testing.T) {
	day := clock.On(2026, time.November, 20)
	for _, c := range []struct {
		about             string
		extensions, after int // weeks, and days of the deadline after the target
		closes            string
	}{
		{"the deadline is the target", 0, 0, ""},
		{"a week for the late", 0, 7, "2026-11-27T23:59:59.000Z"},
		{"extended up to the deadline", 1, 7, ""},
		{"extended, and still late after that", 1, 10, "2026-11-30T23:59:59.000Z"},
	} {
		l := English.limits(due.Dates{Target: day, Deadline: day.AddDays(c.after), Extensions: c.extensions, Zone: time.UTC})
		got := ""
		if l.Closes != nil {
			got = l.Closes.String()
		}
		if got != c.closes {
			t.Errorf("%s: %q, want %q", c.about, got, c.closes)
		}
	}
}

// Whose clock times follow is told under a page with times in its content, not for those at its bell.
func TestTheClockIsNamedUnderTimesOnly(t *testing.T) {
	r := reader{English, zone(t, "UTC"), true, at(t, "2026-11-16T12:00:00Z")}
	const when = `<time datetime="2026-11-16T13:00:00Z" data-as="both"></time>`
	for body, named := range map[string]bool{
		when + `<main id="main"><p id="clock"></p></main>`:         false,
		`<main id="main">` + when + `<p id="clock"></p>`:           true,
		when + `<main class="main">` + when + `<p id="clock"></p>`: true,
		when + `<p id="clock"></p>`:                                true, // a part of a page
	} {
		if got := strings.Contains(string(r.tell([]byte(body))), "Times are in UTC."); got != named {
			t.Errorf("%s: %t", body, got)
		}
	}
}
