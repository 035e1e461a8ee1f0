package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) oidcRoutes() {
	unavailable := endpoint.Also(502, "the provider does not answer")
	unset := endpoint.Also(503, "sign-in by OpenID Connect is not set up")
	endpoint.Route(s.Server, "GET /api/auth/oidc/start", 303, policy.Anybody, "Send a browser to the OpenID provider",
		s.startOIDC, endpoint.ForBrowsers(), unavailable, unset)
	// The provider sends the browser back by GET, so this one may write.
	endpoint.Route(s.Server, "GET /api/auth/oidc/callback", 303, policy.Anybody, "Take a browser back that signed in "+
		"at "+
		"the OpenID provider, and send it on to the client", s.finishOIDC,
		endpoint.Audited(audit.SignIn, audit.Account, audit.Role), endpoint.ForBrowsers(),
		endpoint.Also(401, "the sign-in is not to be believed, took too long, was used before or began in another "+
			"browser"),
		endpoint.Also(403, "no account belongs to the person, and none may be made"), unavailable, unset)
}

func (s *Server) startOIDC(ctx context.Context, _ *access.Caller, in struct {
	Next string `param:"next" text:"any" doc:"path of a page to come back to, where our own pages serve"`
}) (endpoint.Redirect, error) {
	return s.signin.StartOIDC(ctx, in.Next)
}

type callbackIn struct {
	State  string `param:"state" text:"any" doc:"as it was at the start"`
	Code   string `param:"code" text:"any" doc:"to be traded for who the person is"`
	Error  string `param:"error" text:"any" doc:"why the provider signed nobody in"`
	Issuer string `param:"iss" text:"any" doc:"who sends the browser back, where the provider tells"`
}

func (s *Server) finishOIDC(ctx context.Context, who *access.Caller, in callbackIn) (endpoint.Redirect, error) {
	return s.signin.FinishOIDC(ctx, who, oidc.Return{State: in.State, Code: in.Code, Error: in.Error, Issuer: in.Issuer})
}
