package sso

import (
	"cmp"
	"context"
	"errors"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Match gives the account a verified identity signs in to, held until the
// transaction ends: the one with its login_id, which an administrator set or an
// earlier sign-in; else a student's without a password and without a login_id that
// has its address, where the address lies in a domain of the rules; else a new one,
// where the rules make some. The last two are linked to the login_id from then on.
// The part of an address before the @ is never taken for a name.
//
// Whoever may not come in gets fault.Denied with a sentence on what to do, and a
// disabled account is fault.Unknown.
func (r *Rules) Match(ctx context.Context, q db.Q, i Identity) (*ident.User, error) {
	if err := i.check(); err != nil {
		return nil, err
	}
	// Of two first sign-ins of a person at once, the second finds the first's account.
	if err := db.LockName(ctx, q, "sign-in of "+i.LoginID); err != nil {
		return nil, err
	}
	u, err := ident.ByLoginID(ctx, q, i.LoginID)
	if fault.Is(err, fault.Missing) {
		u, err = r.claim(ctx, q, &i)
	}
	if fault.Is(err, fault.Missing) {
		u, err = r.create(ctx, q, &i)
	}
	switch {
	case err != nil:
		return nil, err
	case *u.Disabled:
		return nil, fault.New(fault.Unknown, "This account is disabled. Ask an administrator.")
	}
	if to := r.role(&i); to != 0 {
		err = ident.Assign(ctx, q, u, to)
	}
	return u, err
}

// Account gives what finds the account of a verified identity in a transaction, by Match.
func (r *Rules) Account(ctx context.Context, i Identity) ident.Matching {
	return func(q db.Q) (*ident.User, error) { return r.Match(ctx, q, i) }
}

// claim links the account that has the identity's address. It refuses one that
// another could be using or that could do harm in wrong hands.
func (r *Rules) claim(ctx context.Context, q db.Q, i *Identity) (*ident.User, error) {
	if i.Email == "" {
		return nil, fault.New(fault.Missing, "Your institution sent no email address.")
	}
	u, err := ident.ByEmail(ctx, q, i.Email)
	switch {
	case err != nil:
		return nil, err
	case *u.Disabled:
		return u, nil
	case !r.inDomain(i.Email) || u.HasPassword || u.Role > policy.Student || u.LoginID != nil:
		return nil, fault.New(fault.Denied, "An account with your email address exists, but is not linked to this "+
			"sign-in. Sign in as you did before, or ask an administrator to set its login_id to %q.", i.LoginID)
	}
	return u, ident.Link(ctx, q, u, i.LoginID)
}

// create makes an account of what the identity's attributes tell.
func (r *Rules) create(ctx context.Context, q db.Q, i *Identity) (*ident.User, error) {
	if !r.Create {
		return nil, fault.New(fault.Denied, "You have no account here yet. Ask the staff of your unit or an "+
			"administrator for one with the login_id %q.", i.LoginID)
	}
	u, err := ident.Add(ctx, q, ident.NewUser{
		Username:  cmp.Or(i.first(r.Names.Username), i.LoginID),
		Email:     i.Email,
		FirstName: i.first(r.Names.FirstName), LastName: i.first(r.Names.LastName),
		StudentID: i.first(r.Names.StudentID), LoginID: i.LoginID,
		Role: cmp.Or(r.role(i), policy.Student)})
	if why, ok := errors.AsType[*fault.Error](err); ok {
		return nil, fault.New(fault.Denied, "Your account could not be created from what your institution sent: %s "+
			"Show this to an administrator.", sentence(why.Text))
	}
	return u, err
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || s[len(s)-1] == '.' {
		return s
	}
	return s + "."
}
