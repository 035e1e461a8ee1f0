package app

import (
	"fmt"

	"lectern/internal/api"
)

// SignIn says how people sign in beside the passwords that the service keeps.
type SignIn struct {
	ClientURL string `placeholder:"URL" help:"Web client that browsers go to when they signed in elsewhere."`

	RequireSecondFactor bool     `help:"Let Convenors and Admins sign in by password only with a second factor."`
	PasswordUsers       []string `placeholder:"NAME" help:"Who may sign in by a password kept here; all when empty."`
	SAML                SAML     `embed:"" prefix:"saml-"`
}

// check finds settings that cannot be right, or do not go together.
func (s *SignIn) check() error {
	if s.ClientURL != "" && !origin(s.ClientURL, true) {
		return fmt.Errorf("--client-url %q is not an address such as https://learn.example.edu", s.ClientURL)
	}
	return s.SAML.check()
}

// methods are the ways to sign in, the default first.
func (a *App) methods() []api.Method {
	var all []api.Method
	if a.saml != nil {
		all = append(all, api.Method{Method: "saml", Name: a.SAML.Name, RedirectTo: a.saml.RedirectTo,
			SignoutURL: a.SAML.SignoutURL})
	}
	return append(all, api.Method{Method: api.Database, Name: "Password"})
}
