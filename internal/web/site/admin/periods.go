package admin

import (
	"context"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) periodRoutes() {
	const at, one = links.AdminPeriods, links.AdminPeriod
	page.Show(s.Site, at, policy.SeeSetup, "The teaching periods", s.periods)
	page.Show(s.Site, at+"/new", policy.SeeSetup, "A new teaching period", s.newPeriod)
	page.Form(s.Site, at+"/new", policy.EditCalendar, "Add a teaching period", s.addPeriod,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one, policy.SeeSetup, "A teaching period with its breaks, to be changed", s.editPeriod)
	page.Form(s.Site, one, policy.EditCalendar, "Change a teaching period; what moves is shown first", s.changePeriod,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, one+"/delete", policy.SeeSetup, "Ask before a teaching period is deleted", s.askDeletePeriod)
	page.Form(s.Site, one+"/delete", policy.EditCalendar, "Delete a teaching period", s.deletePeriod,
		endpoint.Audited(audit.Setting))
	s.breakRoutes()
	s.periodRolloverRoutes()
}

// periodsPage lists the teaching periods.
type periodsPage struct {
	Periods []course.PeriodSummary
	Done    string // in words, what was done just now
	Today   clock.Date
}

// Now tells whether a period is under way.
func (v *periodsPage) Now(p course.PeriodSummary) bool {
	start, end := p.Days()
	return !v.Today.Before(start) && !v.Today.After(end)
}

// Coming tells whether a period is still to begin.
func (v *periodsPage) Coming(p course.PeriodSummary) bool {
	start, _ := p.Days()
	return v.Today.Before(start)
}

func (s *room) periods(ctx context.Context, who *access.Caller, in doneIn) (*page.Page, error) {
	v, err := s.readPeriods(ctx)
	if err != nil {
		return nil, err
	}
	v.Done = s.done(in)
	return s.Titled(who, "admin-periods", s.Word("periods.title"), v), nil
}

func (s *room) readPeriods(ctx context.Context) (*periodsPage, error) {
	list, err := course.PeriodSummaries(ctx, s.DB.Pool())
	return &periodsPage{Periods: list, Today: clock.Day(s.DB.Now().Time)}, err
}

// periodForm is what the fields of a teaching period hold, as it is typed.
type periodForm struct {
	Period string `param:"period"`
	Year   string `param:"year"`
	Start  string `param:"start_date"`
	End    string `param:"end_date"`
	Until  string `param:"active_until"`
}

func formOfPeriod(p *course.TeachingPeriod) periodForm {
	start, end := p.Days()
	return periodForm{p.Period, strconv.FormatInt(p.Year, 10), start.String(), end.String(),
		clock.Day(p.ActiveUntil.Time).String()}
}

// read gives the values of f in which it differs from other; all of them where there is no other.
func (f *periodForm) read(other *periodForm) (c course.PeriodChange, err error) {
	r := &editing.Difference{All: other == nil}
	if other == nil {
		other = &periodForm{}
	}
	r.Text(&c.Period, strings.TrimSpace(f.Period), other.Period)
	r.Whole("year", &c.Year, f.Year, other.Year)
	for name, v := range map[string]struct {
		to         **clock.Time
		now, other string
	}{"start_date": {&c.StartDate, f.Start, other.Start}, "end_date": {&c.EndDate, f.End, other.End},
		"active_until": {&c.ActiveUntil, f.Until, other.Until}} {
		var day *clock.Date
		if r.Day(name, &day, v.now, v.other); day != nil {
			*v.to = new(clock.At(day.Time))
		}
	}
	return c, r.Wrong.Err(fault.Refused)
}

// plannedPeriod are the fields by which dates of units move.
type plannedPeriod struct {
	Start string `param:"start_date"`
	End   string `param:"end_date"`
}

// periodPage is a teaching period with its breaks, and perhaps what a change of it comes to.
type periodPage struct {
	recordPage
	ID      int64
	Period  *course.TeachingPeriod // nil: it is new
	Breaks  []course.Break
	Units   int64               // that are in it
	Plan    *usecase.PeriodPlan // nil: it was not asked for
	Planned plannedPeriod
	Done    string
	words   *page.Language
}

// Moving are the units whose dates move by the plan.
func (v *periodPage) Moving() (list []usecase.PeriodMove) {
	for _, u := range v.Plan.Units {
		if !u.Stays() {
			list = append(list, u)
		}
	}
	return list
}

// Staying is how many units keep their dates.
func (v *periodPage) Staying() int { return len(v.Plan.Units) - len(v.Moving()) }

// Last is the last day of a break.
func (v *periodPage) Last(b course.Break) clock.Date {
	return b.StartDate.AddDays(7*int(b.NumberOfWeeks) - 1)
}

func (s *room) periodFields(e *editing.Record[periodForm], v *periodPage) error {
	f := &e.Typed
	v.Path, v.List, v.Title = links.AdminPeriods+"/new", links.AdminPeriods, s.Word("periods.add")
	if v.Period != nil {
		v.ID, v.Path, v.Title = v.Period.ID, links.To(links.AdminPeriod, v.Period.ID), periodName(*v.Period)
	}
	v.Fields = []input{
		{Name: "period", Label: s.Word("periods.name"), Value: f.Period, Need: true, Help: s.Word("periods.name-hint")},
		{Name: "year", Label: s.Word("periods.year"), Value: f.Year, Type: "number", Need: true},
		{Name: "start_date", Label: s.Word("settings.start"), Value: f.Start, Type: "date", Need: true},
		{Name: "end_date", Label: s.Word("settings.end"), Value: f.End, Type: "date", Need: true},
		{Name: "active_until", Label: s.Word("periods.until"), Value: f.Until, Type: "date", Need: true,
			Help: s.Word("periods.until-hint")},
	}
	return shown(e, &v.recordPage)
}

func (s *room) newPeriod(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v := &periodPage{words: s.Words}
	err := s.periodFields(&editing.Record[periodForm]{Words: s.Words}, v)
	return s.Titled(who, "admin-period", v.Title, v), err
}

type addPeriodIn struct {
	Period periodForm `param:"record"`
}

// addPeriod makes a teaching period, and leads to it: its breaks follow there.
func (s *room) addPeriod(ctx context.Context, who *access.Caller, in addPeriodIn) (endpoint.Drawing, error) {
	c, err := in.Period.read(nil)
	if err == nil {
		made, failed := s.Usecases.AddPeriod(ctx, c.Merge(course.TeachingPeriod{}))
		if err = failed; err == nil {
			return led(links.To(links.AdminPeriod, made.ID), "added", periodName(*made)), nil
		}
	}
	return s.periodAgain(ctx, who, &editing.Record[periodForm]{Typed: in.Period}, err)
}

type editPeriodIn struct {
	oneIn
	doneIn
}

func (s *room) editPeriod(ctx context.Context, who *access.Caller, in editPeriodIn) (*page.Page, error) {
	v, err := s.readPeriod(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.Done = s.done(in.doneIn)
	e := &editing.Record[periodForm]{ID: in.ID, Fill: true, Words: s.Words}
	e.Hold(formOfPeriod(v.Period))
	err = s.periodFields(e, v)
	return s.Titled(who, "admin-period", v.Title, v), err
}

// readPeriod reads a teaching period with its breaks.
func (s *room) readPeriod(ctx context.Context, id int64) (*periodPage, error) {
	v := &periodPage{words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Period, err = course.PeriodByID(ctx, q, id); err != nil {
			return err
		}
		if v.Breaks, err = course.Breaks(ctx, q, id); err != nil {
			return err
		}
		v.Units, err = course.UnitsIn(ctx, q, id)
		return err
	})
	return v, err
}

type changePeriodIn struct {
	oneIn
	Period  periodForm    `param:"record"`
	Seen    string        `param:"seen"`    // what the fields held when they were read
	Planned plannedPeriod `param:"planned"` // what moves with these was shown
}

// changePeriod saves what was changed. Where dates of units may move, what moves is shown first, and again
// when the dates are others than those it was shown for.
func (s *room) changePeriod(ctx context.Context, who *access.Caller, in changePeriodIn) (endpoint.Drawing, error) {
	seen, err := editing.Parse[periodForm](in.Seen)
	if err != nil {
		return nil, err
	}
	e := &editing.Record[periodForm]{ID: in.ID, Typed: in.Period, Before: seen}
	c, why := in.Period.read(seen)
	if why == nil {
		was, _ := seen.read(&in.Period) // it was read on our own page
		c.Seen = &was
		if (c.StartDate != nil || c.EndDate != nil) && in.Planned != (plannedPeriod{in.Period.Start, in.Period.End}) {
			var plan *usecase.PeriodPlan
			if plan, why = s.Usecases.PlanPeriod(ctx, in.ID, c); why == nil {
				return s.showPeriodPlan(ctx, who, e, plan)
			}
			return s.periodAgain(ctx, who, e, why)
		}
		var made *course.TeachingPeriod
		if made, why = s.Usecases.ChangePeriod(ctx, in.ID, c); why == nil {
			return led(links.To(links.AdminPeriod, in.ID), "saved", periodName(*made)), nil
		}
	}
	return s.periodAgain(ctx, who, e, why)
}

// showPeriodPlan shows what a change of dates moves, with the fields as they were typed.
func (s *room) showPeriodPlan(ctx context.Context, who *access.Caller, e *editing.Record[periodForm],
	plan *usecase.PeriodPlan) (endpoint.Drawing, error) {
	v, err := s.readPeriod(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	v.Plan, v.Planned, e.Words = plan, plannedPeriod{e.Typed.Start, e.Typed.End}, s.Words
	err = s.periodFields(e, v)
	return s.Titled(who, "admin-period", v.Title, v), err
}

// periodAgain shows the fields as they were typed with what is wrong.
func (s *room) periodAgain(ctx context.Context, who *access.Caller, e *editing.Record[periodForm],
	why error) (endpoint.Drawing, error) {
	v, now := &periodPage{words: s.Words}, periodForm{}
	if e.ID != 0 {
		read, err := s.readPeriod(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		v, now = read, formOfPeriod(read.Period)
	}
	e.Words = s.Words
	e.Now = func(field string) string { return now.told(field, s.Words) }
	p, err := editing.Again(s.Site, s.Refusal(who, "admin-period", "", v), e, why, now)
	if err != nil {
		return nil, err
	}
	err = s.periodFields(e, v)
	p.Title = v.Title
	return p, err
}

// told tells in words what a field holds.
func (f *periodForm) told(field string, words *page.Language) string {
	is := map[string]string{"period": f.Period, "year": f.Year, "start_date": f.Start, "end_date": f.End,
		"active_until": f.Until}[field]
	if day, err := clock.ParseDate(is); err == nil {
		return words.Date("day-year", day.Time)
	}
	return is
}

// askDeletePeriod asks, or says how many units the period has.
func (s *room) askDeletePeriod(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	v, err := s.readPeriod(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	name := periodName(*v.Period)
	if v.Units > 0 {
		return s.keeps(who, s.Word("periods.used-title"), kept{About: name, Text: s.Word("periods.used", v.Units),
			Back: links.AdminUnits + "?period=" + strconv.FormatInt(in.ID, 10), Go: s.Word("periods.units")}), nil
	}
	return s.Ask(who, s.Word("periods.delete"), page.Question{About: name, Text: s.Word("periods.ask"),
		Action: links.To(links.AdminPeriod, in.ID) + "/delete", Do: s.Word("periods.delete"), Back: links.AdminPeriods}), nil
}

func (s *room) deletePeriod(ctx context.Context, who *access.Caller, in oneIn) (endpoint.Drawing, error) {
	p, err := course.PeriodByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	if why := s.Usecases.DeletePeriod(ctx, in.ID); why != nil {
		v, err := s.readPeriods(ctx)
		if err != nil {
			return nil, err
		}
		return s.Again(s.Refusal(who, "admin-periods", s.Word("periods.title"), v), why)
	}
	return led(links.AdminPeriods, "deleted", periodName(*p)), nil
}
