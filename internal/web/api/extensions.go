package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) extensionRoutes() {
	endpoint.Route(s.Server, "POST "+aTask+"/request_extension", 201, policy.RequestExtension, "Ask for more time",
		s.requestExtension,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade),
		endpoint.Location(aTask+"/comments"), endpoint.Also(409, "no week is left before the deadline"),
		endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "PUT "+aTask+"/assess_extension/{task_comment_id}", 200, policy.AssessExtension,
		"Decide on a request for more time",
		s.assessExtension,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade), endpoint.Also(409, "it is decided already"),
		endpoint.Asks(usecase.AsReader...))
}

type requestExtensionIn struct {
	taskIn
	Comment string `param:"comment,required" text:"lines" doc:"why more time is needed"`
	Weeks   int    `param:"weeks_requested,required" doc:"1 to 52; cut to what fits before the deadline"`
}

func (s *Server) requestExtension(ctx context.Context, who *access.Caller, in requestExtensionIn) (*work.Extension,
	error) {
	return s.usecases.RequestExtension(ctx, who, in.place(), work.ExtensionRequest{Reason: in.Comment, Weeks: in.Weeks})
}

type assessExtensionIn struct {
	taskIn
	ID      int64 `path:"task_comment_id"`
	Granted bool  `param:"granted,required"`
}

// assessedExtension is a decision in words, with the request and the task's
// weeks after it.
type assessedExtension struct {
	Result  string `json:"assessment_result"` // granted or rejected
	Message string `json:"message"`
	work.Extension
}

func (s *Server) assessExtension(ctx context.Context, who *access.Caller, in assessExtensionIn) (*assessedExtension,
	error) {
	e, err := s.usecases.AssessExtension(ctx, who, in.place(), in.ID, in.Granted)
	if err != nil {
		return nil, err
	}
	result := "rejected"
	if e.Granted {
		result = "granted"
	}
	return &assessedExtension{result, *e.Response, *e}, nil
}
