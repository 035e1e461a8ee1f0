package ident

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Matching gives the account of somebody who has proven who they are, held until the
// transaction ends.
type Matching func(q db.Q) (*User, error)

// SignInElsewhere is SignIn for a password that is kept elsewhere: check asks
// there, and fails with fault.Unknown when name and password do not belong together.
// That counts as a wrong password here; that nobody could be asked does not.
func (d *Passwords) SignInElsewhere(ctx context.Context, c Credentials,
	check func(context.Context) (Matching, error)) (*SignedIn, error) {
	a, err := d.named(ctx, c.Username, c.From)
	if err != nil {
		return nil, err
	}
	p := proof{accountName(c.Username), c.From, a, c.Password}
	var find Matching
	err = d.attempt(ctx, &p, func(wait context.Context) (bool, error) {
		if err := d.count(ctx, counted{p.try(), p.account.ID}, d.limits.PerAccount); err != nil {
			return false, err
		}
		var err error
		find, err = check(wait)
		switch {
		case err == nil:
			return true, nil
		case fault.Is(err, fault.Unknown):
			return false, nil
		}
		if err := d.uncount(ctx, p.try()); err != nil {
			return false, err
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return d.admit(ctx, &p, c, find)
}

// uncount takes a try back that told nothing. A block can only be its own: while
// there is another, nobody gets as far as to try.
func (d *Passwords) uncount(ctx context.Context, name string) error {
	return d.db.Tx(ctx, func(q db.Q) error {
		_, err := db.Exec(ctx, q, `UPDATE throttles SET failures = failures - 1, blocked_until = NULL WHERE name = $1`,
			name)
		return err
	})
}
