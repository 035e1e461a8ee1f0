package usecase

import (
	"context"

	"lectern/internal/connect/notify"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Accounts changes accounts and tells their owners. A nil Mailer stands for an
// installation that sends no mails.
type Accounts struct {
	DB        *db.DB
	Passwords *ident.Passwords
	Mailer    *notify.Mailer
}

// Change changes the account id on behalf of by, as ident.Update allows, and
// tells the old address when it changes. The old password, which may be empty,
// proves that one's own address is one's own to change; a wrong one is
// fault.Unknown. It owns its transaction, since the password is proven before it.
func (a Accounts) Change(ctx context.Context, by *access.Caller, id int64, c ident.Change,
	oldPassword string) (u *ident.User, err error) {
	if oldPassword != "" && id == by.ID && c.Email != nil {
		if c.Proof, err = a.Passwords.Prove(ctx, id, oldPassword, by.From); err != nil {
			return nil, err
		}
	}
	c.Confirm = a.Mailer != nil
	err = a.DB.Tx(ctx, func(q db.Q) error {
		var moved ident.Moved
		if u, moved, err = ident.Update(ctx, q, by, id, c); err != nil {
			return err
		}
		return a.Mailer.AddressMoved(ctx, q, id, moved)
	})
	return u, err
}

// ConfirmAddress lets a new address take effect by the link that was sent there.
func (a Accounts) ConfirmAddress(ctx context.Context, token string) error {
	return a.DB.Tx(ctx, func(q db.Q) error {
		u, moved, err := ident.ConfirmAddress(ctx, q, token)
		if err != nil {
			return err
		}
		return a.Mailer.AddressMoved(ctx, q, u.ID, moved)
	})
}
