package student

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

var (
	// showsTerm are the rights that the pages of a student's term ask for.
	showsTerm = endpoint.Asks(policy.ReadTask, policy.ListStudents, policy.ChangeProject, policy.SeeRecipients)
	// changesTarget are those that a new target grade asks for, by the fields of a project.
	changesTarget = endpoint.Asks(policy.ListStudents, policy.ReadTask, policy.GradeProject, policy.ChangeCampus,
		policy.ChangeEnrolments, policy.EndWeek, policy.GradeTask)
)

func (s *room) projectRoutes() {
	page.Show(s.Site, links.Project, policy.ReadProject, "The term of a student", s.project, showsTerm)
}

type projectIn struct {
	ID    int64  `path:"id" scope:"project"`
	View  string `param:"view"`
	Show  string `param:"show"`
	Grade string `param:"grade"`
}

// termPage is what the page of a project shows: what the address asks for of its
// tasks, and the way the work went.
type termPage struct {
	*usecase.Term
	projectIn
	Next      []usecase.TermTask // the next things to do
	List      []usecase.TermTask // those of the target grade that are shown
	Weekly    []weekRow          // the same by weeks
	Beyond    []usecase.TermTask // what a higher target grade would add
	Burndown  *insight.Burndown
	Written   []announce.Copy // the newest announcements
	MayChange bool
	now       clock.Time
	words     language
}

func (s *room) project(ctx context.Context, who *access.Caller, in projectIn) (*page.Page, error) {
	v := &termPage{words: s.words, projectIn: in, now: s.DB.Now(), MayChange: who.May(policy.ChangeProject)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ID); err != nil {
			return err
		}
		if v.Burndown, err = insight.BurndownOf(ctx, q, in.ID, nil); err != nil {
			return err
		}
		by, err := usecase.CopyReader(ctx, q, who)
		if err != nil {
			return err
		}
		v.Written, err = announce.NewestOf(ctx, q, in.ID, by, copiesInTerm)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange()
	return s.Titled(who, "project", v.Project.Code+" "+v.Project.UnitName, v), nil
}

// Late tells whether a task that waits for its student should have come already.
func (v *termPage) Late(t usecase.TermTask) bool {
	return usecase.Overdue(t.Status, t.SubmittedAt != nil, t.Why.Dates, v.now.Time)
}

// Grades are those a student can aim for.
func (v *termPage) Grades() []grade.Grade { return grade.Targets }

type targetIn struct {
	ID          int64 `path:"id" scope:"project"`
	TargetGrade int64 `param:"target_grade"`
}

func (s *room) changeTarget(ctx context.Context, who *access.Caller, in targetIn) (endpoint.Drawing, error) {
	to := grade.Grade(in.TargetGrade)
	if !to.Target() {
		return nil, fault.Field(fault.Invalid, "target_grade", "must be a grade to aim for")
	}
	_, err := s.Usecases.ChangeProject(ctx, who, in.ID, usecase.ProjectChange{TargetGrade: &to})
	return endpoint.Redirect{To: fmt.Sprintf("/projects/%d", in.ID)}, err
}
