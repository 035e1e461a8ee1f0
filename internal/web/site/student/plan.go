package student

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
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
	Most      float64 // of the weights of the weeks
	MayChange bool
}

// planWeek is a week with what is due in it for the grade that was asked about.
type planWeek struct {
	Title, Days   string
	Current       bool
	Load, Present insight.Load
	Tasks         []usecase.TermTask
}

func (s *room) plan(ctx context.Context, who *access.Caller, in planIn) (*page.Page, error) {
	v := &planPage{MayChange: who.May(policy.ChangeProject)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ID); err == nil {
			v.WhatIf, err = insight.WhatIfOf(ctx, q, in.ID, in.TargetGrade.Ptr())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange(s.words, clock.Day(s.DB.Now().Time))
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
		v.Most = max(v.Most, w.Target.Weighting)
	}
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
