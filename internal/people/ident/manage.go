package ident

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// AccountDetail is what administrators see of an account beside the person.
type AccountDetail struct {
	Nickname     string      `db:"nickname" json:"nickname"`
	Pronouns     *string     `db:"pronouns" json:"pronouns"`
	EmailPending *string     `db:"email_pending" json:"email_pending" doc:"an address that has not confirmed yet"`
	LoginID      *string     `db:"login_id" json:"login_id" doc:"by which the institution knows the person"`
	HasPassword  bool        `db:"has_password" json:"has_password" doc:"whether a password is kept here"`
	FactorSince  *clock.Time `db:"factor_since" json:"second_factor_since" doc:"null: there is none"`
	Codes        int64       `db:"codes" json:"recovery_codes" doc:"that are left"`
	LinkUntil    *clock.Time `db:"link_until" json:"password_link_until" doc:"until when a link sets a password; null: none does"`
	LockedUntil  *clock.Time `db:"locked_until" json:"locked_until" doc:"how long whoever failed too often must wait at most"`
	CreatedAt    clock.Time  `db:"created_at" json:"created_at"`
	DisabledAt   *clock.Time `db:"disabled_at" json:"disabled_at"`
	ErasedAt     *clock.Time `db:"erased_at" json:"erased_at"`
}

// DetailOf reads what administrators see of an account, for holders of policy.SeeAccounts. It fails with
// fault.Missing where there is none.
func DetailOf(ctx context.Context, q db.Q, id int64) (*AccountDetail, error) {
	return db.OneOf[AccountDetail](ctx, q, "user", `SELECT coalesce(u.nickname, '') AS nickname, u.pronouns,
			u.email_pending, u.login_id, u.password_hash IS NOT NULL AS has_password, u.created_at, u.disabled_at, u.erased_at,
			(SELECT f.confirmed_at FROM second_factors f WHERE f.user_id = u.id) AS factor_since,
			(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id) AS codes,
			(SELECT max(l.expires_at) FROM password_links l WHERE l.user_id = u.id AND l.expires_at > $2) AS link_until,
			(SELECT max(b.blocked_until) FROM throttles b WHERE b.user_id = u.id AND b.blocked_until > $2) AS locked_until
		FROM users u WHERE u.id = $1`, id, q.Now())
}

// Unlock lets whoever failed too often at an account try again at once, with the password and with codes. It
// is for holders of policy.ManageAccounts. It refuses nothing: an account that is not locked stays so.
func Unlock(ctx context.Context, q db.Q, id int64) error {
	u, err := ByID(ctx, q, id)
	if err != nil {
		return err
	}
	for _, name := range []string{accountName(u.Username), factorName(id)} { // two
		if err := forgetAccount(ctx, q, name); err != nil {
			return err
		}
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM throttles WHERE user_id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "unlocked", UserID: id})
}

// MoveLoginID takes the name by which the institution knows somebody from one account and gives it to
// another: from then on they sign in to that one. Sessions of the first end, and links to set a password of
// both. It is for holders of policy.ManageAccounts. It refuses with fault.Conflict an account that has none
// to give, one that has its own, and one that is disabled.
func MoveLoginID(ctx context.Context, q db.Q, by *access.Caller, from, to int64) (string, error) {
	if from == to {
		return "", fault.Field(fault.Invalid, "to_user_id", "must be another account")
	}
	for _, id := range []int64{min(from, to), max(from, to)} { // in this order, as whoever moves back does
		if err := db.Lock(ctx, q, "users", id); err != nil {
			return "", err
		}
	}
	first, err := ByID(ctx, q, from)
	if err != nil {
		return "", err
	}
	second, err := ByID(ctx, q, to)
	if fault.Is(err, fault.Missing) {
		return "", fault.Field(fault.Invalid, "to_user_id", "is nobody's")
	}
	if err != nil {
		return "", err
	}
	loginID := opt.Or(first.LoginID, "")
	switch {
	case loginID == "":
		return "", fault.New(fault.Conflict, "%s has no login id to move.", first.Username)
	case opt.Or(second.LoginID, "") != "":
		return "", fault.New(fault.Conflict, "%s has the login id %s. Move or clear that first.", second.Username,
			*second.LoginID)
	case *second.Disabled:
		return "", fault.New(fault.Conflict, "%s is disabled. Enable the account first.", second.Username)
	}
	return loginID, moveLogin(ctx, q, by, loginID, from, to)
}

func moveLogin(ctx context.Context, q db.Q, by *access.Caller, loginID string, from, to int64) error {
	if _, err := db.Exec(ctx, q, `UPDATE users SET login_id = NULL, updated_at = $2 WHERE id = $1`, from, q.Now()); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE users SET login_id = $2, updated_at = $3 WHERE id = $1`, to, loginID,
		q.Now()); err != nil {
		return taken(err)
	}
	if err := endAll(ctx, q, from, by.SessionID); err != nil {
		return err
	}
	if err := dropLinks(ctx, q, to); err != nil {
		return err
	}
	return audit.Add(ctx, q,
		audit.Entry{Kind: audit.Account, Action: "login_id_given", UserID: from, Fields: []string{"login_id"}},
		audit.Entry{Kind: audit.Account, Action: "login_id_got", UserID: to, Fields: []string{"login_id"}})
}
