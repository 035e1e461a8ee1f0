package unit

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// mostTried is how many files a task can ask for.
const mostTried = 20

func (s *room) taskTrialRoutes() {
	at := links.TaskEditor + "/trials"
	page.Show(s.Site, at, policy.SeeMaterial, "Try the tests of a task out", s.trialForm)
	page.Form(s.Site, at, policy.EditDefinitions, "Run the tests of a task over files or without any", s.tryTask,
		endpoint.Audited(audit.Definition), endpoint.Uploads(mostTried, s.Usecases.MostFile),
		endpoint.Accepts(func(ctx context.Context, who *access.Caller, in tryTaskIn) (func(string) error, error) {
			return s.Usecases.FilesAskedFor(ctx, who, in.DefinitionID)
		}))
	page.Show(s.Site, at+"/{trial_id}", policy.SeeMaterial, "What came of trying the tests of a task out", s.trial)
}

// trialPage is a run of the tests of a task that counts for nobody, or the form that starts one.
type trialPage struct {
	Definition *taskdef.Definition
	At         string // the editor of the task
	Trial      *assess.Trial
	View       *usecase.AssessmentView
	Most       int64
}

// Waits tells whether the run is not over.
func (v *trialPage) Waits() bool {
	return v.Trial != nil && (v.Trial.Status == assess.Queued || v.Trial.Status == assess.Running)
}

func (s *room) trialForm(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), in.DefinitionID)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "task-trial", s.Word("task-trial.title"),
		&trialPage{Definition: d, At: in.path(), Most: s.Usecases.MostFile}), nil
}

type tryTaskIn struct {
	taskIn
	Files map[string]*params.Upload `param:"*files"`
}

// tryTask runs the tests over the files that were chosen; a browser sends an empty one where none was.
func (s *room) tryTask(ctx context.Context, who *access.Caller, in tryTaskIn) (endpoint.Drawing, error) {
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		if u.Name != "" || u.Size > 0 {
			sent[key] = page.Uploaded(u)
		}
	}
	err := s.Usecases.CheckAssess()
	if err == nil {
		var id int64
		if id, err = s.Usecases.TryAssessment(ctx, who, in.DefinitionID, sent); err == nil {
			return endpoint.Redirect{To: links.To(links.TaskEditor+"/trials/{trial_id}", in.UnitID, in.DefinitionID, id)}, nil
		}
	}
	p, drawn := s.trialForm(ctx, who, in.taskIn)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) trial(ctx context.Context, who *access.Caller, in struct {
	taskIn
	TrialID int64 `path:"trial_id"`
}) (*page.Page, error) {
	v := &trialPage{At: in.path()}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err == nil {
			v.Trial, err = assess.TrialByID(ctx, q, in.DefinitionID, in.TrialID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view, err := s.Usecases.ViewAssessment(ctx, v.Trial.ReportHash, nil, true)
	if err != nil {
		return nil, err
	}
	v.View = &view
	return s.Titled(who, "task-trial", s.Word("task-trial.title"), v), nil
}
