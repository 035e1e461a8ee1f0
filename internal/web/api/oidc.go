package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// OIDC is the method of an institution's own sign-in by OpenID Connect.
const OIDC = "oidc"

func (s *Server) oidcRoutes() {
	away := endpoint.Also(502, "the provider does not answer")
	unset := endpoint.Also(503, "sign-in by OpenID Connect is not set up")
	endpoint.Route(s.Server, "GET /api/auth/oidc/start", 303, policy.Anybody, "Send a browser to the OpenID provider",
		s.startOIDC, endpoint.ForBrowsers(), away, unset)
	// The provider sends the browser back by GET, so this one may write.
	endpoint.Route(s.Server, "GET /api/auth/oidc/callback", 303, policy.Anybody, "Take a browser back that signed in "+
		"at "+
		"the OpenID provider, and send it on to the client", s.finishOIDC,
		endpoint.Audited(audit.SignIn, audit.Account, audit.Role), endpoint.ForBrowsers(),
		endpoint.Also(401, "the sign-in is not to be believed, took too long, was used before or began in another "+
			"browser"),
		endpoint.Also(403, "no account belongs to the person, and none may be made"), away, unset)
}

var errNoOIDC = fault.New(fault.Unavailable, "Sign-in by OpenID Connect is not set up here. Sign in another way.")

// browserCookie is what a sign-in elsewhere is bound to a browser by. It opens
// nothing: it only tells whether the browser that comes back is the one that left.
func (s *Server) browserCookie() string {
	if strings.HasPrefix(s.publicURL, "https://") {
		return "__Host-sign-in" // browsers take it from no other host
	}
	return "sign-in"
}

// startOIDC keeps the secret of a browser that has one, so that two pages can sign in
// side by side.
func (s *Server) startOIDC(ctx context.Context, _ *access.Caller, in struct {
	Next string `param:"next" text:"any" doc:"path of a page to come back to, where our own pages serve"`
}) (endpoint.Redirect, error) {
	if s.oidc == nil {
		return endpoint.Redirect{}, errNoOIDC
	}
	secret := endpoint.Cookie(ctx, s.browserCookie())
	if len(secret) != len(rand.Text()) {
		secret = rand.Text()
	}
	to, err := s.oidc.Start(ctx, secret, in.Next)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	return endpoint.Redirect{To: to, Cookies: []*http.Cookie{{Name: s.browserCookie(), Value: secret, Path: "/",
		MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.publicURL,
			"https://")}}}, nil
}

type callbackIn struct {
	State  string `param:"state" text:"any" doc:"as it was at the start"`
	Code   string `param:"code" text:"any" doc:"to be traded for who the person is"`
	Error  string `param:"error" text:"any" doc:"why the provider signed nobody in"`
	Issuer string `param:"iss" text:"any" doc:"who sends the browser back, where the provider tells"`
}

func (s *Server) finishOIDC(ctx context.Context, who *access.Caller, in callbackIn) (endpoint.Redirect, error) {
	if s.oidc == nil {
		return endpoint.Redirect{}, errNoOIDC
	}
	back := oidc.Return{Browser: endpoint.Cookie(ctx, s.browserCookie()), State: in.State, Code: in.Code,
		Error: in.Error, Issuer: in.Issuer}
	id, err := s.oidc.Take(ctx, back)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	return change(ctx, s.db, func(q db.Q) (endpoint.Redirect, error) {
		u, err := s.oidc.Rules.Match(ctx, q, id)
		if err != nil {
			return endpoint.Redirect{}, err
		}
		return s.sendOn(ctx, q, who, u, s.oidc.Next(back))
	})
}
