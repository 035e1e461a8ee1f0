package page

import (
	"bytes"
	"cmp"
	"html"
	"html/template"
	"path"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/week"
)

// A time stands in a template as an empty element that says which moment is meant, how it is told
// and whose clock decides: the components day, moment, waiting and due. Templates know nobody who
// reads, so the page fills the elements in when it is drawn, for the zone it knows of its reader;
// dates.js fills the same elements in again for the zone of the browser.
var openTime, closeTime, openMain = []byte("<time "), []byte("</time>"), []byte("<main ")

// anywhere is the name of the zone that ends days where a unit has none, as browsers know it.
const anywhere = "Etc/GMT+12"

// reader is for whom times are written: their language, their clock, and what time it is.
type reader struct {
	*Language
	zone  *time.Location
	known bool // the zone is theirs or the page's; else what is due is told on its unit's clock
	now   time.Time
}

// reader is who reads the page: by the zone of their account, else that of the unit the page is
// about, else that of the installation.
func (p *Page) reader() reader {
	zone := clock.Zone(p.Frame.TimeZone)
	if here := p.Frame.Here; zone == nil && here != nil {
		zone = clock.Zone(here.TimeZone)
	}
	return reader{p.site.Words, cmp.Or(zone, time.UTC), zone != nil, p.site.Now()}
}

// told is a page with its times filled in.
func (p *Page) told(body []byte) []byte {
	if bytes.Contains(body, openTime) {
		return p.reader().tell(body)
	}
	return body
}

// tell fills in the times of a page, and once on it whose clock they follow, where there are some in
// its content: the times of the notifications behind the bell need no such line under every page.
func (r reader) tell(body []byte) []byte {
	out, hours := bytes.NewBuffer(make([]byte, 0, len(body)+len(body)/4)), false
	content := len(body) - max(bytes.Index(body, openMain), 0)
	for at := bytes.Index(body, openTime); at >= 0; at = bytes.Index(body, openTime) {
		end := at + bytes.IndexByte(body[at:], '>') + 1
		tag := string(body[at:end])
		out.Write(body[:end])
		body = body[end:]
		if as := attribute(tag, "data-as"); as != "" && bytes.HasPrefix(body, closeTime) {
			out.WriteString(r.inside(attribute(tag, "datetime"), as, attribute(tag, "data-zone"),
				attribute(tag, "data-place"), attribute(tag, "data-late")))
			hours = hours || as != "day" && len(body) < content
		}
	}
	out.Write(body)
	if !hours {
		return out.Bytes()
	}
	return bytes.Replace(out.Bytes(), []byte(`id="clock"></p>`),
		[]byte(`id="clock">`+template.HTMLEscapeString(r.Word("when.js.note", r.place(r.zone.String())))+`</p>`), 1)
}

// attribute is what an attribute of a tag says; empty without it. Templates write no other quotes.
func attribute(tag, name string) string {
	_, rest, _ := strings.Cut(tag, " "+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(value)
}

// inside is what stands in the element of a time.
func (r reader) inside(machine, as, zone, place, late string) string {
	if as == "day" {
		day, err := clock.ParseDate(machine)
		if err != nil {
			return ""
		}
		return template.HTMLEscapeString(r.day(day))
	}
	at, err := time.Parse(time.RFC3339, machine)
	if err != nil {
		return ""
	}
	unit, there := clock.Zone(&zone), ""
	switch {
	case unit == nil || clock.SameTime(at, unit, r.zone):
	case r.known:
		there = " <small>(" + template.HTMLEscapeString(r.moment(at, unit)) + " " + r.whose(zone, place) + ")</small>"
	default:
		r.zone, there = unit, " "+r.whose(zone, place)
	}
	if as == "near" {
		return template.HTMLEscapeString(r.near(at))
	}
	here := template.HTMLEscapeString(r.moment(at, r.zone))
	switch as {
	case "at":
		return here + there
	case "until": // beside a time of the same unit, which names the unit's clock
		return here
	}
	if late != "" {
		late = ` <strong class="late">` + template.HTMLEscapeString(late) + `</strong>`
	}
	near := template.HTMLEscapeString(r.near(at))
	return "<strong>" + near + "</strong>" + late + " <small>" + here + there + "</small>"
}

// whose names the clock of a unit beside a time: the one that most units follow in short, with its
// name behind it.
func (r reader) whose(zone, place string) string {
	place = template.HTMLEscapeString(place)
	if zone != anywhere {
		return place
	}
	return `<abbr title="` + place + `">` + template.HTMLEscapeString(r.Word("when.js.anywhere")) + "</abbr>"
}

// day writes a day, with its year where that is not this one.
func (r reader) day(d clock.Date) string {
	if d.Year() != r.now.In(r.zone).Year() {
		return r.Date("day-year", d.Time)
	}
	return r.Date("day", d.Time)
}

// moment writes a time on the clock of a zone, with its year where that is not this one.
func (r reader) moment(at time.Time, zone *time.Location) string {
	if at = at.In(zone); at.Year() != r.now.In(zone).Year() {
		return r.Date("js.moment-year", at)
	}
	return r.Date("js.moment", at)
}

// near says how far away a time is.
func (r reader) near(at time.Time) string {
	unit, n := clock.Span(r.now, at, r.zone)
	switch {
	case unit == "":
		return r.Word("when.now")
	case unit == "day" && n == 1:
		return r.Word("when.tomorrow")
	case unit == "day" && n == -1:
		return r.Word("when.yesterday")
	case n < 0:
		return r.Word("when.ago-"+unit, -n)
	}
	return r.Word("when.in-"+unit, n)
}

// place names a zone as people do: by its city.
func (l *Language) place(zone string) string {
	switch zone {
	case "UTC":
		return zone
	case anywhere:
		return l.Word("due.anywhere")
	}
	return l.Word("when.js.place", strings.ReplaceAll(path.Base(zone), "_", " "))
}

// limits are what people are told of the dates of a task: until when it is on time, and until when
// it is taken at all where that is later.
type limits struct {
	Ends   clock.Time
	Closes *clock.Time // nil: with the due date
	Zone   string
	Place  string
	// OnTime and Late are the attributes of both in a page. They are written here and not by the
	// template, because a list has them in every row: a third of the time to draw one.
	OnTime, Late template.HTMLAttr
}

func (l *Language) limits(d due.Dates) limits {
	out := limits{Ends: clock.At(d.Ends()), Zone: anywhere}
	if d.Zone != nil {
		out.Zone = d.Zone.String()
	}
	out.Place = l.place(out.Zone)
	on := `" data-zone="` + html.EscapeString(out.Zone) + `" data-place="` + html.EscapeString(out.Place) + `"`
	out.OnTime = template.HTMLAttr(`datetime="` + out.Ends.String() + on) //nolint:gosec // escaped above
	if at, late := d.Closes(); late {
		closes := clock.At(at)
		out.Closes = &closes
		out.Late = template.HTMLAttr(`datetime="` + closes.String() + on) //nolint:gosec // escaped above
	}
	return out
}

// WeekOf names the week of a unit that a day is in, of how many; empty outside the unit's dates.
func (l *Language) WeekOf(day, start, end clock.Date, weeks week.Calendar) string {
	if day.Before(start) || day.After(end) {
		return ""
	}
	if p := weeks.Position(day); p.Break == 0 {
		return l.Word("project.week-of", p.Week, weeks.Weeks())
	}
	return l.Word("project.break")
}
