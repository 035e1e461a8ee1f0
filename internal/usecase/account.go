package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// ChangeAccount changes the account id on behalf of by, as ident.Update allows, and
// tells the old address when it changes. The old password, which may be empty,
// proves that one's own address is one's own to change; a wrong one is
// fault.Unknown. It owns its transaction, since the password is proven before it.
func (s *Service) ChangeAccount(ctx context.Context, by *access.Caller, id int64, c ident.Change,
	oldPassword string) (u *ident.User, err error) {
	if oldPassword != "" && id == by.ID && c.Email != nil {
		if c.Proof, err = s.Passwords.Prove(ctx, id, oldPassword, by.From); err != nil {
			return nil, err
		}
	}
	c.Confirm = s.Mailer.Sends()
	err = s.DB.Tx(ctx, func(q db.Q) error {
		var moved ident.Moved
		if u, moved, err = ident.Update(ctx, q, by, id, c); err != nil {
			return err
		}
		return s.Mailer.AddressMoved(ctx, q, id, moved)
	})
	return u, err
}

// ConfirmAddress lets a new address take effect by the link that was sent there.
func (s *Service) ConfirmAddress(ctx context.Context, token string) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		u, moved, err := ident.ConfirmAddress(ctx, q, token)
		if err != nil {
			return err
		}
		return s.Mailer.AddressMoved(ctx, q, u.ID, moved)
	})
}

// Forgot sends a link to choose a new password. It does the same work, and tells
// the same, whether there is such an account or not. Where no mails are sent it is
// fault.Unavailable.
func (s *Service) Forgot(ctx context.Context, who *access.Caller, username string) error {
	if !s.Mailer.Sends() {
		return errNoMail
	}
	return s.Passwords.Forgot(ctx, username, who.From,
		func(q db.Q, user int64) error { return s.Mailer.Forgotten(ctx, q, user) })
}

// ResetFactor takes the second factor of a user away who has lost it.
func (s *Service) ResetFactor(ctx context.Context, who *access.Caller, userID int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.ResetFactor(ctx, q, who, userID) })
}

// StartFactor gives the caller the secret of a second factor, as ident.Passwords.StartFactor
// does. The password proves that the session is their own; empty is none.
func (s *Service) StartFactor(ctx context.Context, who *access.Caller, password string) (secret string, err error) {
	p, err := s.proof(ctx, who, password)
	if err != nil {
		return "", err
	}
	return s.Passwords.StartFactor(ctx, who, p)
}

// DropFactor switches the caller's second factor off, as ident.Passwords.DropFactor does.
// The password proves that the session is their own; empty is none.
func (s *Service) DropFactor(ctx context.Context, who *access.Caller, password, code string) error {
	p, err := s.proof(ctx, who, password)
	if err != nil {
		return err
	}
	return s.Passwords.DropFactor(ctx, who, p, code)
}

// proof takes the caller's password, if they sent one.
func (s *Service) proof(ctx context.Context, who *access.Caller, password string) (*ident.Proof, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // no proof is no failure
	}
	return s.Passwords.Prove(ctx, who.ID, password, who.From)
}
