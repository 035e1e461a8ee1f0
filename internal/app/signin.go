package app

import (
	"errors"
	"fmt"
	"slices"

	"lectern/internal/web/signin"
)

// SignIn says how people sign in beside the passwords that the service keeps.
type SignIn struct {
	ClientURL string `placeholder:"URL" help:"Web client that browsers go to when they signed in elsewhere."`

	RequireSecondFactor bool     `help:"Let Convenors and Admins sign in by password only with a second factor."`
	PasswordUsers       []string `placeholder:"NAME" help:"Who may sign in by a password kept here; all when empty."`
	SignInDefault       string   `placeholder:"METHOD" help:"Method shown first: saml, oidc, ldap or database."`

	SAML SAML `embed:"" prefix:"saml-"`
	OIDC OIDC `embed:"" prefix:"oidc-"`
	LDAP LDAP `embed:"" prefix:"ldap-"`
}

// check finds settings that cannot be right, or do not go together.
func (s *SignIn) check() error {
	if s.ClientURL != "" && !origin(s.ClientURL, true) {
		return fmt.Errorf("--client-url %q is not an address such as https://learn.example.edu", s.ClientURL)
	}
	if s.SignInDefault != "" && !slices.Contains(s.names(), s.SignInDefault) {
		return fmt.Errorf("--sign-in-default %q is not a method that is set up", s.SignInDefault)
	}
	return errors.Join(s.SAML.check(), s.OIDC.check(), s.LDAP.check())
}

// names lists the methods that are set up: those that lead elsewhere, then passwords.
func (s *SignIn) names() (all []string) {
	if s.SAML.Metadata != "" {
		all = append(all, signin.SAML)
	}
	if s.OIDC.Issuer != "" {
		all = append(all, signin.OIDC)
	}
	if len(s.LDAP.URL) > 0 {
		all = append(all, signin.LDAP)
	}
	return append(all, signin.Database)
}

// order lists the methods as people see them, the default first.
func (s *SignIn) order() []string {
	all := s.names()
	if at := slices.Index(all, s.SignInDefault); at > 0 {
		all = append([]string{s.SignInDefault}, slices.Delete(all, at, at+1)...)
	}
	return all
}

// methods are the ways to sign in, the default first.
func (a *App) methods() (all []signin.Method) {
	for _, name := range a.order() {
		m := signin.Method{Method: name}
		switch name {
		case signin.SAML:
			m.Name, m.RedirectTo, m.SignoutURL = a.SAML.Name, a.saml.RedirectTo, a.SAML.SignoutURL
		case signin.OIDC:
			m = a.oidcMethod()
		case signin.LDAP:
			m.Name = a.LDAP.Name
		default:
			m.Name = "Password"
		}
		all = append(all, m)
	}
	return all
}
