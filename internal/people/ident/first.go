package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// FirstLinkLife is how long the link of the first start may be used.
const FirstLinkLife = time.Hour

var errFirstLink = fault.New(fault.Missing, "This link has been used, has expired, or is not needed any more. Whoever "+
	"runs the service makes another with lectern first-link, as long as there is no administrator.")

// firstLock is held by whoever makes an administrator: of several at once each sees what the one
// before it made.
const firstLock = "first administrator"

// HasAdministrator tells whether an account is an Admin, disabled or not.
func HasAdministrator(ctx context.Context, q db.Q) (bool, error) {
	has, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM users WHERE role = $1)`, int64(policy.Admin))
	if err != nil {
		return false, err
	}
	return *has, nil
}

// NewFirstLink gives the token of a link by which the first administrator makes their account. It is
// shown only now. Several may be good at once, as several instances start at once. It is for whoever
// runs the installation; where there is an administrator it is fault.Conflict.
func NewFirstLink(ctx context.Context, q db.Q) (string, error) {
	if err := db.LockName(ctx, q, firstLock); err != nil {
		return "", err
	}
	has, err := HasAdministrator(ctx, q)
	if err == nil && has {
		err = fault.New(fault.Conflict, "There is an administrator already. lectern user makes another, and sets passwords.")
	}
	if err != nil {
		return "", err
	}
	token := newToken()
	if _, err := db.Exec(ctx, q, `INSERT INTO first_links (token_hash, created_at, expires_at) VALUES ($1, $2, $3)`,
		HashToken(token), q.Now(), clock.At(q.Now().Add(FirstLinkLife))); err != nil {
		return "", err
	}
	return token, audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "first_link_made"})
}

// CheckFirstLink tells whether the link of the first start is good, and uses nothing up. One that is
// not, for whatever reason, is fault.Missing. It is for whoever has the link.
func CheckFirstLink(ctx context.Context, q db.Q, token string) error {
	good, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM first_links WHERE token_hash = $1 AND expires_at > $2)
		AND NOT EXISTS (SELECT 1 FROM users WHERE role = $3)`, HashToken(token), q.Now(), int64(policy.Admin))
	if err == nil && !*good {
		err = errFirstLink
	}
	return err
}

// UseFirstLink makes the first administrator with a password, and a session that may set up a second
// factor and nothing else until that is done. It is for whoever has the link. Of several at once one
// wins: for the others, and wherever there is an administrator, it is fault.Missing. What Add refuses,
// and a weak password, is refused, and the link stays good.
func (d *Passwords) UseFirstLink(ctx context.Context, token string, n NewUser, password string, e Entry) (*SignedIn,
	error) {
	if err := CheckFirstLink(ctx, d.db.Pool(), token); err != nil {
		return nil, err // before anything costs
	}
	n.Role = policy.Admin
	n.trim()
	if err := refuse(n.flaws()); err != nil {
		return nil, err
	}
	if err := passwordFlaw(password, n.asUser()); err != nil {
		return nil, err
	}
	seal, err := d.Seal(ctx, password)
	if err != nil {
		return nil, err
	}
	in := &SignedIn{Enrolling: true}
	e.password, e.enrolling = true, true
	err = d.db.Tx(ctx, func(q db.Q) (err error) {
		if in.User, err = addFirst(ctx, q, token, n); err != nil {
			return err
		}
		if err := set(ctx, q, in.User, seal); err != nil {
			return err
		}
		in.Token, err = Open(ctx, q, in.User, e)
		return err
	})
	return in, err
}

// addFirst makes the account if the link is good still, and no link is afterwards.
func addFirst(ctx context.Context, q db.Q, token string, n NewUser) (*User, error) {
	if err := db.LockName(ctx, q, firstLock); err != nil {
		return nil, err
	}
	if err := CheckFirstLink(ctx, q, token); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM first_links`); err != nil {
		return nil, err
	}
	return Add(ctx, q, n)
}

// asUser is the account as it will be, for whoever looks at its names.
func (n *NewUser) asUser() *User {
	return &User{Username: n.Username, Email: n.Email, FirstName: n.FirstName, LastName: n.LastName}
}
