package api

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// The ways in that pages share with the API, so that both let the same people in
// and count the same guesses.

// SignIn opens a session by a password, wherever it is kept, and gives its token.
func (s *Server) SignIn(ctx context.Context, t ident.Try) (*ident.SignedIn, error) {
	return s.signInHere(ctx, "", t)
}

// Ways lists where people sign in elsewhere, to come back to the page next; those that
// cannot be reached are left out. The cookie, where there is one, is for the browser that
// is shown them.
func (s *Server) Ways(ctx context.Context, next string) (list []ident.Way, keep *http.Cookie) {
	secret, keep := s.bound(ctx)
	for _, m := range s.methods {
		if m.RedirectTo == nil {
			continue
		}
		if to := m.RedirectTo(ctx, next, secret); to != "" {
			list = append(list, ident.Way{Name: m.Name, Address: to})
		}
	}
	return list, keep
}

// SignoutURL is where a sign-out goes on to, "" for nowhere: the first there is, for of
// the methods that lead elsewhere an installation has one, as a rule.
func (s *Server) SignoutURL() string {
	for _, m := range s.methods {
		if m.SignoutURL != "" {
			return m.SignoutURL
		}
	}
	return ""
}

// Passwords are the service's one way to prove and change them: two would each have
// their own bound on guesses at once.
func (s *Server) Passwords() *ident.Passwords { return s.passwords }

// Forgot sends a link to choose a new password. It does the same work, and tells
// the same, whether there is such an account or not.
func (s *Server) Forgot(ctx context.Context, who *access.Caller, username string) error {
	if s.mailer == nil {
		return errNoMail
	}
	return s.passwords.Forgot(ctx, username, who.From,
		func(q db.Q, user int64) error { return s.mailer.Forgotten(ctx, q, user) })
}

// ChangeAccount changes the caller's own account, and tells the old address when it
// changes.
func (s *Server) ChangeAccount(ctx context.Context, who *access.Caller, c ident.Change, password string) error {
	_, err := s.accounts().Change(ctx, who, who.ID, c, password)
	return err
}

// ConfirmAddress makes an address a person's own by the token of a link, which it
// uses up.
func (s *Server) ConfirmAddress(ctx context.Context, token string) error {
	return s.accounts().ConfirmAddress(ctx, token)
}

// Declaration is what whoever hands work in states by doing so.
func (s *Server) Declaration() string { return s.settings.Plagiarism }

// FeedbackReady lets students know that these tasks were marked; where there is no
// mail it does nothing.
func (s *Server) FeedbackReady(ctx context.Context, q db.Q, taskIDs ...int64) error {
	if s.mailer == nil {
		return nil
	}
	return s.mailer.FeedbackReady(ctx, q, taskIDs...)
}
