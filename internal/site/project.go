package site

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/audit"
	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/grade"
	"lectern/internal/policy"
	"lectern/internal/status"
	"lectern/internal/usecase"
)

func (s *Server) projectRoutes() {
	page(s, "/projects/{id}", policy.ReadProject, "The term of a student", s.project,
		endpoint.Asks(policy.ReadTask, policy.ListStudents, policy.ChangeProject))
	form(s, "/projects/{id}", policy.ChangeProject, "Aim for another grade", s.aim,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status), endpoint.Asks(policy.ListStudents,
			policy.ReadTask, policy.GradeProject, policy.ChangeCampus, policy.ChangeEnrolments, policy.EndWeek,
			policy.GradeTask))
}

type projectIn struct {
	ID   int64  `path:"id" scope:"project"`
	Sort string `param:"sort"`
	Show string `param:"show"`
}

// termPage is what the page of a project shows.
type termPage struct {
	*usecase.Term
	Sort, Show string
	Next       []usecase.TermTask // the next things to do
	Now, Later []usecase.TermTask // what has begun, and what begins later
	Beyond     []usecase.TermTask // what a higher target grade would add
	Grades     []grade.Grade
	Today      clock.Date
	MayChange  bool
}

func (s *Server) project(ctx context.Context, who *access.Caller, in projectIn) (*Page, error) {
	var t *usecase.Term
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		t, err = usecase.TermOf(ctx, q, who, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := &termPage{Term: t, Sort: in.Sort, Show: in.Show,
		Today: clock.Day(s.DB.Now().Time), MayChange: who.May(policy.ChangeProject)}
	for g := grade.Pass; g <= grade.Highest; g++ {
		v.Grades = append(v.Grades, g)
	}
	v.arrange()
	return s.titled(who, "project", t.Project.Code+" "+t.Project.UnitName, v), nil
}

// orders are the ways to sort tasks.
var orders = map[string]func(a, b usecase.TermTask) int{
	"due":   func(a, b usecase.TermTask) int { return a.DueDate.Compare(b.DueDate.Time) },
	"start": func(a, b usecase.TermTask) int { return a.Definition.StartDate.Compare(b.Definition.StartDate.Time) },
	"name": func(a, b usecase.TermTask) int {
		return strings.Compare(a.Definition.Abbreviation, b.Definition.Abbreviation)
	},
}

// Orders names the ways to sort, for links.
func (v *termPage) Orders() []string { return slices.Sorted(maps.Keys(orders)) }

// arrange sorts the tasks and puts each where it belongs: what the address does
// not say, or says wrongly, is by date and all.
func (v *termPage) arrange() {
	if orders[v.Sort] == nil {
		v.Sort = "due"
	}
	if v.Show != "open" {
		v.Show = "all"
	}
	tasks := slices.Clone(v.Tasks)
	slices.SortStableFunc(tasks, orders[v.Sort])
	for _, t := range tasks {
		switch {
		case !t.Aimed:
			v.Beyond = append(v.Beyond, t)
		case v.Show == "open" && t.Status.Colour() == status.Green:
		case t.Definition.StartDate.After(v.Today) && t.Status == status.NotStarted:
			v.Later = append(v.Later, t)
		default:
			v.Now = append(v.Now, t)
		}
	}
	v.Next = nextThings(v.Tasks, v.Today)
}

// nextThings are the three tasks to do next: what waits for the student, by the
// day it is due.
func nextThings(tasks []usecase.TermTask, today clock.Date) (out []usecase.TermTask) {
	for _, t := range tasks {
		if t.Aimed && !t.Definition.StartDate.After(today) && slices.Contains(toDo, t.Status) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, orders["due"])
	return out[:min(len(out), 3)]
}

// toDo are the states in which it is the student's turn.
var toDo = []status.Status{status.NotStarted, status.WorkingOnIt, status.FixAndResubmit, status.Redo, status.Discuss,
	status.Demonstrate}

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
