package usecase

import (
	"context"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/work"
)

// WeekEnd is the one trigger of a project: what was discussed or demonstrated
// in class is complete.
const WeekEnd = "trigger_week_end"

// ProjectChange is what to set of a project; nil leaves a value alone.
type ProjectChange struct {
	Trigger          *string // WeekEnd
	CampusID         *int64  // below 1: none
	Enrolled         *bool
	TargetGrade      *grade.Grade                // 0 to 3
	SubmittedGrade   course.Setting[grade.Grade] // 0 to 3
	CompilePortfolio *bool

	// The final grade. OldGrade, where it is set, is the one its giver knows.
	Grade, OldGrade *int64 // 0 to 100
	GradeRationale  course.Setting[string]
}

// ChangeProject makes all of a change of a project or, with an error, nothing of it, for
// whoever holds policy.ChangeProject and the right of each value that is set; who must be
// resolved on the project. Statistics and a portfolio on its way follow; a student who sees another final
// grade is told by email, without the grade.
func (s *Service) ChangeProject(ctx context.Context, who *access.Caller, id int64,
	c ProjectChange) (*enrol.ProjectDetail, error) {
	return change(ctx, s.DB, func(q db.Q) (*enrol.ProjectDetail, error) {
		p, shown, err := changeProject(ctx, q, who, id, c)
		if err == nil && shown {
			err = s.Mailer.GradesSeen(ctx, q, p.UnitID, enrol.GradeChanged, id)
		}
		return p, err
	})
}

// changeProject makes all of a change or, with an error, nothing of it. It asks
// for the right of each value that is set, who being resolved on the project,
// and keeps what follows from a change: statistics follow the target grade, a
// portfolio on its way is made over when what it claims changes.
func changeProject(ctx context.Context, q db.Q, who *access.Caller, id int64, c ProjectChange) (
	p *enrol.ProjectDetail, shown bool, err error) {
	if c.Trigger != nil && strings.TrimSpace(*c.Trigger) == "" {
		c.Trigger = nil
	}
	if err := c.allowed(who); err != nil {
		if c, err = c.anew(ctx, q, who, id, err); err != nil {
			return nil, false, err
		}
		if err := c.allowed(who); err != nil {
			return nil, false, err
		}
	}
	if shown, err = enrol.ChangeProject(ctx, q, who.ID, id, c.values()); err != nil {
		return nil, false, err
	}
	if err := c.follow(ctx, q, who, id); err != nil {
		return nil, false, err
	}
	p, err = ProjectRecord(ctx, q, who, id)
	return p, shown, err
}

// allowed tells what is wrong with the change, first with who makes it.
func (c ProjectChange) allowed(who *access.Caller) error {
	if err := c.permit(who); err != nil {
		return err
	}
	return c.check()
}

// anew leaves out what the project has already, of a change that was refused:
// nobody is refused for sending back what they were given. What the refusal was
// for stays in the change, so it is found again.
func (c ProjectChange) anew(ctx context.Context, q db.Q, who *access.Caller, id int64, refusal error) (ProjectChange,
	error) {
	if !fault.Is(refusal, fault.Denied) && !fault.Is(refusal, fault.Invalid) {
		return c, refusal
	}
	now, err := ProjectRecord(ctx, q, who, id)
	if err != nil {
		return c, err
	}
	if c.CampusID != nil && max(*c.CampusID, 0) == opt.Or(now.CampusID, 0) {
		c.CampusID = nil
	}
	if c.Enrolled != nil && *c.Enrolled == now.Enrolled {
		c.Enrolled = nil
	}
	// Whoever is not shown the final grade does not learn it by guessing, either.
	if g := now.ForStaff; g != nil && opt.Or(c.Grade, g.Grade) == g.Grade && opt.Or(c.OldGrade, g.Grade) == g.Grade &&
		(!c.GradeRationale.Set || opt.Or(c.GradeRationale.To, "") == opt.Or(g.GradeRationale, "")) {
		c.Grade, c.OldGrade, c.GradeRationale = nil, nil, course.Setting[string]{}
	}
	return c, nil
}

// permit asks for the right of each value that is set.
func (c ProjectChange) permit(who *access.Caller) error {
	for _, p := range []struct {
		set   bool
		right *policy.Right
	}{
		{c.Trigger != nil, policy.EndWeek},
		{c.CampusID != nil, policy.ChangeCampus},
		{c.Enrolled != nil, policy.ChangeEnrolments},
		{c.grades(), policy.GradeProject},
	} {
		if p.set {
			if err := who.Must(p.right); err != nil {
				return err
			}
		}
	}
	return nil
}

// grades tells whether any part of the final grade is set.
func (c ProjectChange) grades() bool {
	return c.Grade != nil || c.OldGrade != nil || c.GradeRationale.Set
}

// noTarget says what is wrong with a grade that nobody can aim for.
const noTarget = "must be 0, 1, 2 or 3"

// check finds all that is wrong with the values.
func (c ProjectChange) check() error {
	var wrong fault.Fields
	if c.TargetGrade != nil && !c.TargetGrade.Target() {
		wrong.Add("target_grade", noTarget)
	}
	if g := c.SubmittedGrade.To; g != nil && !g.Target() {
		wrong.Add("submitted_grade", noTarget)
	}
	if c.Grade != nil && (*c.Grade < 0 || *c.Grade > 100) {
		wrong.Add("grade", "must be from 0 to 100")
	}
	if c.Trigger != nil && *c.Trigger != WeekEnd {
		wrong.Add("trigger", "is not known")
	}
	return wrong.Err(fault.Invalid)
}

// values are what the project's own record holds of the change.
func (c ProjectChange) values() enrol.ProjectChange {
	v := enrol.ProjectChange{CampusID: c.CampusID, Enrolled: c.Enrolled, TargetGrade: c.TargetGrade,
		SubmittedGrade: c.SubmittedGrade.To, CompilePortfolio: c.CompilePortfolio}
	if c.SubmittedGrade.Set && v.SubmittedGrade == nil {
		v.SubmittedGrade = new(grade.Fail)
	}
	if c.grades() {
		v.Grade = &enrol.FinalGrade{Grade: c.Grade, Old: c.OldGrade, Explain: c.GradeRationale.Set,
			Rationale: c.GradeRationale.To}
	}
	return v
}

// follow lets the tasks of a project follow its change: the statistics its
// target grade, what was to be discussed in class is complete, and the
// portfolio is made of it all.
func (c ProjectChange) follow(ctx context.Context, q db.Q, who *access.Caller, id int64) error {
	if c.TargetGrade != nil {
		if err := stats.Recompute(ctx, q, who.UnitID, id); err != nil {
			return err
		}
	}
	if c.Trigger != nil {
		if err := work.EndWeek(ctx, q, Mover(who), id); err != nil {
			return err
		}
	}
	return c.compile(ctx, q, id)
}

// compile has the portfolio made, and made over when what it claims changes
// while it is on its way.
func (c ProjectChange) compile(ctx context.Context, q db.Q, id int64) error {
	if c.CompilePortfolio != nil && *c.CompilePortfolio {
		return portfolio.Ask(ctx, q, id)
	}
	if c.SubmittedGrade.Set || c.TargetGrade != nil {
		return portfolio.AskAgain(ctx, q, id)
	}
	return nil
}
