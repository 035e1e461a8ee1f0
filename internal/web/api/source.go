package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) sourceRoutes() {
	const one = "/api/projects/{project_id}/task_def_id/{task_definition_id}/submissions/timestamps/{timestamp}"
	endpoint.Route(s.Server, "GET "+one+"/files", 200, policy.ReadSubmission, "List the files of one submission",
		s.listFiles)
	endpoint.Route(s.Server, "GET "+one+"/files/{number}", 200, policy.ReadSubmission,
		"Get a file of one submission as text", s.sourceFile,
		endpoint.Also(422, "the file is not text; get the archive of the submission instead"))
	endpoint.Route(s.Server, "GET "+one+"/diff", 200, policy.ReadSubmission,
		"Tell what changed from one submission to another, line by line", s.changes, endpoint.Costs(endpoint.Readings),
		endpoint.Asks(usecase.AsReader...))
}

// versionIn names a version of a task.
type versionIn struct {
	ProjectID    int64  `path:"project_id" scope:"project"`
	DefinitionID int64  `path:"task_definition_id" scope:"definition"`
	Timestamp    string `path:"timestamp"`
}

func (in versionIn) ref() work.TaskRef {
	return work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
}

type versionFilesIn struct {
	versionIn
	paging
}

func (s *Server) listFiles(ctx context.Context, _ *access.Caller, in versionFilesIn) (endpoint.List[source.File],
	error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]source.File, error) {
		_, list, err := usecase.SourceAt(ctx, q, in.ref(), in.Timestamp)
		return list, err
	})
	return short(in.paging, list, err)
}

type sourceFileIn struct {
	versionIn
	Number int64 `path:"number"`
}

type sourceFileOut struct {
	*source.File
	*source.Text
}

func (s *Server) sourceFile(ctx context.Context, _ *access.Caller, in sourceFileIn) (*sourceFileOut, error) {
	f, t, err := s.usecases.SourceFile(ctx, in.ref(), in.Timestamp, in.Number)
	if err != nil {
		return nil, err
	}
	return &sourceFileOut{f, t}, nil
}

type changesIn struct {
	versionIn
	Against string `param:"against" doc:"what to compare with, a timestamp as listed; the submission before when absent"`
}

func (s *Server) changes(ctx context.Context, who *access.Caller, in changesIn) (*usecase.WorkChanges, error) {
	var against *string
	if in.Against != "" {
		against = &in.Against
	}
	c, err := s.usecases.Changes(ctx, who, in.ref(), in.Timestamp, against)
	if err == nil {
		c.Fill()
	}
	return c, err
}
