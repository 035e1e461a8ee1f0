package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
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
	if endpoint.FromForm(ctx) {
		on, err := s.signin.FinishSAML(ctx, who, in.SAMLResponse, in.RelayState)
		return endpoint.SentOn[*samlOut]{On: &on}, err
	}
	got, err := s.signin.SignInBySAML(ctx, who, in.SAMLResponse)
	if err != nil {
		return out, err
	}
	u := got.User
	out.Data = &samlOut{got.Token, samlUser{u.ID, u.Username, u.Email, u.FirstName + " " + u.LastName}}
	return out, nil
}

func (s *Server) samlMetadata(context.Context, *access.Caller, none) (*endpoint.File, error) {
	text, err := s.signin.DescribeSAML()
	return &endpoint.File{Name: "lectern-metadata.xml", Type: "application/samlmetadata+xml",
		Write: func(w io.Writer) error { _, err := w.Write(text); return err }}, err
}
