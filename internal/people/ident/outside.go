package ident

import (
	"context"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// ValidLoginID tells whether a text can be the name an institution knows a person
// by: one line of at most 200 characters without blanks around it. It is compared as it is, since providers
// have names that differ in case only.
func ValidLoginID(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && utf8.RuneCountInString(s) <= maxText && utf8.ValidString(s) &&
		bounds.FitsOneLine(s)
}

// ByLoginID gives the user an institution knows by a name, held until the
// transaction ends. It fails with fault.Missing where there is none.
func ByLoginID(ctx context.Context, q db.Q, id string) (*User, error) {
	return heldBy(ctx, q, `login_id = $1`, id)
}

// ByEmail gives the user who has an address, in any case, held until the
// transaction ends. It fails with fault.Missing where there is none.
func ByEmail(ctx context.Context, q db.Q, address string) (*User, error) {
	return heldBy(ctx, q, `email_key = $1`, fold(address))
}

func heldBy(ctx context.Context, q db.Q, where, value string) (*User, error) {
	id, err := db.OneOf[int64](ctx, q, "user", `SELECT id FROM users WHERE `+where, value)
	if err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "users", *id); err != nil {
		return nil, err
	}
	return db.OneOf[User](ctx, q, "user", `SELECT `+userColumns+` FROM users WHERE id = $2 AND `+where, value, *id)
}

// Link lets whoever the institution knows as loginID sign in as u, who has no such name yet.
// Links to set a password end: they may be in the hands of another. It is for sign-ins at the
// institution, once sso.Match has found that the account is theirs.
func Link(ctx context.Context, q db.Q, u *User, loginID string) error {
	n, err := db.Exec(ctx, q, `UPDATE users SET login_id = $2, updated_at = $3 WHERE id = $1 AND login_id IS NULL`,
		u.ID, loginID, q.Now())
	switch {
	case err != nil:
		return taken(err)
	case n == 0:
		return fault.New(fault.Conflict, "The account has been linked to another login_id in the meantime.")
	}
	u.LoginID = &loginID
	if err := dropLinks(ctx, q, u.ID); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "linked", UserID: u.ID,
		Fields: []string{"login_id"}})
}

// Assign gives u, whom the caller holds, the role an institution says they have. It neither
// makes nor unmakes an Admin, and takes no role from someone whose work in a unit needs it. It
// is for sign-ins at the institution.
func Assign(ctx context.Context, q db.Q, u *User, to policy.Role) error {
	if to == u.Role || to == policy.Admin || u.Role == policy.Admin {
		return nil
	}
	held, err := unitRole(ctx, q, u.ID)
	if err != nil || held > to {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE users SET role = $2, updated_at = $3 WHERE id = $1`, u.ID, int64(to),
		q.Now()); err != nil {
		return err
	}
	u.Role = to
	if err := shorten(ctx, q, u.ID, to); err != nil {
		return err
	}
	return audit.Add(ctx, q, appointed(u.ID, to))
}

// unitRole is the highest role a user has in any unit; 0 for none.
func unitRole(ctx context.Context, q db.Q, user int64) (policy.Role, error) {
	held, err := db.One[int64](ctx, q, `SELECT coalesce(max(role), 0) FROM unit_roles WHERE user_id = $1`, user)
	if err != nil {
		return 0, err
	}
	return policy.Role(*held), nil
}
