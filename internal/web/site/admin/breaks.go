package admin

import (
	"context"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) breakRoutes() {
	const at, one = links.AdminPeriod + "/breaks/new", links.AdminBreak
	page.Show(s.Site, at, policy.SeeSetup, "A new break of a teaching period", s.newBreak)
	page.Form(s.Site, at, policy.EditCalendar, "Add a break to a teaching period", s.addBreak,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one, policy.SeeSetup, "A break of a teaching period, to be changed", s.editBreak)
	page.Form(s.Site, one, policy.EditCalendar, "Change a break", s.changeBreak, endpoint.Audited(audit.Setting))
	page.Show(s.Site, one+"/delete", policy.SeeSetup, "Ask before a break is deleted", s.askDeleteBreak)
	page.Form(s.Site, one+"/delete", policy.EditCalendar, "Delete a break", s.deleteBreak,
		endpoint.Audited(audit.Setting))
}

// breakForm is what the fields of a break hold, as it is typed.
type breakForm struct {
	Start string `param:"start_date"`
	Weeks string `param:"number_of_weeks"`
}

func formOfBreak(b *course.Break) breakForm {
	return breakForm{b.StartDate.String(), strconv.FormatInt(b.NumberOfWeeks, 10)}
}

// read gives the values of f in which it differs from other; all of them where there is no other.
func (f *breakForm) read(other *breakForm) (c course.BreakChange, err error) {
	r := &editing.Difference{All: other == nil}
	if other == nil {
		other = &breakForm{}
	}
	r.Day("start_date", &c.StartDate, f.Start, other.Start)
	r.Whole("number_of_weeks", &c.NumberOfWeeks, f.Weeks, other.Weeks)
	return c, r.Wrong.Err(fault.Refused)
}

// breakIn names a break.
type breakIn struct {
	PeriodID int64 `path:"teaching_period_id"`
	ID       int64 `path:"id"`
}

func (in breakIn) period() string { return links.To(links.AdminPeriod, in.PeriodID) }

func (in breakIn) path() string { return links.To(links.AdminBreak, in.PeriodID, in.ID) }

// breakPage puts the fields of a break on a page.
func (s *room) breakPage(e *editing.Record[breakForm], in breakIn, p *course.TeachingPeriod) (*recordPage, error) {
	v := &recordPage{Title: s.Word("breaks.add"), About: periodName(*p), Path: in.period() + "/breaks/new",
		List: in.period(), Hint: s.Word("breaks.hint")}
	if e.ID != 0 {
		v.Title, v.Path = s.Word("breaks.title"), in.path()
	}
	v.Fields = []input{
		{Name: "start_date", Label: s.Word("breaks.start"), Value: e.Typed.Start, Type: "date", Need: true},
		{Name: "number_of_weeks", Label: s.Word("breaks.weeks"), Value: e.Typed.Weeks, Type: "number", Need: true},
	}
	return v, shown(e, v)
}

func (s *room) newBreak(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	p, err := course.PeriodByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[breakForm]{Words: s.Words, Typed: breakForm{Weeks: "1"}}
	v, err := s.breakPage(e, breakIn{PeriodID: in.ID}, p)
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type addBreakIn struct {
	oneIn
	Break breakForm `param:"record"`
}

func (s *room) addBreak(ctx context.Context, who *access.Caller, in addBreakIn) (endpoint.Drawing, error) {
	c, err := in.Break.read(nil)
	if err == nil {
		made, failed := s.Usecases.AddBreak(ctx, in.ID, course.Break{StartDate: *c.StartDate,
			NumberOfWeeks: *c.NumberOfWeeks})
		if err = failed; err == nil {
			return led(links.To(links.AdminPeriod, in.ID), "added", s.breakName(made)), nil
		}
	}
	return s.breakAgain(ctx, who, &editing.Record[breakForm]{Typed: in.Break}, breakIn{PeriodID: in.ID}, err)
}

// breakName names a break by the day it begins on.
func (s *room) breakName(b *course.Break) string {
	return s.Word("breaks.named", s.Words.Date("day-year", b.StartDate.Time))
}

// readBreak reads a break with its period.
func (s *room) readBreak(ctx context.Context, in breakIn) (p *course.TeachingPeriod, b *course.Break, err error) {
	err = s.DB.View(ctx, func(q db.Q) (err error) {
		if p, err = course.PeriodByID(ctx, q, in.PeriodID); err != nil || in.ID == 0 {
			return err
		}
		b, err = course.BreakByID(ctx, q, in.PeriodID, in.ID)
		return err
	})
	return p, b, err
}

func (s *room) editBreak(ctx context.Context, who *access.Caller, in breakIn) (*page.Page, error) {
	p, b, err := s.readBreak(ctx, in)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[breakForm]{ID: in.ID, Fill: true, Words: s.Words}
	e.Hold(formOfBreak(b))
	v, err := s.breakPage(e, in, p)
	if err != nil {
		return nil, err
	}
	return s.record(who, v), nil
}

type changeBreakIn struct {
	breakIn
	Break breakForm `param:"record"`
	Seen  string    `param:"seen"` // what the fields held when they were read
}

func (s *room) changeBreak(ctx context.Context, who *access.Caller, in changeBreakIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[breakForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, why := in.Break.read(seen)
	if why == nil {
		was, _ := seen.read(&in.Break) // it was read on our own page
		c.Seen = &was
		made, failed := s.Usecases.ChangeBreak(ctx, in.PeriodID, in.ID, c)
		if why = failed; why == nil {
			return led(in.period(), "saved", s.breakName(made)), nil
		}
	}
	return s.breakAgain(ctx, who, &editing.Record[breakForm]{ID: in.ID, Typed: in.Break, Before: seen}, in.breakIn, why)
}

// breakAgain shows the fields as they were typed with what is wrong.
func (s *room) breakAgain(ctx context.Context, who *access.Caller, e *editing.Record[breakForm], in breakIn,
	why error) (endpoint.Drawing, error) {
	p, b, err := s.readBreak(ctx, in)
	if err != nil {
		return nil, err
	}
	now := breakForm{}
	if b != nil {
		now = formOfBreak(b)
	}
	e.Words = s.Words
	e.Now = func(field string) string {
		if day, err := clock.ParseDate(now.Start); err == nil && field == "start_date" {
			return s.Words.Date("day-year", day.Time)
		}
		return now.Weeks
	}
	return again(s, who, e, why, now, func() (*recordPage, error) { return s.breakPage(e, in, p) })
}

func (s *room) askDeleteBreak(ctx context.Context, who *access.Caller, in breakIn) (*page.Page, error) {
	_, b, err := s.readBreak(ctx, in)
	if err != nil {
		return nil, err
	}
	return s.Ask(who, s.Word("breaks.delete"), page.Question{About: s.breakName(b),
		Text: s.Word("breaks.ask"), Action: in.path() + "/delete", Do: s.Word("breaks.delete"),
		Back: in.period()}), nil
}

func (s *room) deleteBreak(ctx context.Context, _ *access.Caller, in breakIn) (endpoint.Drawing, error) {
	_, b, err := s.readBreak(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := s.Usecases.DeleteBreak(ctx, in.PeriodID, in.ID); err != nil {
		return nil, err
	}
	return led(in.period(), "deleted", s.breakName(b)), nil
}
