package api

import (
	"context"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) tiiRoutes() {
	endpoint.Route(s.Server, "GET /api/tii_eula", 200, policy.SignedIn, "Get the agreement of the similarity service; "+
		"null when there is none", s.getEULA)
	endpoint.Route(s.Server, "PUT /api/tii_eula/users/{id}/accept", 200, policy.AcceptTerms,
		"Accept the agreement of the similarity service", s.acceptEULA,
		endpoint.Audited(audit.Agreement), endpoint.Also(409, "there is no agreement"))
	endpoint.Route(s.Server, "GET /api/tii_actions", 200, policy.SteerOutside,
		"List what is to be done at the similarity service, the last change first", s.listTiiActions)
	endpoint.Route(s.Server, "PUT /api/tii_actions/{id}", 200, policy.SteerOutside,
		"Have something tried again at the similarity service that was given up", s.retryTiiAction,
		endpoint.Audited(audit.Job), endpoint.Also(409, "it is done, or not given up"),
		endpoint.Also(503, "no similarity service is configured"))
	endpoint.Route(s.Server, "POST /api/tii_hook", 201, policy.Anybody, "Take a notification of the similarity service",
		s.takeNotice, endpoint.Raw(turnitin.MostNotice), endpoint.Also(401, "the signature is missing or wrong"),
		endpoint.Unaudited("the similarity service tells that there is news; what follows stands in the list of actions"))
	endpoint.Route(s.Server, "GET /api/tasks/{task_id}/tii_submissions", 200, policy.SeeSimilarities,
		"List the documents of a task that the similarity service is to check, and why any was not sent",
		s.listOutsideDocuments)
	const attachments = "/api/units/{unit_id}/task_definitions/{task_def_id}/tii_group_attachments"
	endpoint.Route(s.Server, "GET "+attachments, 200, policy.SeeMaterial,
		"List the documents of a task's resources that go to the similarity service", s.listAttachments)
	endpoint.Route(s.Server, "PUT "+attachments+"/{id}", 200, policy.EditDefinitions,
		"Send a document of a task's resources to the similarity service again", s.sendAttachment,
		endpoint.Audited(audit.Definition), endpoint.Also(503, "no similarity service is configured"))
	endpoint.Route(s.Server, "DELETE "+attachments+"/{id}", 204, policy.EditDefinitions,
		"Take a document of a task's resources away from the similarity service", s.removeAttachment,
		endpoint.Audited(audit.Definition))
}

func (s *Server) getEULA(ctx context.Context, _ *access.Caller, _ none) (endpoint.HTML, error) {
	page, err := s.usecases.Outside.Agreement(ctx, s.db.Pool())
	return endpoint.HTML{Page: page}, err
}

func (s *Server) acceptEULA(ctx context.Context, _ *access.Caller, in aboutUser) (string, error) {
	return "accepted", s.usecases.AcceptAgreement(ctx, in.ID)
}

type listTiiActionsIn struct {
	UnitID       int64             `param:"unit_id" scope:"unit,optional" doc:"only of this unit, for its convenors too"`
	ShowComplete bool              `param:"show_complete" doc:"also what is done"`
	Limit        params.Opt[int64] `param:"limit" doc:"at most so many; 50 when absent"`
	Offset       params.Opt[int64] `param:"offset"`
}

func (s *Server) listTiiActions(ctx context.Context, _ *access.Caller, in listTiiActionsIn) (
	endpoint.List[turnitin.Action], error) {
	p, err := paging{in.Limit, in.Offset}.bounded(50)
	if err != nil {
		return endpoint.List[turnitin.Action]{}, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[turnitin.Action], error) {
		list, total, err := turnitin.List(ctx, q, turnitin.Filter{UnitID: in.UnitID, Complete: in.ShowComplete}, p)
		return endpoint.Listed(list, total), err
	})
}

type retryTiiActionIn struct {
	ID     int64  `path:"id"`
	UnitID int64  `param:"unit_id" scope:"unit,optional" doc:"the unit it is about, where a convenor of it asks"`
	Action string `param:"action,required" enum:"retry"`
}

type retriedOut struct {
	Message string `json:"message"`
	turnitin.Action
}

func (s *Server) retryTiiAction(ctx context.Context, who *access.Caller, in retryTiiActionIn) (*retriedOut, error) {
	a, err := s.usecases.RetryOutside(ctx, who, in.ID, in.UnitID)
	if err != nil {
		return nil, err
	}
	return &retriedOut{"It will be tried again. " + a.NextStep, *a}, nil
}

type noticeIn struct {
	Signature string      `header:"X-Similarity-Signature" doc:"HMAC-SHA256 of the body in lower-case hex; required"`
	Event     string      `header:"X-Similarity-EventType" doc:"such as PDF_STATUS; required"`
	OwnSign   string      `header:"X-Turnitin-Signature" doc:"in place of X-Similarity-Signature"`
	OwnEvent  string      `header:"X-Turnitin-EventType" doc:"in place of X-Similarity-EventType"`
	Body      params.Body `param:"*body"`
}

// pair gives the headers of one family. Those of the other count only where the first
// brings no signature, so that nothing signed is mixed with something else.
func (in *noticeIn) pair() (signature, event string) {
	if in.Signature == "" {
		return in.OwnSign, in.OwnEvent
	}
	return in.Signature, in.Event
}

// noEvent says which header lacks the kind of event: the one that goes with the signature.
func (in *noticeIn) noEvent() error {
	family, other := "X-Similarity-", "X-Turnitin-"
	if in.Signature == "" {
		family, other = other, family
	}
	text := "is required beside " + family + "Signature"
	if in.Event+in.OwnEvent != "" {
		text += "; " + other + "EventType counts only beside " + other + "Signature"
	}
	return fault.Field(fault.Invalid, family+"EventType", "%s", text)
}

// takeNotice says that it has a notification once what follows from it is committed.
func (s *Server) takeNotice(ctx context.Context, _ *access.Caller, in noticeIn) (endpoint.Text, error) {
	signature, event := in.pair()
	if !s.usecases.Outside.Signed(signature, in.Body) {
		return endpoint.Text{}, fault.New(fault.Unknown, "The signature is missing or wrong.")
	}
	if event == "" {
		return endpoint.Text{}, in.noEvent()
	}
	return endpoint.Text{Message: "ok"}, s.usecases.TakeNotice(ctx, event, in.Body)
}

type aboutTaskID struct {
	TaskID int64 `path:"task_id" scope:"task"`
	paging
}

func (s *Server) listOutsideDocuments(ctx context.Context, _ *access.Caller,
	in aboutTaskID) (endpoint.List[turnitin.Document], error) {
	list, err := turnitin.Documents(ctx, s.db.Pool(), in.TaskID)
	return short(in.paging, list, err)
}

type listAttachmentsIn struct {
	taskDefPath
	paging
}

func (s *Server) listAttachments(ctx context.Context, _ *access.Caller,
	in listAttachmentsIn) (endpoint.List[turnitin.Attachment], error) {
	list, err := s.usecases.Outside.Attachments(ctx, s.db.Pool(), in.TaskDefID)
	return short(in.paging, list, err)
}

type attachmentPath struct {
	taskDefPath
	ID int64 `path:"id"`
}

type sendAttachmentIn struct {
	attachmentPath
	Action string `param:"action,required" enum:"upload"`
}

func (s *Server) sendAttachment(ctx context.Context, _ *access.Caller, in sendAttachmentIn) (*turnitin.Attachment,
	error) {
	return s.usecases.SendAttachment(ctx, in.UnitID, in.TaskDefID, in.ID)
}

func (s *Server) removeAttachment(ctx context.Context, _ *access.Caller, in attachmentPath) (endpoint.NoContent,
	error) {
	return endpoint.NoContent{}, s.usecases.RemoveAttachment(ctx, in.UnitID, in.TaskDefID, in.ID)
}
