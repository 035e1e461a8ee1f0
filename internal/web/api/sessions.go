package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) sessionRoutes() {
	endpoint.Route(s.Server, "GET /api/auth/sessions", 200, policy.SignedIn, "List your own sessions with their "+
		"device "+
		"and last use, to within five minutes", s.listSessions)
	endpoint.Route(s.Server, "DELETE /api/auth/sessions", 204, policy.SignedIn, "Sign all of your own sessions out but "+
		"the one of this request", s.endOtherSessions, endpoint.Audited(audit.SignOut))
	endpoint.Route(s.Server, "DELETE /api/auth/sessions/{id}", 204, policy.SignedIn, "Sign one of your own sessions "+
		"out",
		s.endSession,
		endpoint.Audited(audit.SignOut), endpoint.Also(404, "you have no such session"))
}

func (s *Server) listSessions(ctx context.Context, who *access.Caller, in paging) (endpoint.List[ident.Session],
	error) {
	list, err := ident.Sessions(ctx, s.db.Pool(), who)
	return short(in, list, err)
}

func (s *Server) endOtherSessions(ctx context.Context, who *access.Caller, _ none) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndOtherSessions(ctx, who)
}

func (s *Server) endSession(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndOwnSession(ctx, who, in.ID)
}
