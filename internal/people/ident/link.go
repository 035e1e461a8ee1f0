package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// How long a link to set a password may be used: one an administrator passes on
// or a new account is greeted with, and one somebody asked for by mail.
const (
	LinkLife  = 7 * 24 * time.Hour
	ResetLife = 2 * time.Hour
)

// NewLink gives the token of a link by which a user sets a password, once. It is shown only
// now, and takes the place of earlier ones. For a disabled account it is refused with
// fault.Conflict: the link would not work. It is for holders of policy.ManageAccounts, and for
// whoever adds an account.
func NewLink(ctx context.Context, q db.Q, user int64) (token string, until clock.Time, err error) {
	if err := db.Lock(ctx, q, "users", user); err != nil {
		return "", until, err
	}
	u, err := ByID(ctx, q, user)
	if err == nil && *u.Disabled {
		err = fault.New(fault.Conflict, "This account is disabled. Enable it first, then make a link.")
	}
	if err != nil {
		return "", until, err
	}
	if err := dropLinks(ctx, q, user); err != nil {
		return "", until, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Password, Action: "link_made", UserID: user}); err != nil {
		return "", until, err
	}
	return addLink(ctx, q, user, LinkLife)
}

// AddLink gives the token of a link to be mailed: a week for a new account, two
// hours for one whose password was forgotten. Earlier links stay, so that
// nobody can make them useless by asking for another.
func AddLink(ctx context.Context, q db.Q, user int64, newAccount bool) (string, error) {
	life := ResetLife
	if newAccount {
		life = LinkLife
	}
	token, _, err := addLink(ctx, q, user, life)
	return token, err
}

func addLink(ctx context.Context, q db.Q, user int64, life time.Duration) (token string, until clock.Time, err error) {
	token, until = newToken(), clock.At(q.Now().Add(life))
	_, err = db.Exec(ctx, q, `INSERT INTO password_links (user_id, token_hash, created_at, expires_at)
		VALUES ($1, $2, $3, $4)`,
		user, HashToken(token), q.Now(), until)
	return token, until, err
}

// dropLinks makes all links of a user useless, as a password that is set does.
func dropLinks(ctx context.Context, q db.Q, user int64) error {
	_, err := db.Exec(ctx, q, `DELETE FROM password_links WHERE user_id = $1`, user)
	return err
}

var errLink = fault.New(fault.Missing, "This link has been used or has expired. Ask for a new one.")

// LinkOf gives the user a link was made for, so that its page can say whose password it sets. It uses
// nothing up. One that was used or has expired is fault.Missing.
func (d *Passwords) LinkOf(ctx context.Context, token string) (*User, error) {
	u, err := db.One[User](ctx, d.db.Pool(), `SELECT `+userColumns+` FROM users WHERE disabled_at IS NULL
		AND id = (SELECT user_id FROM password_links WHERE token_hash = $1 AND expires_at > $2)`, HashToken(token),
		d.db.Now())
	if fault.Is(err, fault.Missing) {
		err = errLink
	}
	return u, err
}

// UseLink sets the password of the user a link was made for. Of many uses at once one wins: the
// row can be deleted once. It is for whoever has the link. One that was used or has expired is
// fault.Missing; a weak password is refused, and the link stays good.
func (d *Passwords) UseLink(ctx context.Context, token, password string) error {
	u, err := d.LinkOf(ctx, token)
	if err != nil {
		return err
	}
	if err := passwordFlaw(password, u); err != nil {
		return err
	}
	fresh, err := d.Seal(ctx, password)
	if err != nil {
		return err
	}
	return d.db.Tx(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `DELETE FROM password_links WHERE token_hash = $1 AND expires_at > $2`, HashToken(token),
			q.Now())
		if err == nil && n == 0 {
			err = errLink
		}
		if err != nil {
			return err
		}
		return set(ctx, q, u, fresh)
	})
}
