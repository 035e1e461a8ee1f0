package admin

import (
	"context"
	"errors"
	"slices"
	"strconv"

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

func (s *room) periodRolloverRoutes() {
	const at = links.AdminPeriod + "/rollover"
	page.Show(s.Site, at, policy.SeeSetup, "Where the units of a teaching period are rolled over to", s.periodRollover)
	page.Form(s.Site, at+"/plan", policy.RolloverPeriod, "Show what a rollover of a teaching period comes to",
		s.planPeriodRollover, endpoint.Unaudited("a plan changes nothing"), endpoint.Costs(endpoint.Rollovers))
	page.Form(s.Site, at, policy.RolloverPeriod, "Roll the units of a teaching period over that were ticked",
		s.rollPeriodOver, endpoint.Audited(audit.Unit), endpoint.Costs(endpoint.Rollovers))
}

// rolloverForm is what the fields of a rollover hold, as it is typed.
type rolloverForm struct {
	To       string `param:"new_teaching_period_id"`
	Inactive bool   `param:"rollover_inactive"`
	Old      bool   `param:"old"` // those of this period, where a later one has the same code, too
}

// rolloverPage is a teaching period whose units are taught again.
type rolloverPage struct {
	Period *course.TeachingPeriod
	Later  []course.TeachingPeriod // that it can be rolled over to
	Typed  rolloverForm
	Plan   *rolloverPlan // nil: it was not asked for
	wrong  map[string]string
}

// rolloverPlan is what a rollover comes to.
type rolloverPlan struct {
	*usecase.PeriodRolloverPlan
	To            string // the period
	Carried, Left []countRow
	Outside       int // units with tasks outside their new dates
	periods       map[int64]string
}

// countRow is how many of something are carried or left behind.
type countRow struct {
	Icon page.Icon
	Text string
}

// From names the period that a unit is copied from.
func (p *rolloverPlan) From(u usecase.RolledUnit) string { return p.periods[u.PeriodID] }

func (s *room) periodRollover(ctx context.Context, who *access.Caller, in oneIn) (*page.Page, error) {
	v, err := s.readRollover(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.rolloverTitled(who, v), nil
}

func (s *room) rolloverTitled(who *access.Caller, v *rolloverPage) *page.Page {
	return s.Titled(who, "admin-rollover", s.Word("period-rollover.title"), v)
}

// readRollover reads what a period can be rolled over to: those that are still to begin, after it.
func (s *room) readRollover(ctx context.Context, id int64) (*rolloverPage, error) {
	v := &rolloverPage{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Period, err = course.PeriodByID(ctx, q, id); err != nil {
			return err
		}
		v.Later, err = course.TeachingPeriods(ctx, q)
		from, _ := v.Period.Days()
		v.Later = slices.DeleteFunc(v.Later, func(p course.TeachingPeriod) bool {
			start, _ := p.Days()
			return !start.After(from) || start.Before(clock.Day(q.Now().Time))
		})
		return err
	})
	if len(v.Later) > 0 {
		v.Typed.To = strconv.FormatInt(v.Later[0].ID, 10)
	}
	return v, err
}

// PeriodOptions are the periods to choose from.
func (v *rolloverPage) PeriodOptions() (list []editing.Option) {
	for _, p := range v.Later {
		list = append(list, editing.Choice(p.ID, periodName(p), v.Typed.To))
	}
	return list
}

// Error tells what is wrong with a field.
func (v *rolloverPage) Error(name string) string { return editing.Sentence(v.wrong[name]) }

// Name is that of the period.
func (v *rolloverPage) Name() string { return periodName(*v.Period) }

// At is where the page stands.
func (v *rolloverPage) At() string { return links.To(links.AdminPeriod, v.Period.ID) + "/rollover" }

// read makes a rollover of what was typed.
func (f rolloverForm) read(from int64, who *access.Caller) (usecase.PeriodRollover, error) {
	to, err := strconv.ParseInt(f.To, 10, 64)
	r := usecase.PeriodRollover{FromID: from, ToID: to, Inactive: f.Inactive, SearchForward: !f.Old, CallerID: who.ID}
	if err != nil {
		err = fault.Field(fault.Refused, "new_teaching_period_id", "must be chosen")
	}
	return r, err
}

type planRolloverIn struct {
	oneIn
	To rolloverForm `param:"to"`
}

// planPeriodRollover shows which units are copied, with all of them ticked.
func (s *room) planPeriodRollover(ctx context.Context, who *access.Caller, in planRolloverIn) (endpoint.Drawing,
	error) {
	var plan *usecase.PeriodRolloverPlan
	r, why := in.To.read(in.ID, who)
	if why == nil {
		plan, why = s.Usecases.PlanRolloverPeriod(ctx, r)
	}
	if why != nil {
		return s.rolloverAgain(ctx, who, in, why)
	}
	v, err := s.readRollover(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.Typed = in.To
	v.Plan, err = s.planned(ctx, plan, r.ToID)
	return s.rolloverTitled(who, v), err
}

// planned puts a plan into words.
func (s *room) planned(ctx context.Context, p *usecase.PeriodRolloverPlan, to int64) (*rolloverPlan, error) {
	out := &rolloverPlan{PeriodRolloverPlan: p, periods: map[int64]string{}}
	all, err := course.TeachingPeriods(ctx, s.DB.Pool())
	for _, one := range all {
		out.periods[one.ID] = periodName(one)
	}
	out.To = out.periods[to]
	for _, u := range p.Units {
		if u.Outside > 0 {
			out.Outside++
		}
	}
	add := func(list *[]countRow, n int64, icon page.Icon, text string) {
		if n > 0 {
			*list = append(*list, countRow{icon, text})
		}
	}
	c, l := p.Carried, p.LeftBehind
	add(&out.Carried, c.Tasks, page.Icon("list-checks"), s.Word("rollover.tasks", c.Tasks))
	add(&out.Carried, c.Files, page.Icon("file-text"), s.Word("rollover.files", c.Files))
	add(&out.Carried, c.Outcomes, page.Icon("target"), s.Word("rollover.outcomes", c.Outcomes))
	add(&out.Carried, c.Alignments, page.Icon("route"), s.Word("rollover.alignments", c.Alignments))
	add(&out.Carried, c.Streams, page.Icon("presentation"), s.Word("rollover.streams", c.Streams))
	add(&out.Carried, c.GroupSets, page.Icon("users-round"), s.Word("rollover.sets", c.GroupSets))
	add(&out.Carried, c.Snippets, page.Icon("message-square-quote"), s.Word("rollover.comments", c.Snippets))
	add(&out.Carried, c.Staff, page.Icon("user"), s.Word("rollover.staff", c.Staff))
	add(&out.Left, l.Students, page.Icon("users"), s.Word("rollover.students", l.Students))
	add(&out.Left, l.Submissions, page.Icon("send"), s.Word("rollover.submissions", l.Submissions))
	add(&out.Left, l.Tutorials, page.Icon("presentation"), s.Word("rollover.tutorials", l.Tutorials))
	add(&out.Left, l.Groups, page.Icon("users-round"), s.Word("rollover.groups", l.Groups))
	add(&out.Left, l.Announced, page.Icon("mail"), s.Word("announce.count", l.Announced))
	add(&out.Left, l.Staff, page.Icon("user"), s.Word("rollover.others", l.Staff))
	return out, err
}

type rollPeriodIn struct {
	planRolloverIn
	Units []int64 `param:"units"` // that were ticked in the plan
}

// rollPeriodOver copies the units that were ticked, all or none, and leads to those of the later period.
func (s *room) rollPeriodOver(ctx context.Context, who *access.Caller, in rollPeriodIn) (endpoint.Drawing, error) {
	r, why := in.To.read(in.ID, who)
	if why == nil && len(in.Units) == 0 {
		why = fault.New(fault.Refused, "%s", s.Word("period-rollover.none-ticked"))
	}
	if why == nil {
		r.Only = in.Units
		if why = s.Usecases.RolloverPeriod(ctx, r); why == nil {
			return endpoint.Redirect{To: links.AdminUnits + "?period=" + in.To.To}, nil
		}
	}
	return s.rolloverAgain(ctx, who, in.planRolloverIn, why)
}

// rolloverAgain shows the fields as they were typed with what is wrong.
func (s *room) rolloverAgain(ctx context.Context, who *access.Caller, in planRolloverIn,
	why error) (endpoint.Drawing, error) {
	v, err := s.readRollover(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.Typed = in.To
	if e, told := errors.AsType[*fault.Error](why); told {
		v.wrong = e.Fields
	}
	return s.Again(s.Refusal(who, "admin-rollover", s.Word("period-rollover.title"), v), why)
}
