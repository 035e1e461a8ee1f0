package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

var noEngine = endpoint.Also(503, "no container engine is set up")

func (s *Server) assessmentRoutes() {
	const task = "/api/projects/{id}/task_def_id/{task_definition_id}"
	const definition = "/api/units/{unit_id}/task_definitions/{task_def_id}"
	endpoint.Route(s.Server, "PUT "+task+"/overseer_assessment/{oa_id}/trigger", 200, policy.Submit,
		"Run the automated assessment of a submission again", s.triggerAssessment,
		endpoint.Audited(audit.Submission), endpoint.Asks(policy.GradeTask), noEngine,
		endpoint.Also(409, "it is queued or running, or there is nothing to run"),
		endpoint.Also(429, "a student asked five times within an hour"))
	endpoint.Route(s.Server, "GET "+task+"/submissions/timestamps/{timestamp}/assessment", 200, policy.ReadSubmission,
		"Get what the automated assessment says of one submission", s.assessmentAt, endpoint.Asks(policy.GradeTask))
	endpoint.Route(s.Server, "POST "+definition+"/test_overseer_assessment", 200, policy.EditDefinitions,
		"Try the tests of a task out, over files or without any", s.tryAssessment, endpoint.Audited(audit.Definition),
		endpoint.Uploads(mostFiles, s.usecases.MostFile), endpoint.Accepts(s.filesTried), noEngine, tooLarge, notAccepted,
		endpoint.Also(409, "the task has no tests, or neither it nor its unit has an image"))
	endpoint.Route(s.Server, "GET "+definition+"/test_overseer_assessment/{id}", 200, policy.SeeMaterial,
		"Get what came of trying the tests of a task out", s.getTrial)
	endpoint.Route(s.Server, "POST "+definition+"/assessment_preview", 201, policy.EditDefinitions,
		"Run the tests of a task over the latest submissions, applying nothing", s.askPreview,
		endpoint.Audited(audit.Definition), noEngine, endpoint.Location(definition+"/assessment_preview/{.id}"),
		endpoint.Also(409, "the task has no tests or no image, or a preview is under way"))
	endpoint.Route(s.Server, "GET "+definition+"/assessment_preview/{id}", 200, policy.SeeMaterial,
		"Get whose result the tests of a task would change", s.getPreview)
}

type triggerIn struct {
	taskPath
	AssessmentID int64 `path:"oa_id"`
}

type triggerOut struct {
	Message string `json:"message"`
	*assess.Assessment
}

func (s *Server) triggerAssessment(ctx context.Context, who *access.Caller, in triggerIn) (*triggerOut, error) {
	a, err := s.usecases.AssessAgain(ctx, who, in.ProjectID, in.DefinitionID, in.AssessmentID)
	if err != nil {
		return nil, err
	}
	return &triggerOut{"The assessment will be run again.", a}, nil
}

type assessmentOut struct {
	*assess.Assessment
	usecase.AssessmentView
}

func (s *Server) assessmentAt(ctx context.Context, who *access.Caller, in filesAtIn) (*assessmentOut, error) {
	a, err := view(ctx, s.db, func(q db.Q) (*assess.Assessment, error) {
		return assess.At(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp)
	})
	if err != nil {
		return nil, err
	}
	v, err := s.usecases.ViewAssessment(ctx, a.ReportHash, a.Trouble, who.May(policy.GradeTask))
	return &assessmentOut{a, v}, err
}

// trialPath names a definition as the routes of trials do.
type trialPath struct {
	UnitID       int64 `path:"unit_id" scope:"unit"`
	DefinitionID int64 `path:"task_def_id" scope:"definition"`
}

type tryIn struct {
	trialPath
	Files map[string]*params.Upload `param:"*files" doc:"as students hand them in (file0, file1, …); all optional"`
}

type tryOut struct {
	Status assess.State `json:"status"`
	ID     int64        `json:"id" doc:"of the trial, for GET …/test_overseer_assessment/{id}"`
}

// filesTried refuses what the task has no use for before it takes room.
func (s *Server) filesTried(ctx context.Context, who *access.Caller, in tryIn) (func(string) error, error) {
	return s.usecases.FilesAskedFor(ctx, who, in.DefinitionID)
}

func (s *Server) tryAssessment(ctx context.Context, who *access.Caller, in tryIn) (*tryOut, error) {
	if err := s.usecases.CheckAssess(); err != nil {
		return nil, err
	}
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		sent[key] = uploaded(u)
	}
	id, err := s.usecases.TryAssessment(ctx, who, in.DefinitionID, sent)
	return &tryOut{assess.Queued, id}, err
}

type getTrialIn struct {
	trialPath
	ID int64 `path:"id"`
}

type trialOut struct {
	*assess.Trial
	usecase.AssessmentView
}

func (s *Server) getTrial(ctx context.Context, _ *access.Caller, in getTrialIn) (*trialOut, error) {
	t, err := assess.TrialByID(ctx, s.db.Pool(), in.DefinitionID, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.usecases.ViewAssessment(ctx, t.ReportHash, nil, true)
	return &trialOut{t, v}, err
}

func (s *Server) askPreview(ctx context.Context, who *access.Caller, in trialPath) (*assess.Preview, error) {
	return s.usecases.PreviewAssessment(ctx, who, in.DefinitionID)
}

type previewOut struct {
	*assess.Preview
	Changes []assess.PreviewChange `json:"changes" doc:"whose result would change"`
}

func (s *Server) getPreview(ctx context.Context, _ *access.Caller, in getTrialIn) (*previewOut, error) {
	return view(ctx, s.db, func(q db.Q) (*previewOut, error) {
		p, err := assess.PreviewByID(ctx, q, in.DefinitionID, in.ID)
		if err != nil {
			return nil, err
		}
		changes, err := assess.ChangesOf(ctx, q, p.ID)
		return &previewOut{p, changes}, err
	})
}
