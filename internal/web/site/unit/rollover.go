package unit

import (
	"cmp"
	"context"
	"errors"
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

func (s *room) rolloverRoutes() {
	page.Show(s.Site, links.Rollover, policy.RolloverUnit, "Where a unit is rolled over to", s.rollover)
	page.Form(s.Site, links.Rollover, policy.RolloverUnit, "Roll a unit over; what it comes to is shown first",
		s.rollOver, endpoint.Audited(audit.Unit), endpoint.Costs(endpoint.Rollovers),
		endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups))
}

// rolloverForm is what the fields of a rollover hold, as it is typed.
type rolloverForm struct {
	Period string `param:"teaching_period_id"`
	Start  string `param:"start_date"`
	End    string `param:"end_date"`
}

// rolloverPage is a unit that is taught again.
type rolloverPage struct {
	Unit    *course.Unit
	Periods []course.TeachingPeriod
	Typed   rolloverForm
	Plan    *rolloverPlan // nil: it was not asked for
	wrong   map[string]string
	words   *page.Language
}

// rolloverPlan is what a rollover comes to, in words and dates.
type rolloverPlan struct {
	*usecase.RolloverPlan
	Period        string
	Carried, Left []countRow
	Dates         []movedTask
	Outside       int // tasks whose target is outside the dates of the new unit
}

// countRow is how many of something are carried or left behind.
type countRow struct {
	Icon page.Icon
	Text string
}

func (s *room) rollover(ctx context.Context, who *access.Caller, in settingsIn) (*page.Page, error) {
	v, err := s.readRollover(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "unit-rollover", s.Word("rollover.title"), v), nil
}

func (s *room) readRollover(ctx context.Context, id int64) (*rolloverPage, error) {
	v := &rolloverPage{words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, id); err != nil {
			return err
		}
		v.Periods, err = course.TeachingPeriods(ctx, q)
		v.Typed.Period = nextPeriod(v.Periods, q.Now())
		return err
	})
	return v, err
}

type rollOverIn struct {
	settingsIn
	To      rolloverForm `param:"to"`
	Planned rolloverForm `param:"planned"` // what it comes to was shown for these
}

// rollOver makes the new unit once what it comes to was shown, and leads to it.
func (s *room) rollOver(ctx context.Context, who *access.Caller, in rollOverIn) (endpoint.Drawing, error) {
	to, err := in.To.read()
	var plan *usecase.RolloverPlan
	if err == nil && in.Planned != in.To {
		plan, err = s.Usecases.PlanRollover(ctx, who, in.ID, to)
	} else if err == nil {
		made, failed := s.Usecases.RolloverUnit(ctx, who, in.ID, to)
		if err = failed; err == nil {
			return endpoint.Redirect{To: links.To(links.Unit, made.ID)}, nil
		}
	}
	v, failed := s.readRollover(ctx, in.ID)
	if failed != nil {
		return nil, failed
	}
	v.Typed = in.To
	if err == nil {
		v.Plan = v.plan(s, plan)
		return s.Titled(who, "unit-rollover", s.Word("rollover.title"), v), nil
	}
	if e, told := errors.AsType[*fault.Error](err); told {
		v.wrong = e.Fields
	}
	p, err := s.Again(s.Refusal(who, "unit-rollover", s.Word("rollover.title"), v), err)
	if err == nil && len(v.wrong) > 0 {
		p.Wrong.Text = s.Word("new.refused")
	}
	return p, err
}

// read makes a rollover of what was typed.
func (f rolloverForm) read() (to usecase.UnitRollover, err error) {
	var wrong fault.Fields
	to.PeriodID, err = strconv.ParseInt(f.Period, 10, 64)
	wrong.When(err != nil, "teaching_period_id", "must be chosen")
	day := func(name, text string) *clock.Date {
		if text == "" {
			return nil
		}
		d, err := clock.ParseDate(text)
		wrong.When(err != nil, name, "must be a date")
		return &d
	}
	to.Start, to.End = day("start_date", f.Start), day("end_date", f.End)
	return to, wrong.Err(fault.Refused)
}

// plan says what a rollover comes to.
func (v *rolloverPage) plan(s *room, p *usecase.RolloverPlan) *rolloverPlan {
	out := &rolloverPlan{RolloverPlan: p}
	for _, one := range v.Periods {
		if one.ID == p.TeachingPeriodID {
			out.Period = periodName(one)
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
	for i := range p.Tasks {
		t := &p.Tasks[i]
		out.Dates = append(out.Dates, movedTask{t.Abbreviation, t.Name, moved{&t.FromStart, &t.StartDate},
			moved{&t.FromTarget, &t.TargetDate}, moved{cmp.Or(t.FromDue, &v.Unit.EndDate), cmp.Or(t.DueDate, &p.EndDate)},
			t.Outside})
		if t.Outside {
			out.Outside++
		}
	}
	return out
}

// PeriodOptions are the teaching periods to choose from.
func (v *rolloverPage) PeriodOptions() []editing.Option {
	return periodOptions(v.Periods, v.Typed.Period)
}

// Error tells what is wrong with a field.
func (v *rolloverPage) Error(name string) string { return editing.Sentence(v.wrong[name]) }
