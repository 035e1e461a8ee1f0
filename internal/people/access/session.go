package access

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Lifetime is how long a session lasts after its start or last extension.
func Lifetime(r policy.Role, remember bool) time.Duration {
	switch {
	case remember && r == policy.Student:
		return 14 * 24 * time.Hour
	case remember && r == policy.Tutor:
		return 7 * 24 * time.Hour
	}
	return 2 * time.Hour
}

// Until tells when a session ends: at its own time, or when the longest one of the
// present role would have, whichever comes first.
func Until(expires, renewed clock.Time, r policy.Role) clock.Time {
	if most := renewed.Add(Lifetime(r, true)); most.Before(expires.Time) {
		return clock.At(most)
	}
	return expires
}

// Session is a session with the account it belongs to.
type Session struct {
	ID          int64       `db:"session_id"`
	UserID      int64       `db:"session_user_id"`
	Username    string      `db:"username"`
	UsernameKey string      `db:"username_key"`
	Role        policy.Role `db:"system_role"`
	ExpiresAt   clock.Time  `db:"session_expires_at"`
	RenewedAt   clock.Time  `db:"session_renewed_at"`
	UsedAt      *clock.Time `db:"session_used_at"`
	DisabledAt  *clock.Time `db:"disabled_at"`
	Enrolling   bool        `db:"enrolling"`
	found       *found
}

// found is what the statement that found a session also told of its user and a record.
type found struct {
	user  int64
	scope Scope
	standing
}

const sessionColumns = `z.id AS session_id, z.user_id AS session_user_id, a.username, a.username_key,
	a.role AS system_role, z.expires_at AS session_expires_at, coalesce(z.renewed_at, z.created_at) AS session_renewed_at,
	z.used_at AS session_used_at, a.disabled_at, z.enrolling`

// SessionOf finds the session of a token by its hash, whether it is over or not, and
// in the same statement what its user is on the record that s names, which Resolve
// then need not ask for. A session that does not exist is fault.Missing; of a record
// that does not exist nothing is said here.
func SessionOf(ctx context.Context, q db.Q, tokenHash string, s Scope) (*Session, error) {
	if s.record() {
		type present struct {
			Session
			standing
		}
		text, args, _ := s.statement("a.id", sessionColumns+`, `, ` JOIN sessions z ON z.token_hash = $1
			JOIN users a ON a.id = z.user_id`, tokenHash)
		row, err := db.One[present](ctx, q, text, args...)
		if err == nil {
			row.found = &found{row.UserID, s, row.standing}
			return &row.Session, nil
		}
		if !fault.Is(err, fault.Missing) {
			return nil, err
		}
	}
	return db.OneOf[Session](ctx, q, "session", selectSession+`z.token_hash = $1`, tokenHash)
}

// SessionByID is SessionOf for who knows the session.
func SessionByID(ctx context.Context, q db.Q, id int64) (*Session, error) {
	return db.OneOf[Session](ctx, q, "session", selectSession+`z.id = $1`, id)
}

const selectSession = `SELECT ` + sessionColumns + ` FROM sessions z JOIN users a ON a.id = z.user_id WHERE `

// Over tells whether the session has ended by now: by its own time, or because it
// lasts longer than the present role's sessions do.
func (s *Session) Over(now time.Time) bool {
	return !Until(s.ExpiresAt, s.RenewedAt, s.Role).After(now)
}

// Caller is whose session it is.
func (s *Session) Caller() *Caller {
	return &Caller{ID: s.UserID, Username: s.Username, Role: s.Role, SessionID: s.ID, Enrolling: s.Enrolling,
		found: s.found}
}

func errEnded() error { return fault.New(fault.Unknown, "Your session has ended. Sign in again.") }
