package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) forgotRoutes() {
	endpoint.Route(s.Server, "POST /api/auth/forgot", 201, policy.Anybody, "Get a link to choose a new password by "+
		"mail", s.forgot,
		endpoint.Audited(audit.Password),
		endpoint.Also(429, "asked too often; Retry-After says how long to wait"),
		endpoint.Also(503, "this installation sends no mails"))
}

type forgotIn struct {
	Username string `param:"username,required"`
}

// forgot gives the same answer, after the same work, whoever is named.
func (s *Server) forgot(ctx context.Context, who *access.Caller, in forgotIn) (endpoint.Text, error) {
	return endpoint.Text{Message: "If there is such an account, a link to choose a new password is on its way to its " +
		"address."}, s.usecases.Forgot(ctx, who, in.Username)
}
