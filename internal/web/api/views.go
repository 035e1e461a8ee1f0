package api

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) viewRoutes() {
	endpoint.Route(s.Server, "POST /api/projects/{id}/views", 201, policy.SeeAsStudent,
		"Begin to look at a project as its student sees it, on pages, to read only, in this session, for half an hour",
		s.startView, endpoint.Audited(audit.SeeAs), endpoint.Location("/api/views/{.id}"))
	endpoint.Route(s.Server, "GET /api/views/{id}", 200, policy.SignedIn, "Get a look of your session at a student's "+
		"project", s.getView, endpoint.Also(404, "it is not of your session, or has ended"))
	endpoint.Route(s.Server, "DELETE /api/views/{id}", 204, policy.SignedIn, "End a look at a student's project",
		s.endView, endpoint.Audited(audit.SeeAs), endpoint.Also(404, "it is not of your session, or has ended"))
}

// viewOut is a look at a project with the page it begins on.
type viewOut struct {
	ident.StudentView
	Page string `json:"page"` // its address on this site
}

func viewed(v *ident.StudentView, err error) (*viewOut, error) {
	if err != nil {
		return nil, err
	}
	return &viewOut{*v, fmt.Sprintf("/views/%d/projects/%d", v.ID, v.ProjectID)}, nil
}

func (s *Server) startView(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"project"`
}) (*viewOut, error) {
	return viewed(s.usecases.StartView(ctx, who, in.ID))
}

func (s *Server) getView(ctx context.Context, who *access.Caller, in byID) (*viewOut, error) {
	return viewed(ident.ViewByID(ctx, s.db.Pool(), who, in.ID))
}

func (s *Server) endView(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	_, err := s.usecases.EndView(ctx, who, in.ID)
	return endpoint.NoContent{}, err
}
