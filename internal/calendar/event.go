package calendar

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	ics "github.com/arran4/golang-ical"

	"lectern/internal/clock"
)

// event is a day on which a task starts or is due, as a component of the
// calendar.
type event struct {
	uid     string
	summary string
	day     clock.Date
	task    *Task
	trigger string // of its alarm; none when empty
}

func (f Feed) events() []*event {
	all := make([]*event, 0, 2*len(f.Tasks))
	for i := range f.Tasks {
		t := &f.Tasks[i]
		if !f.StartDates {
			all = append(all, f.event(t, "due", "", t.Due))
			continue
		}
		all = append(all, f.event(t, "start", "Start: ", t.Start), f.event(t, "due", "End: ", t.Due))
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
		day:     day,
		task:    t,
	}
	if f.Reminder != nil {
		e.trigger = f.Reminder.Trigger()
	}
	return e
}

// SerializeTo writes the event. It takes the whole day, and so ends on the
// next one, which is the first it does not take; it does not make the student
// busy. Text is escaped and folded by the library; the lines of fixed form
// need neither and are written as they are, which halves the cost of a feed
// that every device of every student polls.
func (e *event) SerializeTo(w io.Writer, c *ics.SerializationConfiguration) error {
	changed := stamp(e.task.Changed).Format("20060102T150405Z")
	p := &printer{w: w, c: c}
	p.lines("BEGIN:VEVENT", "DTSTAMP:"+changed, "LAST-MODIFIED:"+changed,
		"DTSTART;VALUE=DATE:"+e.day.Format("20060102"), "DTEND;VALUE=DATE:"+e.day.AddDays(1).Format("20060102"),
		"STATUS:CONFIRMED", "TRANSP:TRANSPARENT")
	p.value(ics.PropertyUid, e.uid)
	p.value(ics.PropertySummary, e.summary)
	p.value(ics.PropertyCategories, line(e.task.UnitCode))
	if e.task.URL != "" {
		p.value(ics.PropertyUrl, address(e.task.URL))
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
