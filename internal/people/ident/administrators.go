package ident

import (
	"context"
	"slices"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Administrator is an account that may administer, with what it can be signed in to by.
type Administrator struct {
	Username    string `db:"username"`
	HasPassword bool   `db:"has_password"` // kept here, or a link by which one is set
	HasLoginID  bool   `db:"has_login_id"` // by which a sign-in elsewhere finds it
}

// Administrators lists those whose accounts are not disabled.
func Administrators(ctx context.Context, q db.Q) ([]Administrator, error) {
	return db.All[Administrator](ctx, q, `SELECT username, login_id IS NOT NULL AS has_login_id,
			(password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM password_links l
				WHERE l.user_id = users.id AND l.expires_at > $2)) AS has_password
		FROM users WHERE role = $1 AND disabled_at IS NULL ORDER BY username_key`, int64(policy.Admin), q.Now())
}

// NamedIn tells whether a list of user names has one of them, in any case.
func NamedIn(list []string, username string) bool {
	return slices.ContainsFunc(list, func(name string) bool { return fold(name) == fold(username) })
}
