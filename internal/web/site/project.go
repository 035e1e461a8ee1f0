package site

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) projectRoutes() {
	page(s, links.Project, policy.ReadProject, "The term of a student", s.project,
		endpoint.Asks(policy.ReadTask, policy.ListStudents, policy.ChangeProject))
	form(s, links.Project, policy.ChangeProject, "Aim for another grade", s.aim,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status), endpoint.Asks(policy.ListStudents,
			policy.ReadTask, policy.GradeProject, policy.ChangeCampus, policy.ChangeEnrolments, policy.EndWeek,
			policy.GradeTask))
	endpoint.Route(s.Server, "GET "+links.Project+"/burndown.svg", 200, policy.ReadProject,
		"How the work of a project shrinks, as a picture", s.burndown)
}

type projectIn struct {
	ID     int64  `path:"id" scope:"project"`
	View   string `param:"view"`
	Sort   string `param:"sort"`
	Show   string `param:"show"`
	Status string `param:"status"`
	Grade  string `param:"grade"`
}

// termPage is what the page of a project shows: what the address asks for of its
// tasks, and the way the work went.
type termPage struct {
	*usecase.Term
	projectIn
	Next       []usecase.TermTask // the next things to do
	Now, Later []taskGroup        // what has begun, and what begins later
	Beyond     []usecase.TermTask // what a higher target grade would add
	Burndown   *chart.Table       // as text; nil where there is nothing to do
	MayChange  bool
	now        clock.Time
	words      *Language
}

// picture is what the burndown of a project says.
func (l *Language) picture() chart.BurndownWords {
	return chart.BurndownWords{Title: l.word("burndown.title"), Target: l.word("burndown.target"),
		Projected: l.word("burndown.projected"), Submitted: l.word("burndown.submitted"), Done: l.word("burndown.done"),
		Axis: l.word("burndown.axis"), Today: l.word("burndown.today"), None: l.word("burndown.none"),
		About: l.word("burndown.about"), Line: l.word("burndown.line"), Point: l.word("burndown.point"),
		Short: func(t time.Time) string { return l.date("short", t) },
		Long:  func(t time.Time) string { return l.date("long", t) }}
}

// burndown gives the picture of a project as a table.
func (l *Language) burndown(b *insight.Burndown) chart.Table {
	return b.Table(l.word("burndown.title"), [4]string{l.word("burndown.day"), l.word("burndown.target"),
		l.word("burndown.submitted"), l.word("burndown.done")},
		func(d clock.Date) string { return l.date("brief", d.Time) })
}

func (s *Server) project(ctx context.Context, who *access.Caller, in projectIn) (*Page, error) {
	v := &termPage{words: s.words, projectIn: in, now: s.DB.Now(), MayChange: who.May(policy.ChangeProject)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ID); err != nil {
			return err
		}
		b, err := insight.BurndownOf(ctx, q, in.ID, nil)
		if err == nil && b.Tasks > 0 {
			v.Burndown = new(s.words.burndown(b))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.arrange()
	return s.titled(who, "project", v.Project.Code+" "+v.Project.UnitName, v), nil
}

// Late tells whether a task that waits for its student should have come already.
func (v *termPage) Late(t usecase.TermTask) bool {
	return status.Set(usecase.ToDo).Has(t.Status) && t.SubmittedAt == nil && v.now.After(t.Why.Ends.Time)
}

// Grades are those a student can aim for.
func (v *termPage) Grades() []grade.Grade { return grade.Targets }

type burndownIn struct {
	ID          int64                   `path:"id" scope:"project"`
	TargetGrade params.Opt[grade.Grade] `param:"target_grade"`
}

func (s *Server) burndown(ctx context.Context, _ *access.Caller, in burndownIn) (endpoint.Picture, error) {
	var b *insight.Burndown
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		b, err = insight.BurndownOf(ctx, q, in.ID, in.TargetGrade.Ptr())
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.SVG(s.words.picture()), nil
}

type aimIn struct {
	ID          int64 `path:"id" scope:"project"`
	TargetGrade int64 `param:"target_grade"`
}

func (s *Server) aim(ctx context.Context, who *access.Caller, in aimIn) (endpoint.Drawing, error) {
	to := grade.Grade(in.TargetGrade)
	if !to.Target() {
		return nil, fault.Field(fault.Invalid, "target_grade", "must be a grade that can be aimed for")
	}
	err := s.DB.Brief(ctx, func(q db.Q) error {
		_, err := usecase.ChangeProject(ctx, q, who, in.ID, usecase.ProjectChange{TargetGrade: &to})
		return err
	})
	return endpoint.Redirect{To: fmt.Sprintf("/projects/%d", in.ID)}, err
}
