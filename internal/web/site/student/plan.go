package student

import (
	"context"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) planRoutes() {
	page.Show(s.Site, links.Plan, policy.ReadProject, "The weeks of a term, and what other target grades would mean",
		s.plan, showsTerm)
	page.Form(s.Site, links.Plan, policy.ChangeProject, "Aim for the grade that was tried", s.changeTargetByPlan,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status), changesTarget)
}

type planIn struct {
	ID          int64                   `path:"id" scope:"project"`
	TargetGrade params.Opt[grade.Grade] `param:"target_grade"`
}

// planPage is what the plan of a term shows.
type planPage struct {
	*usecase.Term
	WhatIf    *insight.WhatIf
	Weeks     []planWeek
	Cards     []planCard
	Chart     chart.Figure
	MayChange bool
	now       clock.Time
}

// planWeek is a week with what is due in it for the grade that was asked about.
type planWeek struct {
	Title, Days   string
	Current       bool
	Load, Present insight.Load
	Tasks         []usecase.TermTask
}

// planCard is what a grade asks for in all, with the grades below it.
type planCard struct {
	Grade           grade.Grade
	Tasks, Complete int
	Weight, Open    float64 // of all its tasks, and of those that are not complete
	Last            string  // the week in which the last of them is due
	Target, Preview bool
}

// Left is how many tasks are not complete.
func (c planCard) Left() int { return c.Tasks - c.Complete }

func (s *room) plan(ctx context.Context, who *access.Caller, in planIn) (*page.Page, error) {
	v := &planPage{MayChange: who.May(policy.ChangeProject), now: s.DB.Now()}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ID); err == nil {
			v.WhatIf, err = insight.WhatIfOf(ctx, q, in.ID, in.TargetGrade.Ptr())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange(s.words, clock.Day(v.now.Time))
	v.compare(s.words)
	v.Chart = v.draw(s.words).Figure()
	return s.Titled(who, "plan", s.Word("plan.title"), v), nil
}

// arrange puts the tasks into the weeks they are due in: those of the grade aimed for
// and of the one asked about.
func (v *planPage) arrange(l language, today clock.Date) {
	by := map[clock.Date][]usecase.TermTask{}
	for _, t := range v.Tasks {
		if t.Definition.TargetGrade <= max(v.WhatIf.Present, v.WhatIf.Target) {
			monday := week.MondayOf(t.DueDate)
			by[monday] = append(by[monday], t)
		}
	}
	for _, w := range v.WhatIf.Weeks {
		v.Weeks = append(v.Weeks, planWeek{Title: l.weekTitle(v.Term.Weeks, w.StartDate),
			Days: l.weekDays(w.StartDate), Current: week.MondayOf(today) == w.StartDate, Load: w.Target,
			Present: w.Present, Tasks: by[w.StartDate]})
	}
}

// compare sums up what each grade asks for: its own tasks, and those of all below it.
func (v *planPage) compare(l language) {
	sum, last := planCard{}, clock.Date{}
	for _, g := range v.WhatIf.Grades {
		sum.Grade, sum.Target, sum.Preview = g.Grade, g.Grade == v.WhatIf.Present, v.Asks() && g.Grade == v.WhatIf.Target
		sum.Tasks, sum.Complete = sum.Tasks+g.Adds.Tasks, sum.Complete+g.Adds.Tasks-g.Left
		sum.Weight, sum.Open = sum.Weight+g.Adds.Weighting, sum.Open+g.Open
		if g.Last.After(last) {
			last = g.Last
			sum.Last = l.weekTitle(v.Term.Weeks, week.MondayOf(last))
		}
		v.Cards = append(v.Cards, sum)
	}
}

// draw shows the work of each week: what is complete, what is left of it, and what the grade that
// is looked at adds or leaves out.
func (v *planPage) draw(l language) chart.Stacks {
	s := chart.Stacks{Words: chart.StackWords{Title: l.Word("plan.chart"), Axis: l.Word("plan.axis"),
		None: l.Word("plan.no-work"), About: l.Word("plan.chart-about"), Bar: l.Word("plan.bar"),
		First: l.Word("plan.week"), Sum: l.Word("plan.weight")},
		Parts: []chart.Part{{Name: l.Word("plan.done"), Family: "green"}, {Name: l.Word("plan.to-do"), Family: "accent"}}}
	if v.Asks() {
		last := chart.Part{Name: l.Word("plan.more", l.Grade(v.WhatIf.Target)), Family: "violet"}
		if v.WhatIf.Target < v.WhatIf.Present {
			last = chart.Part{Name: l.Word("plan.less"), Family: "grey"}
		}
		s.Parts = append(s.Parts, last)
	}
	for i, w := range v.WhatIf.Weeks {
		own, now := v.Weeks[i], min(w.Present.Weighting, w.Target.Weighting)
		bar := chart.Stack{Name: l.Word("project.break"), Long: own.Title + ", " + own.Days, Now: own.Current,
			Parts: []float64{w.Done.Weighting, max(now-w.Done.Weighting, 0)}}
		if w.Week != nil {
			bar.Name = strconv.Itoa(*w.Week)
		}
		if v.Asks() {
			all := max(w.Present.Weighting, w.Target.Weighting)
			bar.Parts = append(bar.Parts, all-bar.Parts[0]-bar.Parts[1])
		}
		s.Bars = append(s.Bars, bar)
	}
	return s
}

// Late tells whether a task that waits for its student, for the first time or again, should have come
// already.
func (v *planPage) Late(t usecase.TermTask) bool {
	again := t.Status == status.FixAndResubmit || t.Status == status.Redo
	return status.ToDo.Has(t.Status) && (t.SubmittedAt == nil || again) && v.now.After(t.Why.Ends.Time)
}

// Asks tells whether another grade than the one aimed for is looked at.
func (v *planPage) Asks() bool { return v.WhatIf.Target != v.WhatIf.Present }

// Comes tells whether a task would be added.
func (v *planPage) Comes(t usecase.TermTask) bool { return t.Definition.TargetGrade > v.WhatIf.Present }

// Goes tells whether a task would no longer be asked for.
func (v *planPage) Goes(t usecase.TermTask) bool { return t.Definition.TargetGrade > v.WhatIf.Target }

func (s *room) changeTargetByPlan(ctx context.Context, who *access.Caller, in targetIn) (endpoint.Drawing, error) {
	if _, err := s.changeTarget(ctx, who, in); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.Plan, in.ID)}, nil
}
