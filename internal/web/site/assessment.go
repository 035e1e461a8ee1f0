package site

import (
	"context"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) assessmentRoutes() {
	const tests = "/projects/{project_id}/tasks/{task_definition_id}/versions/{timestamp}/tests"
	page(s, tests, policy.ReadSubmission, "What the automated tests say of a submission", s.tests,
		endpoint.Asks(policy.GradeTask, policy.Submit))
	form(s, tests, policy.Submit, "Run the automated tests of a submission again", s.testAgain,
		endpoint.Audited(audit.Submission), endpoint.Asks(policy.GradeTask, policy.Submit))
}

// tested is what the automated tests say of one version.
type tested struct {
	*assess.Assessment
	Task string // the path of its page
	Path string // that of the result
	View usecase.AssessmentView
	Of   *taskdef.Definition // on the page of the result
	// MayAsk tells whether whoever looks may have the tests run again now.
	MayAsk bool
}

// Result is the status the task got, nil while there is none.
func (v *tested) Result() *status.Status {
	if st, ok := status.Parse(opt.Or(v.ResultStatus, "")); ok {
		return &st
	}
	return nil
}

// testsOfTask are the results of all versions of a task's work.
type testsOfTask struct {
	Latest  *tested // with its messages
	Earlier []tested
}

// testsOfTask reads what the automated tests say of a task's work; nil where they were
// never run, or are not for the caller to see.
func (s *Server) testsOfTask(ctx context.Context, who *access.Caller, in taskIn) (*testsOfTask, error) {
	if !who.May(policy.ReadSubmission) {
		return nil, nil
	}
	list, err := assess.OfTask(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	out := &testsOfTask{}
	for i := range list {
		out.Earlier = append(out.Earlier, in.tested(&list[i]))
	}
	out.Latest, out.Earlier = &out.Earlier[0], out.Earlier[1:]
	out.Latest.View, err = s.usecases.ViewAssessment(ctx, list[0].ReportHash, false)
	return out, err
}

func (in taskIn) tested(a *assess.Assessment) tested {
	return tested{Assessment: a, Task: in.path(), Path: in.path() + "/versions/" + a.At.String() + "/tests"}
}

type testsIn struct {
	taskIn
	Timestamp string `path:"timestamp"`
}

func (s *Server) tests(ctx context.Context, who *access.Caller, in testsIn) (*Page, error) {
	var a *assess.Assessment
	var of *taskdef.Definition
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if a, err = assess.At(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp); err != nil {
			return err
		}
		of, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := in.tested(a)
	v.Of = of
	v.MayAsk = who.May(policy.Submit) && (a.Status == assess.Done || a.Status == assess.Failed) && s.usecases.Assess
	v.View, err = s.usecases.ViewAssessment(ctx, a.ReportHash, who.May(policy.GradeTask))
	return s.page(who, "tests", &v), err
}

// testAgain has the tests of a version run once more.
func (s *Server) testAgain(ctx context.Context, who *access.Caller, in testsIn) (endpoint.Drawing, error) {
	p, err := s.tests(ctx, who, in)
	if err != nil {
		return nil, err
	}
	v := p.Data.(*tested)
	by := assess.Asker{UserID: who.ID, Staff: who.May(policy.GradeTask)}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		_, err := s.usecases.AssessAgain(ctx, q, by, in.ProjectID, in.DefinitionID, v.ID)
		return err
	})
	if err != nil {
		return s.again(p, err)
	}
	return endpoint.Redirect{To: v.Path}, nil
}
