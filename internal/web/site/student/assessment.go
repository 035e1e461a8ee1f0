package student

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) assessmentRoutes() {
	const tests = "/projects/{project_id}/tasks/{task_definition_id}/versions/{timestamp}/tests"
	page.Show(s.Site, tests, policy.ReadSubmission, "What the automated tests say of a submission", s.tests,
		endpoint.Asks(policy.GradeTask, policy.Submit))
	page.Form(s.Site, tests, policy.Submit, "Run the automated tests of a submission again", s.testAgain,
		endpoint.Audited(audit.Submission), endpoint.Asks(policy.GradeTask, policy.Submit))
}

type testsIn struct {
	taskIn
	Timestamp string `path:"timestamp"`
}

func (s *room) tests(ctx context.Context, who *access.Caller, in testsIn) (*page.Page, error) {
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
	v := taskpart.TestedAt(in.taskIn, a)
	v.Of = of
	v.MayAsk = who.May(policy.Submit) && (a.Status == assess.Done || a.Status == assess.Failed) && s.Usecases.Assess
	v.View, err = s.Usecases.ViewAssessment(ctx, a.ReportHash, a.Trouble, who.May(policy.GradeTask))
	return s.Page(who, "tests", &v), err
}

// testAgain has the tests of a version run once more.
func (s *room) testAgain(ctx context.Context, who *access.Caller, in testsIn) (endpoint.Drawing, error) {
	p, err := s.tests(ctx, who, in)
	if err != nil {
		return nil, err
	}
	v := p.Data.(*taskpart.Tested)
	if _, err := s.Usecases.AssessAgain(ctx, who, in.ProjectID, in.DefinitionID, v.ID); err != nil {
		return s.Again(p, err)
	}
	return endpoint.Redirect{To: v.Path}, nil
}
