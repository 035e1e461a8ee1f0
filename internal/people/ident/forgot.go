package ident

import (
	"context"
	"net/netip"

	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// How often one may ask for a new password by mail within Limits.Window before
// one must wait.
const (
	asksPerAccount = 5
	asksPerAddress = 30
)

// Forgot is asked for a new password by somebody who cannot sign in. It calls tell with the
// user they name, or with 0 when there is none or the account is disabled, in one transaction
// and with the same statements, so that neither answer nor time tells who has an account. It
// fails with fault.Throttled for a name, known or not, or an address that asks too often. It is
// for anybody (policy.Anybody).
func (d *Passwords) Forgot(ctx context.Context, username string, from netip.Addr,
	tell func(q db.Q, user int64) error) error {
	names := []string{"forgot " + accountName(username)}
	if at := addressName(from); at != "" {
		names = append(names, "forgot "+at)
	}
	if err := checkBlocked(ctx, d.db.Pool(), names...); err != nil {
		return err
	}
	a, err := d.named(ctx, username, from)
	if err != nil {
		return err
	}
	user := a.ID
	if a.Disabled != nil && *a.Disabled {
		user = 0
	}
	return d.db.Tx(ctx, func(q db.Q) error {
		for i, name := range names {
			if err := count(ctx, q, counted{name, 0}, []int64{asksPerAccount, asksPerAddress}[i], d.limits.Window); err != nil {
				return err
			}
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Password, Action: "forgotten", UserID: user}); err != nil {
			return err
		}
		return tell(q, user)
	})
}
