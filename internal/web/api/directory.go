package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// LDAP is the method of passwords that a directory keeps.
const LDAP = "ldap"

var errNoDirectory = fault.New(fault.Unavailable, "Sign-in by a directory is not set up here. Sign in another way.")

// signInHere signs somebody in who types a password here. Without a method it is
// the directory's, where there is one, but for those who are named as having one of
// ours: they are there to get in when nothing else works.
func (s *Server) signInHere(ctx context.Context, method string, t ident.Try) (*ident.SignedIn, error) {
	if method == "" && s.directory != nil && !s.passwords.Named(t.Username) {
		method = LDAP
	}
	if method != LDAP {
		return s.passwords.SignIn(ctx, t)
	}
	if s.directory == nil {
		return nil, errNoDirectory
	}
	return s.passwords.SignInElsewhere(ctx, t, func(wait context.Context) (ident.Matching, error) {
		who, err := s.directory.Prove(wait, t.Username, t.Password)
		if err != nil {
			return nil, err
		}
		return func(q db.Q) (*ident.User, error) { return s.directory.Rules.Match(ctx, q, who) }, nil
	})
}
