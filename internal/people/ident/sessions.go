package ident

import (
	"context"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Session is one of a person's sessions as they see it.
type Session struct {
	ID         int64      `db:"id" json:"id"`
	Device     string     `db:"agent" json:"device"`
	CreatedAt  clock.Time `db:"created_at" json:"created_at"`
	LastUsedAt clock.Time `db:"used_at" json:"last_used_at"`
	ExpiresAt  clock.Time `db:"expires_at" json:"expires_at"`
	Current    bool       `db:"current" json:"current"`
	RenewedAt  clock.Time `db:"renewed_at" json:"-"`
}

// Sessions gives the caller's own sessions, the one used last first, with the time
// at which each ends for the role they have now.
func Sessions(ctx context.Context, q db.Q, who *access.Caller) ([]Session, error) {
	return SessionsOf(ctx, q, who, who.ID, who.Role)
}

// SessionsOf is Sessions for those of another, who has a role, as who sees them: they are marked where it is
// who's own. It is for holders of policy.SeeAccounts.
func SessionsOf(ctx context.Context, q db.Q, who *access.Caller, user int64, role policy.Role) ([]Session, error) {
	list, err := db.All[Session](ctx, q, `SELECT id, agent, created_at, coalesce(used_at, created_at) AS used_at,
			expires_at, coalesce(renewed_at, created_at) AS renewed_at, id = $2 AS current
		FROM sessions WHERE user_id = $1 AND expires_at > $3 AND coalesce(renewed_at, created_at) > $4
		ORDER BY coalesce(used_at, created_at) DESC, id DESC`,
		user, who.SessionID, q.Now(), clock.At(q.Now().Add(-access.Lifetime(role, true))))
	for i := range list {
		list[i].ExpiresAt = access.Until(list[i].ExpiresAt, list[i].RenewedAt, role)
	}
	return list, err
}

// EndOwn closes one of the caller's own sessions (policy.SignedIn); any other is fault.Missing.
func EndOwn(ctx context.Context, q db.Q, who *access.Caller, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM sessions WHERE id = $1 AND user_id = $2`, id, who.ID)
	if err == nil && n == 0 {
		err = fault.New(fault.Missing, "You have no such session. It may have already ended.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SignOut, Action: audit.Deleted, UserID: who.ID, RecordID: id})
}

// EndOthers closes all of the caller's sessions but the one they are in (policy.SignedIn), and
// takes back what would open another.
func EndOthers(ctx context.Context, q db.Q, who *access.Caller) error {
	if err := endAll(ctx, q, who.ID, who.SessionID); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SignOut, Action: "others", UserID: who.ID})
}

// EndOf closes a session of a user, for holders of policy.ManageAccounts; one of anybody else is fault.Missing.
func EndOf(ctx context.Context, q db.Q, user, id int64) error {
	n, err := db.Exec(ctx, q, `DELETE FROM sessions WHERE id = $1 AND user_id = $2`, id, user)
	if err == nil && n == 0 {
		err = fault.New(fault.Missing, "This person has no such session. It may have already ended.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SignOut, Action: "by_administrator", UserID: user, RecordID: id})
}

// EndAllOf closes all sessions of a user but the one that by is in, and takes back what would open another. It
// is for holders of policy.ManageAccounts.
func EndAllOf(ctx context.Context, q db.Q, by *access.Caller, user int64) error {
	if _, err := ByID(ctx, q, user); err != nil {
		return err
	}
	if err := endAll(ctx, q, user, by.SessionID); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SignOut, Action: "all_by_administrator", UserID: user})
}

// shorten lets no session of a user last longer than one of their new role.
func shorten(ctx context.Context, q db.Q, user int64, r policy.Role) error {
	_, err := db.Exec(ctx, q, `UPDATE sessions SET expires_at = $2 WHERE user_id = $1 AND expires_at > $2`, user,
		clock.At(q.Now().Add(access.Lifetime(r, true))))
	return err
}

// mostDevice bounds what a browser may call itself, in characters.
const mostDevice = 200

// device makes what a browser calls itself fit to be stored and shown.
func device(agent string) string {
	clean := strings.Map(func(r rune) rune {
		if !bounds.FitsOneLine(string(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(agent, ""))
	if runes := []rune(clean); len(runes) > mostDevice {
		clean = string(runes[:mostDevice])
	}
	return strings.TrimSpace(clean)
}
