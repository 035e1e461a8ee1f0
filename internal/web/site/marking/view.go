package marking

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) viewRoutes() {
	page.Form(s.Site, links.Student+"/view", policy.SeeAsStudent, "See a project as its student does", s.startView,
		endpoint.Audited(audit.SeeAs))
	page.Form(s.Site, "/views/{id}/leave", policy.SignedIn, "Leave a view as a student", s.leaveView,
		endpoint.Audited(audit.SeeAs))
}

func (s *room) startView(ctx context.Context, who *access.Caller, in studentIn) (endpoint.Drawing, error) {
	v, err := s.Usecases.StartView(ctx, who, in.ProjectID)
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: page.ViewPath(v.ID, v.ProjectID)}, nil
}

func (s *room) leaveView(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
}) (endpoint.Drawing, error) {
	v, err := s.Usecases.EndView(ctx, who, in.ID)
	if fault.Is(err, fault.Missing) {
		return endpoint.Redirect{To: links.Home}, nil // it ended by itself
	}
	if err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.Student, v.UnitID, v.ProjectID)}, nil
}
