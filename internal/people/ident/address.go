package ident

import (
	"context"
	"errors"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Whoever reads the mails of an account can choose its password, so an address
// is changed with the same care as a password is.
const (
	// recent is how young a sign-in must be to do without the password.
	recent = 10 * time.Minute
	// ConfirmLife is how long a new address may take to confirm.
	ConfirmLife = 2 * 24 * time.Hour
)

// Moved tells what became of an account's address in a change: nothing, when it
// is empty.
type Moved struct {
	From, To string
	Pending  bool // To must confirm first
}

// move changes the address of u as c says. One's own needs proof that it is one's
// own, and takes effect when the new address confirms, where c.Confirm asks for
// it; an Admin's change, and any of an account never opened, does at once. A
// Convenor may change no other. Links to set a password end either way. One's present
// address takes back another that waits to confirm.
func move(ctx context.Context, q db.Q, by *access.Caller, u *User, c Change) (Moved, error) {
	if c.Email == nil || strings.TrimSpace(*c.Email) == u.Email {
		if err := refuse(u.flaws()); err != nil || c.Email == nil || by.ID != u.ID {
			return Moved{}, err
		}
		return Moved{}, stay(ctx, q, u)
	}
	if err := mayMove(ctx, q, by, u, c.Proof); err != nil {
		return Moved{}, err
	}
	m := Moved{From: u.Email, To: strings.TrimSpace(*c.Email), Pending: by.ID == u.ID && c.Confirm}
	u.Email, u.EmailPending = m.To, nil
	if err := refuse(u.flaws()); err != nil {
		return Moved{}, err
	}
	if m.Pending {
		if err := free(ctx, q, u.ID, m.To); err != nil {
			return Moved{}, err
		}
		u.Email, u.EmailPending = m.From, &m.To
	}
	return m, dropAddressLinks(ctx, q, u.ID)
}

// stay takes back the address that waits to confirm, if one does, and makes the link
// that was sent there useless. It needs no proof: the account stays as it is.
func stay(ctx context.Context, q db.Q, u *User) error {
	if u.EmailPending == nil {
		return nil
	}
	u.EmailPending = nil
	return dropAddressLinks(ctx, q, u.ID)
}

func mayMove(ctx context.Context, q db.Q, by *access.Caller, u *User, p *Proof) error {
	if by.ID != u.ID {
		if policy.MayRenumber(by.Role, u.Role, u.Opened) {
			return nil
		}
		return fault.New(fault.Denied, "This account is in use, so only its owner or an administrator can change its "+
			"email address.")
	}
	return own(ctx, q, by, p, "change your email address", "old_password")
}

// own wants proof that a session is its owner's: the password, or that the sign-in
// was a moment ago. Who has neither is told what for, and in which field to send it.
func own(ctx context.Context, q db.Q, by *access.Caller, p *Proof, what, field string) error {
	if p != nil && p.user == by.ID {
		_, err := held(ctx, q, by.ID, p.seal)
		if errors.Is(err, errMeanwhile) {
			err = errWrong
		}
		return err
	}
	young, err := SignedInRecently(ctx, q, by)
	if err == nil && !young {
		err = fault.New(fault.Denied, "To %s, enter your password (field %s), or sign in again and do it within ten "+
			"minutes.", what, field)
	}
	return err
}

// SignedInRecently tells whether the caller's session began a moment ago.
func SignedInRecently(ctx context.Context, q db.Q, by *access.Caller) (bool, error) {
	young, err := db.All[int64](ctx, q, `SELECT id FROM sessions WHERE id = $1 AND user_id = $2 AND created_at > $3`,
		by.SessionID, by.ID, clock.At(q.Now().Add(-recent)))
	return len(young) > 0, err
}

// OnlyRecent refuses with fault.Denied whoever did not sign in a moment ago, and tells what for.
func OnlyRecent(ctx context.Context, q db.Q, by *access.Caller, what string) error {
	young, err := SignedInRecently(ctx, q, by)
	if err == nil && !young {
		err = fault.New(fault.Denied, "To %s, sign in again and do it within ten minutes.", what)
	}
	return err
}

// owner is own for what even a new session must not do without the password, where
// there is one.
func owner(ctx context.Context, q db.Q, by *access.Caller, p *Proof) error {
	has, err := db.OneOf[bool](ctx, q, "user", `SELECT password_hash IS NOT NULL FROM users WHERE id = $1`, by.ID)
	if err != nil {
		return err
	}
	if *has && p == nil {
		return fault.Field(fault.Invalid, "password", "is required")
	}
	return own(ctx, q, by, p, "turn off your second factor", "password")
}

// free refuses an address another user has. It spares a person a link that
// cannot work; when it is used, the constraint decides.
func free(ctx context.Context, q db.Q, user int64, email string) error {
	found, err := db.All[int64](ctx, q, `SELECT id FROM users WHERE email_key = $1 AND id <> $2`, fold(email), user)
	if err == nil && len(found) > 0 {
		err = fault.New(fault.Conflict, "Another user has that email address.")
	}
	return err
}

// dropAddressLinks makes useless what was sent to addresses of a user so far:
// links that set a password and links that confirm.
func dropAddressLinks(ctx context.Context, q db.Q, user int64) error {
	if _, err := db.Exec(ctx, q, `DELETE FROM address_links WHERE user_id = $1`, user); err != nil {
		return err
	}
	return dropLinks(ctx, q, user)
}

// AddAddressLink gives the token of a link by which the address a user asked for confirms; ""
// when they no longer ask for it. It is for the job that sends the email about it.
func AddAddressLink(ctx context.Context, q db.Q, user int64, email string) (string, error) {
	if err := db.Lock(ctx, q, "users", user); err != nil {
		return "", err
	}
	u, err := ByID(ctx, q, user)
	if err != nil || *u.Disabled || opt.Or(u.EmailPending, "") != email {
		return "", err
	}
	token := newToken()
	_, err = db.Exec(ctx, q, `INSERT INTO address_links (user_id, email, token_hash, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5)`, user, email, HashToken(token), q.Now(), clock.At(q.Now().Add(ConfirmLife)))
	return token, err
}

// AddressOf gives the address that a link confirms. It uses nothing up. A link that was used or has
// expired is fault.Missing.
func AddressOf(ctx context.Context, q db.Q, token string) (string, error) {
	found, err := db.All[string](ctx, q, `SELECT email FROM address_links WHERE token_hash = $1 AND expires_at > $2`,
		HashToken(token), q.Now())
	if err == nil && len(found) == 0 {
		err = errLink
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// ConfirmAddress lets the address a link was sent to take effect. A link that was used, has
// expired or whose address is no longer asked for is fault.Missing; an address another user has
// by now is fault.Conflict. It is for whoever has the link, signed in or not.
func ConfirmAddress(ctx context.Context, q db.Q, token string) (*User, Moved, error) {
	type link struct {
		UserID int64  `db:"user_id"`
		Email  string `db:"email"`
	}
	found, err := db.All[link](ctx, q, `SELECT user_id, email FROM address_links WHERE token_hash = $1
		AND expires_at > $2`, HashToken(token), q.Now())
	if err == nil && len(found) == 0 {
		err = errLink
	}
	if err != nil {
		return nil, Moved{}, err
	}
	if err := db.Lock(ctx, q, "users", found[0].UserID); err != nil {
		return nil, Moved{}, err
	}
	u, err := ByID(ctx, q, found[0].UserID)
	if err == nil && (*u.Disabled || opt.Or(u.EmailPending, "") != found[0].Email) {
		err = errLink
	}
	if err != nil {
		return nil, Moved{}, err
	}
	m := Moved{From: u.Email, To: found[0].Email}
	u.Email, u.EmailPending = m.To, nil
	if err := store(ctx, q, u); err != nil {
		return nil, Moved{}, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: audit.Changed, UserID: u.ID,
		Fields: []string{"email"}}); err != nil {
		return nil, Moved{}, err
	}
	return u, m, dropAddressLinks(ctx, q, u.ID)
}
