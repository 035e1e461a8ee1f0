package ident

import (
	"context"
	"time"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/fault"
)

// linkLife is how long a link to set a password may be used.
const linkLife = 7 * 24 * time.Hour

// NewLink gives the token of a link by which a user sets a password, once. It
// is shown only now, and takes the place of earlier ones.
func NewLink(ctx context.Context, q db.Q, user int64) (token string, until clock.Time, err error) {
	if _, err := db.Exec(ctx, q, `DELETE FROM password_links WHERE user_id = $1`, user); err != nil {
		return "", until, err
	}
	token, until = newToken(), clock.At(q.Now().Add(linkLife))
	_, err = db.Exec(ctx, q, `INSERT INTO password_links (user_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		user, hash(token), q.Now(), until)
	return token, until, err
}

var errLink = fault.New(fault.Missing, "This link has been used or has expired. Ask for a new one.")

// UseLink sets the password of the user a link was made for. Of many uses at
// once one wins: the row can be deleted once.
func (d *Door) UseLink(ctx context.Context, token, password string) error {
	u, err := db.One[User](ctx, d.db.Pool(), `SELECT `+userColumns+` FROM users WHERE disabled_at IS NULL
		AND id = (SELECT user_id FROM password_links WHERE token_hash = $1 AND expires_at > $2)`, hash(token), d.db.Now())
	if fault.Is(err, fault.Missing) {
		return errLink
	}
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
		n, err := db.Exec(ctx, q, `DELETE FROM password_links WHERE token_hash = $1 AND expires_at > $2`, hash(token), q.Now())
		if err == nil && n == 0 {
			err = errLink
		}
		if err != nil {
			return err
		}
		return set(ctx, q, u, fresh)
	})
}
