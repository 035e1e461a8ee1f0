package usecase

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// errNoMail refuses what needs an email where none is sent.
var errNoMail = fault.New(fault.Unavailable, "This installation sends no emails. An administrator can create a link "+
	"to set a password and pass it on.")

// AddedUser is a new user with the token of the link by which they set a password.
type AddedUser struct {
	*ident.User
	Token string
}

// AddUser makes an account, for whoever holds policy.CreateUsers, with a link to set a
// password, which is also emailed to its owner if mailed. It refuses a role that the caller
// may not give, a login id from anybody but an Admin, since it decides who signs in to the
// account, and with fault.Conflict a name or an address that is taken.
func (s *Service) AddUser(ctx context.Context, who *access.Caller, n ident.NewUser, mailed bool) (*AddedUser, error) {
	if !policy.MayAppoint(who.Role, 0, n.Role) {
		return nil, fault.New(fault.Denied, "You may not create a user with the role %s.", n.Role)
	}
	if n.LoginID != "" && who.Role != policy.Admin {
		return nil, fault.New(fault.Denied, "Only an administrator can set a login_id, because it decides who signs "+
			"in to the account.")
	}
	return changeAlone(ctx, s.DB, func(q db.Q) (*AddedUser, error) {
		made, err := ident.Add(ctx, q, n)
		if err != nil {
			return nil, err
		}
		if mailed {
			if !s.Mailer.Sends() {
				return nil, errNoMail
			}
			if err := s.Mailer.Welcome(ctx, q, made.ID); err != nil {
				return nil, err
			}
		}
		token, _, err := ident.NewLink(ctx, q, made.ID)
		return &AddedUser{made.For(who.ID, who.Role), token}, err
	})
}

// PasswordLink makes the token of a link by which a user sets a password, once, for whoever
// holds policy.ManageAccounts. It takes the place of earlier ones. It refuses with
// fault.Conflict a disabled account, for which the link would not work.
func (s *Service) PasswordLink(ctx context.Context, id int64) (token string, until clock.Time, err error) {
	err = s.DB.Tx(ctx, func(q db.Q) error {
		if _, err := ident.ByID(ctx, q, id); err != nil {
			return err
		}
		token, until, err = ident.NewLink(ctx, q, id)
		return err
	})
	return token, until, err
}
