package api

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

func (s *Server) samlRoutes() {
	unset := endpoint.Also(503, "sign-in by SAML is not set up, or cannot be used now")
	// A form on the provider's page brings the answer, so this endpoint alone is for
	// requests that other sites make people send. No cookie tells it who somebody is.
	endpoint.Route(s.Server, "POST /api/auth/jwt", 201, policy.Anybody, "Sign in with the answer of a SAML provider",
		s.signInBySAML,
		endpoint.Audited(audit.SignIn, audit.Account, audit.Role), endpoint.ForBrowsers(),
		endpoint.Also(303, "a browser (Accept: text/html) is sent on to the client, with a ticket that POST /api/auth "+
			"trades for a session"),
		endpoint.Also(401, "the answer is not to be believed, has expired or was used before"),
		endpoint.Also(403, "no account belongs to the person, and none may be made"), unset)
	endpoint.Route(s.Server, "GET /api/auth/saml/metadata", 200, policy.Anybody,
		"Describe this service to a SAML provider", s.samlMetadata, unset,
		endpoint.Made("application/samlmetadata+xml"))
}

// SAML is the method of an institution's own sign-in by SAML 2.0.
const SAML = "saml"

var errNoSAML = fault.New(fault.Unavailable, "Sign-in by SAML is not set up here. Sign in another way.")

// samlCookie binds a sign-in by SAML to the browser that began it on our pages: else
// anybody could make the browsers of others post an answer of their own, and find what
// those people do in their account. It opens nothing. The answer is posted by the page of
// another site, with which only such a cookie travels that browsers take by https alone.
const samlCookie = "__Host-saml"

// binds tells whether a sign-in by SAML that leads to our pages must have begun there.
func (s *Server) binds() bool {
	return s.clientURL == "" && s.enter != nil && strings.HasPrefix(s.publicURL, "https://")
}

// bound gives the secret of the browser that asks, and the cookie to keep it by; none
// where nothing is bound. A browser keeps its secret, so that two pages can sign in side by
// side.
func (s *Server) bound(ctx context.Context) (secret string, keep *http.Cookie) {
	if s.saml == nil || !s.binds() {
		return "", nil
	}
	secret = endpoint.Cookie(ctx, samlCookie)
	if len(secret) != len(rand.Text()) {
		secret = rand.Text()
	}
	return secret, &http.Cookie{ //nolint:gosec // the provider's page posts the answer from another site
		Name: samlCookie, Value: secret, Path: "/", MaxAge: 3600, HttpOnly: true, Secure: true,
		SameSite: http.SameSiteNoneMode,
	}
}

type samlIn struct {
	SAMLResponse string `param:"SAMLResponse,required" text:"any" doc:"as the provider's form posts it, in base64"`
	RelayState   string `param:"RelayState" text:"any" doc:"as it was at the start: the path of a page to come back to"`
}

type samlOut struct {
	Token string   `json:"token" doc:"of a session, good as Auth_Token"`
	User  samlUser `json:"user"`
}

type samlUser struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Email    string `json:"email"`
	Name     string `json:"name"`
}

func (s *Server) signInBySAML(ctx context.Context, who *access.Caller,
	in samlIn) (out endpoint.SentOn[*samlOut], err error) {
	if s.saml == nil {
		return out, errNoSAML
	}
	proof, err := s.saml.Verify(ctx, in.SAMLResponse)
	if err != nil {
		return out, err
	}
	if endpoint.FromForm(ctx) && s.binds() {
		if err := s.saml.BeganIn(ctx, proof, endpoint.Cookie(ctx, samlCookie)); err != nil {
			return out, err
		}
	}
	return change(ctx, s.db, func(q db.Q) (out endpoint.SentOn[*samlOut], err error) {
		u, err := s.saml.SignIn(ctx, q, proof)
		if err != nil {
			return out, err
		}
		if endpoint.FromForm(ctx) {
			on, err := s.sendOn(ctx, q, who, u, in.RelayState)
			return endpoint.SentOn[*samlOut]{On: &on}, err
		}
		token, err := ident.Open(ctx, q, u, vouched(who))
		out.Data = &samlOut{token, samlUser{u.ID, u.Username, u.Email, u.FirstName + " " + u.LastName}}
		return out, err
	})
}

func (s *Server) samlMetadata(context.Context, *access.Caller, none) (*endpoint.File, error) {
	if s.saml == nil {
		return nil, errNoSAML
	}
	text, err := s.saml.Describe()
	return &endpoint.File{Name: "lectern-metadata.xml", Type: "application/samlmetadata+xml",
		Write: func(w io.Writer) error { _, err := w.Write(text); return err }}, err
}
