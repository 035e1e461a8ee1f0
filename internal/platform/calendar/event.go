package calendar

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"lectern/internal/ground/clock"
)

// event is a day on which a task starts or is due, or a class, as a component of
// the calendar.
type event struct {
	uid      string
	summary  string
	day      clock.Date
	when     []string // DTSTART and DTEND, and whether the time is taken
	code     string   // of the unit
	location string
	url      string
	changed  time.Time
	trigger  string // of its alarm; none when empty
}

func (f Feed) events() []*event {
	all := make([]*event, 0, 2*len(f.Tasks)+len(f.Classes))
	for i := range f.Tasks {
		t := &f.Tasks[i]
		if !f.StartDates {
			all = append(all, f.event(t, "due", "", t.Due))
			continue
		}
		all = append(all, f.event(t, "start", "Start: ", t.Start), f.event(t, "due", "End: ", t.Due))
	}
	for i := range f.Classes {
		all = append(all, f.class(&f.Classes[i]))
	}
	all = slices.DeleteFunc(all, func(e *event) bool { return e.day.IsZero() })
	slices.SortFunc(all, func(a, b *event) int {
		return cmp.Or(a.day.Compare(b.day.Time),
			strings.Compare(a.uid, b.uid))
	})
	return all
}

func (f Feed) event(t *Task, kind, prefix string, day clock.Date) *event {
	e := &event{
		uid:     fmt.Sprintf("%s-%d-%d@%s", kind, t.DefinitionID, t.ProjectID, line(f.Host)),
		summary: prefix + line(t.UnitCode) + ": " + line(t.Abbreviation) + ": " + line(t.Name),
		day:     day, when: wholeDay(day), code: t.UnitCode, url: t.URL, changed: t.Changed,
	}
	if f.Reminder != nil {
		e.trigger = f.Reminder.Trigger()
	}
	return e
}

// wholeDay takes a day and so ends on the next one, which is the first it does not
// take; it does not make anybody busy.
func wholeDay(day clock.Date) []string {
	return []string{"DTSTART;VALUE=DATE:" + day.Format("20060102"),
		"DTEND;VALUE=DATE:" + day.AddDays(1).Format("20060102"), "STATUS:CONFIRMED", "TRANSP:TRANSPARENT"}
}

// class is a meeting, which makes its tutor busy where its time is known.
func (f Feed) class(c *Class) *event {
	e := &event{
		uid:     fmt.Sprintf("class-%d-%s@%s", c.TutorialID, c.Day.Format("20060102"), line(f.Host)),
		summary: strings.TrimSuffix(line(c.UnitCode)+": "+line(c.Abbreviation)+", "+line(c.Note), ", "),
		day:     c.Day, when: wholeDay(c.Day), code: c.UnitCode, location: c.Location, url: c.URL, changed: c.Changed,
	}
	if !c.From.IsZero() {
		e.when = []string{"DTSTART:" + moment(c.From, c.Floating), "DTEND:" + moment(c.To, c.Floating),
			"STATUS:CONFIRMED", "TRANSP:OPAQUE"}
	}
	return e
}

func moment(t time.Time, floating bool) string {
	if floating {
		return t.Format("20060102T150405")
	}
	return t.UTC().Format("20060102T150405Z")
}

// SerializeTo writes the event. Text is escaped and folded by the library; the
// lines of fixed form need neither and are written as they are, which halves the
// cost of a feed that every device of every student polls.
func (e *event) SerializeTo(w io.Writer, c *ics.SerializationConfiguration) error {
	changed := stamp(e.changed).Format("20060102T150405Z")
	p := &printer{w: w, c: c}
	p.lines("BEGIN:VEVENT", "DTSTAMP:"+changed, "LAST-MODIFIED:"+changed)
	p.lines(e.when...)
	p.value(ics.PropertyUid, e.uid)
	p.value(ics.PropertySummary, e.summary)
	p.value(ics.PropertyCategories, line(e.code))
	if e.location != "" {
		p.value(ics.PropertyLocation, line(e.location))
	}
	if e.url != "" {
		p.value(ics.PropertyUrl, address(e.url))
	}
	if e.trigger != "" {
		p.lines("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:"+e.trigger)
		p.value(ics.PropertyDescription, e.summary)
		p.lines("END:VALARM")
	}
	p.lines("END:VEVENT")
	return p.err
}

// UnknownPropertiesIANAProperties and SubComponents make an event one of the
// library's components; it asks for neither when it writes.
func (e *event) UnknownPropertiesIANAProperties() []ics.IANAProperty { return nil }

// SubComponents is empty: the alarm is written with the event.
func (e *event) SubComponents() []ics.Component { return nil }

// printer writes lines until one fails.
type printer struct {
	w   io.Writer
	c   *ics.SerializationConfiguration
	err error
}

func (p *printer) lines(all ...string) {
	for _, s := range all {
		if p.err == nil {
			_, p.err = io.WriteString(p.w, s)
		}
		if p.err == nil {
			_, p.err = io.WriteString(p.w, p.c.NewLine)
		}
	}
}

func (p *printer) value(name ics.Property, value string) {
	if p.err == nil {
		p.err = (&ics.BaseProperty{IANAToken: string(name), Value: value}).SerializeTo(p.w, p.c)
	}
}
