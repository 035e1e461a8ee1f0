package ident

import (
	"context"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// FirstAdmin makes the administrator aadmin, with a random password that is
// told only now, where there are no users at all. Several instances may call it
// at once: one makes the account.
func FirstAdmin(ctx context.Context, q db.Q) (username, password string, made bool, err error) {
	if err := db.LockName(ctx, q, "first administrator"); err != nil {
		return "", "", false, err
	}
	n, err := Count(ctx, q, 0)
	if err != nil || n > 0 {
		return "", "", false, err
	}
	u, err := Add(ctx, q, NewUser{Username: "aadmin", Email: "aadmin@example.edu", FirstName: "First",
		LastName: "Administrator", Role: policy.Admin})
	if err != nil {
		return "", "", false, err
	}
	password = newToken()
	return u.Username, password, true, set(ctx, q, u, derive(argon).seal(password))
}
