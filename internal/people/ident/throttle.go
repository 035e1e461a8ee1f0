package ident

import (
	"context"
	"net/netip"
	"regexp"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
)

// How long a name is blocked when it reaches its limit, and at most: every
// further failure doubles the time.
const (
	firstBlock   = time.Minute
	longestBlock = time.Hour
)

// accountName is where the failures of an account are counted. What was typed
// is hashed: people type passwords into the wrong field. Both spellings of a
// student's number count as one.
func accountName(username string) string {
	key := fold(username)
	if v := variant(key); v != "" {
		key = v
	}
	return "account " + HashToken(key)
}

var studentNumber = regexp.MustCompile(`^s([0-9]{6,10}[0-9x])$`)

// variant gives the name without the s that students put before their number;
// empty for any other name.
func variant(key string) string {
	if m := studentNumber.FindStringSubmatch(key); m != nil {
		return m[1]
	}
	return ""
}

// addressName is where the failures of an address are counted. A home has a
// whole network of IPv6 addresses, which count as one. Empty: not known.
func addressName(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return "address " + p.String()
		}
	}
	return "address " + a.String()
}

// place is how an address an account was signed in to from is remembered; empty
// when it is not known.
func place(a netip.Addr) string {
	if name := addressName(a); name != "" {
		return HashToken(name)
	}
	return ""
}

// keepPlaces is how long a place is remembered after its last use.
const keepPlaces = 90 * 24 * time.Hour

// remember notes that an account was signed in to from an address.
func remember(ctx context.Context, q db.Q, user int64, from netip.Addr) error {
	at := place(from)
	if at == "" {
		return nil
	}
	_, err := db.Exec(ctx, q, `INSERT INTO sign_in_places (user_id, place, used_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, place) DO UPDATE SET used_at = excluded.used_at`, user, at, q.Now())
	return err
}

// How many secret addresses nobody has one client may ask for.
const (
	guesses      = 100
	guessWindow  = 15 * time.Minute
	guessesPlace = "guess at an "
)

// CountGuess counts that a client asked for a secret address nobody has, and
// refuses with fault.Throttled when it has done so too often. It owns its
// transaction. Sign-ins count apart: a campus behind one address, whose calendar
// programs go on asking for feeds that were closed, must not lock its people out.
func CountGuess(ctx context.Context, d *db.DB, from netip.Addr) error {
	name := addressName(from)
	if name == "" {
		return nil
	}
	if err := checkBlocked(ctx, d.Pool(), guessesPlace+name); err != nil {
		return err
	}
	return d.Tx(ctx, func(q db.Q) error { return count(ctx, q, counted{guessesPlace + name, 0}, guesses, guessWindow) })
}

// checkBlocked refuses a try while one of the names is blocked.
func checkBlocked(ctx context.Context, q db.Q, names ...string) error {
	list, args := db.In([]any{q.Now()}, names)
	until, err := db.All[clock.Time](ctx, q, `SELECT blocked_until FROM throttles
		WHERE name IN `+list+` AND blocked_until > $1 ORDER BY blocked_until DESC LIMIT 1`, args...)
	if err != nil || len(until) == 0 {
		return err
	}
	wait := until[0].Sub(q.Now().Time)
	return &fault.Error{Kind: fault.Throttled, Wait: wait,
		Text: "Too many attempts failed. Wait " + bounds.WaitText(wait) + " and try again."}
}

// counted is what a try counts for: a name, and whose account it is; 0: nobody's.
type counted struct {
	name string
	user int64
}

// count adds a try to a name, and blocks it from the limit on. It is one upsert
// that a blocked name does not pass, so that however many tries come at once, on
// however many instances, no more than the limit get through.
func count(ctx context.Context, q db.Q, c counted, limit int64, window time.Duration) error {
	tries, err := db.All[int64](ctx, q, `INSERT INTO throttles (name, failures, since, user_id)
		VALUES ($1, 1, $2, $4)
		ON CONFLICT (name) DO UPDATE SET
			failures = CASE WHEN throttles.since > $3 OR throttles.blocked_until > $3 THEN throttles.failures + 1
			ELSE 1 END,
			since = CASE WHEN throttles.since > $3 OR throttles.blocked_until > $3 THEN throttles.since
			ELSE excluded.since END,
			blocked_until = NULL, user_id = excluded.user_id
		WHERE throttles.blocked_until IS NULL OR throttles.blocked_until <= $2
		RETURNING failures`, c.name, q.Now(), clock.At(q.Now().Add(-window)), opt.NonZero(c.user))
	if err != nil {
		return err
	}
	if len(tries) == 0 {
		return checkBlocked(ctx, q, c.name)
	}
	if tries[0] < limit {
		return nil
	}
	block := min(firstBlock<<min(tries[0]-limit, 10), longestBlock)
	_, err = db.Exec(ctx, q, `UPDATE throttles SET blocked_until = $2 WHERE name = $1`, c.name,
		clock.At(q.Now().Add(block)))
	return err
}

// failures tells how often each name failed within the window.
func failures(ctx context.Context, q db.Q, window time.Duration, names ...string) (map[string]int64, error) {
	list, args := db.In([]any{clock.At(q.Now().Add(-window))}, names)
	rows, err := db.All[struct {
		Name string `db:"name"`
		N    int64  `db:"failures"`
	}](ctx, q, `SELECT name, failures FROM throttles WHERE name IN `+list+` AND since > $1`, args...)
	out := make(map[string]int64, len(rows))
	for _, r := range rows {
		out[r.Name] = r.N
	}
	return out, err
}

// forgetAccount clears all names of an account, whose password was set anew.
func forgetAccount(ctx context.Context, q db.Q, name string) error {
	_, err := db.Exec(ctx, q, `DELETE FROM throttles WHERE name LIKE $1`, name+" %")
	return err
}

// forget clears a name after a success.
func forget(ctx context.Context, q db.Q, name string) error {
	_, err := db.Exec(ctx, q, `DELETE FROM throttles WHERE name = $1`, name)
	return err
}
