package ident

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// newToken gives a token of 130 random bits.
func newToken() string { return rand.Text() }

// HashToken is how tokens are stored: they are random, so one round of SHA-256 leaves
// nothing to guess, and a copy of the table opens no session.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Start opens a session for u, who comes from nowhere in particular, and gives its token, which
// is shown only now. It is for tests: nobody is asked for proof.
func Start(ctx context.Context, q db.Q, u *User, remember bool) (string, error) {
	return Open(ctx, q, u, Entry{Remember: remember})
}

// Open opens a session for u, whom the caller holds and who proved who they are, and gives its
// token, which is shown only now. It is for sign-ins of every kind, which have checked that the
// account is not disabled; it refuses nothing itself.
func Open(ctx context.Context, q db.Q, u *User, e Entry) (string, error) {
	if err := remember(ctx, q, u.ID, e.From); err != nil {
		return "", err
	}
	token := newToken()
	if _, err := db.Exec(ctx, q, `INSERT INTO sessions (user_id, token_hash, created_at, expires_at, agent, used_at,
			renewed_at, began_here, enrolling)
		VALUES ($1, $2, $3, $4, $5, $3, $3, $6, $7)`,
		u.ID, HashToken(token), q.Now(), clock.At(q.Now().Add(access.Lifetime(u.Role, e.Remember))),
		device(e.Agent), e.password, e.enrolling); err != nil {
		return "", err
	}
	if _, err := db.Exec(ctx, q, `UPDATE users SET signed_in_at = $2, opened_at = coalesce(opened_at, $2)
		WHERE id = $1`, u.ID, q.Now()); err != nil {
		return "", err
	}
	return token, audit.Add(ctx, q, audit.Entry{Kind: audit.SignIn, Action: audit.Created, ActorID: u.ID, UserID: u.ID})
}

// useEvery is how exactly the last use of a session is known.
const useEvery = 5 * time.Minute

// Attend is Authenticate for requests: it also notes that the session is used. A
// store that cannot be written to does not keep people from reading. With the session
// it finds what the caller is on the record the request is about.
func Attend(ctx context.Context, d *db.DB, username, token string, on access.Scope) (*access.Caller, error) {
	return attend(ctx, d, token, ofName(username), on)
}

// AttendToken is Attend for pages, whose cookie holds the token alone.
func AttendToken(ctx context.Context, d *db.DB, token string, on access.Scope) (*access.Caller, error) {
	return attend(ctx, d, token, func(*access.Session) bool { return true }, on)
}

func attend(ctx context.Context, d *db.DB, token string, right func(*access.Session) bool,
	on access.Scope) (*access.Caller, error) {
	s, err := byToken(ctx, d.Pool(), token, right, on)
	if err != nil {
		return nil, err
	}
	if old := clock.At(d.Now().Add(-useEvery)); s.UsedAt == nil || !s.UsedAt.After(old.Time) {
		_ = d.Tx(ctx, func(q db.Q) error {
			_, err := db.Exec(ctx, q, `UPDATE sessions SET used_at = $2 WHERE id = $1`, s.ID, q.Now())
			return err
		})
	}
	return s.Caller(), nil
}

// Authenticate finds the caller a name and a token belong to. The look-up is by
// the token's hash, so its time tells nothing of any token that exists.
func Authenticate(ctx context.Context, q db.Q, username, token string) (*access.Caller, error) {
	s, err := byToken(ctx, q, token, ofName(username), access.Scope{})
	if err != nil {
		return nil, err
	}
	return s.Caller(), nil
}

var errNoSession = fault.New(fault.Unknown, "The username and the token do not match. Sign in again.")

func ofName(username string) func(*access.Session) bool {
	return func(s *access.Session) bool { return s.UsernameKey == fold(username) }
}

// byToken finds the session of a token, if it is the right one and not over.
func byToken(ctx context.Context, q db.Q, token string, right func(*access.Session) bool,
	on access.Scope) (*access.Session, error) {
	s, err := access.SessionOf(ctx, q, HashToken(token), on)
	switch {
	case fault.Is(err, fault.Missing) || err == nil && (s.DisabledAt != nil || !right(s)):
		return nil, errNoSession
	case err != nil:
		return nil, err
	case s.Over(q.Now().Time):
		return nil, fault.New(fault.Unknown, "Your session has ended. Sign in again.")
	}
	return s, nil
}

// Extend lets the caller's session last from now on as long as a new one would. It never ends
// sooner than before: a forgotten flag does not undo a choice. Where the role needs a second
// factor, a session that began with a password goes on only once there is one, else
// fault.Denied: so nobody stays signed in without it for longer than a session lasts, when the
// rule or the role is new. It is for the user themselves (policy.SignedIn).
func (d *Passwords) Extend(ctx context.Context, q db.Q, who *access.Caller, remember bool) error {
	n, err := db.Exec(ctx, q, `UPDATE sessions SET renewed_at = $3,
		expires_at = CASE WHEN expires_at < $2 THEN $2 ELSE expires_at END
		WHERE id = $1 AND (NOT $4 OR NOT began_here OR EXISTS (SELECT 1 FROM second_factors f
			WHERE f.user_id = sessions.user_id AND f.confirmed_at IS NOT NULL))`,
		who.SessionID, clock.At(q.Now().Add(access.Lifetime(who.Role, remember))), q.Now(), d.RequiresFactor(who.Role))
	if err == nil && n == 0 {
		err = fault.New(fault.Denied, "A %s needs a second factor here. Set one up to extend your session.", who.Role)
	}
	return err
}

// End closes one session; the user's others go on. It is for holders of policy.SignOut, of
// their own; EndOwn is for another one of theirs.
func End(ctx context.Context, q db.Q, id int64) error {
	users, err := db.All[int64](ctx, q, `DELETE FROM sessions WHERE id = $1 RETURNING user_id`, id)
	if err != nil || len(users) == 0 {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SignOut, Action: audit.Deleted, UserID: users[0], RecordID: id})
}

// endAll closes a user's sessions but one, and takes back the links and tickets
// that would open another.
func endAll(ctx context.Context, q db.Q, user, but int64) error {
	for _, table := range []string{"password_links", "sign_in_tickets"} {
		if _, err := db.Exec(ctx, q, `DELETE FROM `+table+` WHERE user_id = $1`, user); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, q, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, but)
	return err
}
