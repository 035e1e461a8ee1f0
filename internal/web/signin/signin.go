// Package signin lets people in: by a password kept here or in a directory, or by the
// sign-in of their institution. Both faces use it and it belongs to neither, so that both
// let the same people in, by the same methods, and count the same guesses. It knows browsers
// and where to send them; who somebody is and what is written down of it is left to the use
// cases.
package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso/ldap"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/people/sso/saml"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// Config is what sign-in stands on.
type Config struct {
	Usecases  *usecase.Service
	Methods   []Method        // how people sign in, the default first; by passwords kept here when empty
	SAML      *saml.Provider  // nil: nobody signs in by SAML
	OIDC      *oidc.Provider  // nil: nobody signs in by OpenID Connect
	Directory *ldap.Directory // keeps passwords elsewhere; nil: there is none
	// ClientURL is where browsers go that signed in elsewhere; empty: to our pages, where they serve.
	ClientURL string
	Pages     bool // our own pages serve
}

// Service lets people in.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service {
	if len(c.Methods) == 0 {
		c.Methods = []Method{{Method: Database, Name: "Password"}}
	}
	return &Service{Config: c}
}

// secure tells whether browsers reach the service by https.
func (s *Service) secure() bool { return strings.HasPrefix(s.Usecases.PublicURL, "https://") }

// cookie is the name of the cookie that holds the token of a session of our pages.
func (s *Service) cookie() string {
	if s.secure() {
		return "__Host-lectern" // browsers take it from no other host
	}
	return "lectern"
}

// Caller finds who sends a request by the cookie of their session. Without a good one
// it is fault.Unknown. The API never asks it: cookies travel with requests that other
// sites make people send.
func (s *Service) Caller(r *http.Request, on access.Scope) (*access.Caller, error) {
	c, err := r.Cookie(s.cookie())
	if err != nil || c.Value == "" {
		return nil, fault.New(fault.Unknown, "Sign in first.")
	}
	return ident.AttendToken(r.Context(), s.Usecases.DB, c.Value, on)
}

// StartSession sends a browser on to the page next, with the session of a token. It
// lasts as long as the browser is open, or where it is to be remembered as the longest
// session.
func (s *Service) StartSession(token string, remember bool, next string) endpoint.Redirect {
	c := s.session(token)
	if remember {
		c.MaxAge = int(access.Lifetime(policy.Student, true).Seconds())
	}
	return endpoint.Redirect{To: Inside(next), Cookies: []*http.Cookie{c}}
}

// EndSession ends the caller's session, and sends the browser on to the sign-in without
// its cookie. It lets the browser forget what pages kept in it: the computer may be
// shared. Where people sign in elsewhere they are led on to sign out there, too, by way of
// that page: the policy lets no form lead to another site.
func (s *Service) EndSession(ctx context.Context, who *access.Caller) (endpoint.Redirect, error) {
	c := s.session("")
	c.MaxAge = -1
	to := "/sign-in"
	if s.SignoutURL() != "" {
		to += "?out=true"
	}
	return endpoint.Redirect{To: to, Cookies: []*http.Cookie{c}, Forget: true}, s.Usecases.EndSession(ctx, who)
}

func (s *Service) session(token string) *http.Cookie {
	return &http.Cookie{Name: s.cookie(), Value: token, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode}
}

// Inside gives a path of our pages that somebody may be led to, and the home page
// where next is none: another site must not be reached by a link of ours.
func Inside(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, "/api") {
		return links.Home
	}
	return next
}
