package signin

import (
	"context"
	"crypto/rand"
	"net/http"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/web/endpoint"
)

var errNoOIDC = fault.New(fault.Unavailable, "Sign-in by OpenID Connect is not set up here. Sign in another way.")

// oidcCookie is what a sign-in at the OpenID provider is bound to a browser by. It opens
// nothing: it only tells whether the browser that comes back is the one that left.
func (s *Service) oidcCookie() string {
	if s.secure() {
		return "__Host-sign-in" // browsers take it from no other host
	}
	return "sign-in"
}

// StartOIDC sends a browser to the OpenID provider, to come back to the page next. A
// browser keeps the secret it has, so that two pages can sign in side by side.
func (s *Service) StartOIDC(ctx context.Context, next string) (endpoint.Redirect, error) {
	if s.OIDC == nil {
		return endpoint.Redirect{}, errNoOIDC
	}
	secret := kept(ctx, s.oidcCookie())
	to, err := s.OIDC.Start(ctx, secret, next)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	return endpoint.Redirect{To: to, Cookies: []*http.Cookie{{Name: s.oidcCookie(), Value: secret, Path: "/",
		MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure()}}}, nil
}

// FinishOIDC takes a browser back that signed in at the OpenID provider, and sends it on.
func (s *Service) FinishOIDC(ctx context.Context, who *access.Caller, back oidc.Return) (endpoint.Redirect, error) {
	if s.OIDC == nil {
		return endpoint.Redirect{}, errNoOIDC
	}
	back.Browser = endpoint.Cookie(ctx, s.oidcCookie())
	id, err := s.OIDC.Take(ctx, back)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	return s.sendOn(ctx, who, s.OIDC.Rules.Account(ctx, id), s.OIDC.Next(back))
}

// kept is the secret that a browser keeps in a cookie, or a new one.
func kept(ctx context.Context, cookie string) string {
	if secret := endpoint.Cookie(ctx, cookie); len(secret) == len(rand.Text()) {
		return secret
	}
	return rand.Text()
}
