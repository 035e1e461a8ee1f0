package student

import (
	"context"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/calendar"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// feedPath is the page of the calendar feed.
const feedPath = links.Calendar + "/feed"

func (s *room) calendarRoutes() {
	page.Show(s.Site, links.Calendar, policy.SignedIn, "A month of due dates and classes", s.calendar)
	page.Show(s.Site, feedPath, policy.SignedIn, "The calendar feed", s.feed)
	page.Form(s.Site, feedPath, policy.SignedIn, "Open, renew or close the calendar feed", s.setFeed,
		endpoint.Audited(audit.Account))
	page.Form(s.Site, links.Calendar+"/settings", policy.SignedIn, "Change what the calendar feed shows", s.setCalendar,
		endpoint.Audited(audit.Account))
}

type calendarIn struct {
	Month string `param:"month"`
	View  string `param:"view"`
}

// calendarPage is what the calendar shows.
type calendarPage struct {
	Month           *insight.Month
	Weeks           [][]calendarDay
	Previous, After string // months beside this one
	Shown           string // this one
	Agenda          bool   // the days with something, one below the other
	Due             int    // tasks of the month
	now             time.Time
}

// feedPage is the calendar feed with its settings.
type feedPage struct {
	Feed    insight.Webcal
	Address string // of the feed
	Units   []insight.FeedUnit
}

// calendarDay is a day in the table of a month, in plain words: a template takes as long
// to ask a date for each of them as the database for the whole month.
type calendarDay struct {
	Date, Weekday, Rest string // as programs write it; its name; what follows its number
	Number              int
	Kind                string // how it looks
	Inside, Today       bool   // of the month that is shown
	Things              bool   // there are some on it
	Due                 []insight.MonthTask
	Classes             []insight.MonthClass
	Breaks              []string
}

func (l language) calendarDay(day clock.Date, on insight.MonthDay, inside, today bool) calendarDay {
	d := calendarDay{Date: day.String(), Weekday: l.Date("weekday", day.Time), Number: day.Day(), Inside: inside,
		Today: today}
	switch {
	case !inside:
		d.Kind = "outside"
	case len(on.Due)+len(on.Classes)+len(on.Breaks) == 0:
		d.Kind = "free"
	}
	if today {
		d.Kind += " today"
	}
	if inside {
		d.Rest = l.Date("after-number", day.Time)
		d.Due, d.Classes, d.Breaks, d.Things = on.Due, on.Classes, on.Breaks, len(on.Due)+len(on.Classes) > 0
	}
	return d
}

func (s *room) calendar(ctx context.Context, who *access.Caller, in calendarIn) (*page.Page, error) {
	today := clock.Day(s.DB.Now().Time)
	day := today
	if t, err := time.Parse("2006-01", in.Month); err == nil {
		day = clock.Day(t)
	}
	v := &calendarPage{Agenda: in.View == "agenda", now: s.DB.Now().Time}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.Month, err = insight.MonthOf(ctx, q, who.ID, day)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange(s.words, today)
	return s.Page(who, "calendar", v), nil
}

// Late tells whether a task that waits for its student should have come already.
func (v *calendarPage) Late(t insight.MonthTask) bool {
	return t.ProjectID != nil && status.ToDo.Has(t.Status) && !t.Dates.OnTime(v.now)
}

// feed is the page of the calendar feed.
func (s *room) feed(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v := &feedPage{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Feed, err = insight.WebcalOf(ctx, q, who.ID); err != nil {
			return err
		}
		v.Units, err = insight.FeedUnits(ctx, q, who.ID)
		return err
	})
	if v.Feed.GUID != nil {
		v.Address = s.Usecases.PublicURL + "/api/webcal/" + *v.Feed.GUID
	}
	p := s.Titled(who, "feed", s.Word("calendar.feed"), v)
	p.Within = &page.Crumb{Words: s.Word("calendar.title"), Path: links.Calendar}
	return p, err
}

// arrange puts the days into weeks, those before and after the month included.
func (v *calendarPage) arrange(l language, today clock.Date) {
	by := map[clock.Date]insight.MonthDay{}
	for _, d := range v.Month.Days {
		by[d.Date] = d
		v.Due += len(d.Due)
	}
	for monday := week.MondayOf(v.Month.First); !monday.After(v.Month.Last); monday = monday.AddDays(7) {
		row := make([]calendarDay, 7)
		for i := range row {
			day := monday.AddDays(i)
			row[i] = l.calendarDay(day, by[day], day.Month() == v.Month.First.Month(), day == today)
		}
		v.Weeks = append(v.Weeks, row)
	}
	v.Shown = v.Month.First.Format("2006-01")
	v.Previous, v.After = v.Month.First.AddDays(-1).Format("2006-01"), v.Month.Last.AddDays(1).Format("2006-01")
}

// LeftOut tells whether the feed says nothing of a unit.
func (v *feedPage) LeftOut(id int64) bool { return slices.Contains(v.Feed.Exclusions, id) }

// Before tells whether this is the unit of time of the reminder.
func (v *feedPage) Before(unit string) bool {
	return v.Feed.Reminder != nil && strings.EqualFold(v.Feed.Reminder.Unit, unit)
}

// Spans are the units of time a reminder is told in.
func (v *feedPage) Spans() []string { return []string{"w", "d", "h", "m"} }

func (s *room) setFeed(ctx context.Context, who *access.Caller, in struct {
	Do string `param:"do"`
}) (endpoint.Drawing, error) {
	c, known := map[string]insight.WebcalChange{"open": {Enabled: new(true)}, "close": {Enabled: new(false)},
		"renew": {NewGUID: true}}[in.Do]
	if !known {
		return nil, fault.Field(fault.Invalid, "do", "must be open, renew or close")
	}
	return s.changeFeed(ctx, who, c)
}

type setCalendarIn struct {
	StartDates bool    `param:"start_dates"`
	Time       int     `param:"time"`
	Unit       string  `param:"unit"`
	LeaveOut   []int64 `param:"leave_out"`
}

func (s *room) setCalendar(ctx context.Context, who *access.Caller, in setCalendarIn) (endpoint.Drawing, error) {
	c := insight.WebcalChange{StartDates: &in.StartDates, NoReminder: in.Unit == "", Exclusions: &in.LeaveOut}
	if in.Unit != "" {
		r, err := calendar.NewReminder(in.Time, in.Unit)
		if err != nil {
			return s.calendarAgain(ctx, who, err)
		}
		c.Reminder = &r
	}
	return s.changeFeed(ctx, who, c)
}

func (s *room) changeFeed(ctx context.Context, who *access.Caller, c insight.WebcalChange) (endpoint.Drawing, error) {
	_, err := s.Usecases.SetWebcal(ctx, who, c)
	return endpoint.Redirect{To: feedPath}, err
}

func (s *room) calendarAgain(ctx context.Context, who *access.Caller, wrong error) (endpoint.Drawing, error) {
	p, err := s.feed(ctx, who, struct{}{})
	if err != nil {
		return nil, err
	}
	return s.Again(p, wrong)
}
