package signin

import (
	"context"
	"net/http"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/web/endpoint"
)

var errNoSAML = fault.New(fault.Unavailable, "Sign-in by SAML is not set up here. Sign in another way.")

// samlCookie binds a sign-in by SAML to the browser that began it on our pages: else
// anybody could make the browsers of others post an answer of their own, and find what
// those people do in their account. It opens nothing. The answer is posted by the page of
// another site, with which only such a cookie travels that browsers take by https alone.
const samlCookie = "__Host-saml"

// binds tells whether a sign-in by SAML that leads to our pages must have begun there.
func (s *Service) binds() bool { return s.ClientURL == "" && s.Pages && s.secure() }

// bound gives the secret of the browser that asks, and the cookie to keep it by; none
// where nothing is bound. A browser keeps its secret, so that two pages can sign in side by
// side.
func (s *Service) bound(ctx context.Context) (secret string, keep *http.Cookie) {
	if s.SAML == nil || !s.binds() {
		return "", nil
	}
	secret = kept(ctx, samlCookie)
	return secret, &http.Cookie{ //nolint:gosec // the provider's page posts the answer from another site
		Name: samlCookie, Value: secret, Path: "/", MaxAge: 3600, HttpOnly: true, Secure: true,
		SameSite: http.SameSiteNoneMode,
	}
}

// SignInBySAML opens a session for a program that brings the answer of a SAML provider.
func (s *Service) SignInBySAML(ctx context.Context, who *access.Caller, answer string) (*ident.SignedIn, error) {
	if s.SAML == nil {
		return nil, errNoSAML
	}
	proof, err := s.SAML.Verify(ctx, answer)
	if err != nil {
		return nil, err
	}
	return s.Usecases.StartSession(ctx, s.SAML.Account(ctx, proof), vouched(who))
}

// FinishSAML takes a browser back that brings the answer of a SAML provider, and sends it
// on: to the page next where our pages serve, and then only if it is the browser that asked.
func (s *Service) FinishSAML(ctx context.Context, who *access.Caller, answer, next string) (endpoint.Redirect, error) {
	if s.SAML == nil {
		return endpoint.Redirect{}, errNoSAML
	}
	proof, err := s.SAML.Verify(ctx, answer)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	if s.binds() {
		if err := s.SAML.BeganIn(ctx, proof, endpoint.Cookie(ctx, samlCookie)); err != nil {
			return endpoint.Redirect{}, err
		}
	}
	return s.sendOn(ctx, who, s.SAML.Account(ctx, proof), next)
}

// DescribeSAML describes this service to a SAML provider, in XML.
func (s *Service) DescribeSAML() ([]byte, error) {
	if s.SAML == nil {
		return nil, errNoSAML
	}
	return s.SAML.Describe()
}
