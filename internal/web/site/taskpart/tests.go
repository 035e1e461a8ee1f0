package taskpart

import (
	"context"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// Tested is what the automated tests say of one version.
type Tested struct {
	*assess.Assessment
	Task string // the path of its page
	Path string // that of the result
	View usecase.AssessmentView
	Of   *taskdef.Definition // on the page of the result
	// MayAsk tells whether whoever looks may have the tests run again now.
	MayAsk bool
}

// Result is the status the task got, nil while there is none.
func (v *Tested) Result() *status.Status {
	if st, ok := status.Parse(opt.Or(v.ResultStatus, "")); ok {
		return &st
	}
	return nil
}

// Tests are the results of all versions of a task's work.
type Tests struct {
	Latest  *Tested // with its messages
	Earlier []Tested
}

// TestsOf reads what the automated tests say of a task's work; nil where they were
// never run, or are not for the caller to see.
func TestsOf(ctx context.Context, s *page.Site, who *access.Caller, in In) (*Tests, error) {
	if !who.May(policy.ReadSubmission) {
		return nil, nil
	}
	list, err := assess.OfTask(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	out := &Tests{}
	for i := range list {
		out.Earlier = append(out.Earlier, TestedAt(in, &list[i]))
	}
	out.Latest, out.Earlier = &out.Earlier[0], out.Earlier[1:]
	out.Latest.View, err = s.Usecases.ViewAssessment(ctx, list[0].ReportHash, nil, false)
	return out, err
}

// TestedAt is an assessment with the paths of its pages.
func TestedAt(in In, a *assess.Assessment) Tested {
	return Tested{Assessment: a, Task: in.Path(), Path: in.Path() + "/versions/" + a.At.String() + "/tests"}
}
