// Package calendar writes a student's due dates as an iCalendar feed (RFC
// 5545) that calendar programs subscribe to. It is a pure function from
// values to bytes: the same values give the same feed, so that a poll for an
// unchanged one can be answered without sending it.
package calendar

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	ics "github.com/arran4/golang-ical"

	"lectern/internal/ground/clock"
)

// Feed is everything that decides what a student's calendar shows.
type Feed struct {
	Host       string // of the service's public address: makes event ids unique in the world
	Name       string // what calendar programs call the calendar
	StartDates bool   // show when tasks start as well as when they are due
	Reminder   *Reminder
	Tasks      []Task
	Classes    []Class

	// Changed is when the settings, enrolments or target grades behind the
	// feed last changed. Tasks that left the feed are not in Tasks any more,
	// so without it their going would not make the feed newer.
	Changed time.Time
}

// Task is one task of one project.
type Task struct {
	DefinitionID int64
	ProjectID    int64 // 0: no student's, but the unit's, as its staff see it
	UnitCode     string
	Abbreviation string
	Name         string
	Start        clock.Date // none when zero
	Due          clock.Date // with extensions applied; none when zero
	Changed      time.Time  // when the definition or the student's due date last changed
	URL          string     // where the task can be looked at; none when empty
}

// Class is one meeting of a tutorial that its tutor holds.
type Class struct {
	TutorialID   int64
	UnitCode     string
	Abbreviation string
	Location     string
	Day          clock.Date
	From, To     time.Time // of that day; the whole day when zero
	Floating     bool      // the clock of whoever looks counts, as the unit names no zone
	Note         string    // the time of the meeting in words, where it is no time
	Changed      time.Time
	URL          string
}

// refresh is how often programs are asked to poll.
const refresh = "P1D"

// Bytes writes the feed, its events in order of day whatever the order of
// Tasks. Names are people's input: control characters and line breaks in
// them become spaces, the rest is escaped.
func (f Feed) Bytes() []byte {
	cal := ics.NewCalendar()
	cal.SetProductId("-//Lectern//Due dates//EN")
	cal.SetMethod(ics.MethodPublish)
	cal.SetCalscale("GREGORIAN")
	cal.SetName(line(f.Name))
	cal.SetRefreshInterval(refresh)
	cal.SetXPublishedTTL(refresh)
	cal.SetLastModified(f.Modified())
	for _, e := range f.events() {
		cal.Components = append(cal.Components, e)
	}
	var b bytes.Buffer
	b.Grow(1024 * len(f.Tasks))
	if err := cal.SerializeTo(&b, ics.WithNewLineWindows); err != nil { // a buffer takes every write
		panic(err)
	}
	return b.Bytes()
}

// Modified is when the feed last changed, to the second as HTTP and
// iCalendar have it.
func (f Feed) Modified() time.Time {
	last := f.Changed
	for _, c := range f.Classes {
		if c.Changed.After(last) {
			last = c.Changed
		}
	}
	for _, t := range f.Tasks {
		if t.Changed.After(last) {
			last = t.Changed
		}
	}
	return stamp(last)
}

// ETag is a strong validator of a feed: equal only for equal bytes.
func ETag(feed []byte) string {
	sum := sha256.Sum256(feed)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// stamp is a moment as the feed shows it. The zero time, of data that has no
// time of change, becomes the start of 1970: a year before 1 is no date-time.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return t.UTC().Truncate(time.Second)
}

// line makes text from people one line of at most 200 characters.
func line(s string) string {
	if len(s) <= 200 && isPlain(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return s
}

// isPlain tells whether s needs no cleaning: printable ASCII whose spaces are
// single and inside, as nearly all names are.
func isPlain(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && last == ' ' {
			return false
		}
		last = s[i]
	}
	return last != ' '
}

// address drops what would end the line a URL stands on: its value is not
// escaped as text is.
func address(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7F || r > unicode.MaxASCII {
			return -1
		}
		return r
	}, s)
}
