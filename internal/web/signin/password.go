package signin

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
)

var errNoDirectory = fault.New(fault.Unavailable, "Sign-in by a directory is not set up here. Sign in another way.")

// SignIn opens a session for somebody who types a password here, wherever it is kept, and
// gives its token. Without a method it is the directory's, where there is one, but for
// those who are named as having one of ours: they are there to get in when nothing else
// works. It fails as ident.Passwords.SignIn does, and with fault.Unavailable where the
// method is not set up.
func (s *Service) SignIn(ctx context.Context, method string, c ident.Credentials) (*ident.SignedIn, error) {
	passwords := s.Usecases.Passwords
	if method == "" && s.Directory != nil && !passwords.Named(c.Username) {
		method = LDAP
	}
	if method != LDAP {
		return passwords.SignIn(ctx, c)
	}
	if s.Directory == nil {
		return nil, errNoDirectory
	}
	return passwords.SignInElsewhere(ctx, c, func(wait context.Context) (ident.Matching, error) {
		who, err := s.Directory.Prove(wait, c.Username, c.Password)
		if err != nil {
			return nil, err
		}
		return s.Directory.Rules.Account(ctx, who), nil
	})
}
