package ident

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/totp"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// A second factor guards every sign-in with a password that is typed here. How a
// sign-in elsewhere is guarded is the business of elsewhere.
const (
	// codeTries is how many wrong codes there may be within Limits.Window, from all
	// addresses new to an account together and from each other one, before one must
	// wait. It does not end with a new password: a link to set one must not become
	// a way to guess on.
	codeTries = 10
	// enrolWithin is how long a secret may take to be confirmed.
	enrolWithin = time.Hour
	// recoveryCodes is how many there are, each of recoverySize letters: 80 bits.
	recoveryCodes = 10
	recoverySize  = 16
)

// secondFactor is the code on the wire of a sign-in that lacks the factor.
const secondFactor = "second_factor"

var (
	errFactor = &fault.Error{Kind: fault.Unknown, Code: secondFactor, Text: "Enter the code that your authenticator " +
		"app shows, or one of your recovery codes."}
	errCode = &fault.Error{Kind: fault.Unknown, Code: secondFactor, Text: "That code is wrong or was used before. " +
		"Enter the next one, and check the clock of your phone if that fails too."}
)

// Factor is what a person is told of their second factor.
type Factor struct {
	Enabled       bool        `json:"enabled"`
	Required      bool        `json:"required"` // by the role, in this installation
	Since         *clock.Time `json:"since" db:"confirmed_at"`
	RecoveryCodes int64       `json:"recovery_codes" db:"recovery_codes"` // that are left
}

// RequiresFactor tells whether somebody of a role must have a second factor.
func (d *Passwords) RequiresFactor(r policy.Role) bool {
	return d.limits.RequireFactor && r >= policy.Convenor
}

// Factor tells of the caller's own second factor.
func (d *Passwords) Factor(ctx context.Context, q db.Q, who *access.Caller) (*Factor, error) {
	f, err := db.One[Factor](ctx, q, `SELECT f.confirmed_at, (SELECT count(*) FROM recovery_codes c
			WHERE c.user_id = u.id) AS recovery_codes
		FROM users u LEFT JOIN second_factors f ON f.user_id = u.id WHERE u.id = $1`, who.ID)
	if err != nil {
		return nil, err
	}
	f.Enabled, f.Required = f.Since != nil, d.RequiresFactor(who.Role)
	return f, nil
}

type factor struct {
	Secret      string      `db:"secret"`
	CreatedAt   clock.Time  `db:"created_at"`
	ConfirmedAt *clock.Time `db:"confirmed_at"`
	LastStep    int64       `db:"last_step"`
}

// on tells whether the factor is there and confirmed.
func (f *factor) on() bool { return f != nil && f.ConfirmedAt != nil }

// factorOf reads a user's factor, nil when there is none.
func factorOf(ctx context.Context, q db.Q, user int64) (*factor, error) {
	f, err := db.One[factor](ctx, q, `SELECT secret, created_at, confirmed_at, last_step FROM second_factors
		WHERE user_id = $1`, user)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	return f, err
}

// StartFactor gives the caller a secret for their app. It counts for nothing until
// ConfirmFactor; starting again takes the place of an earlier start. It needs proof that the
// session is the person's own, and fails with fault.Conflict where they have a factor. It is
// for holders of policy.OwnFactor.
func (d *Passwords) StartFactor(ctx context.Context, who *access.Caller, p *Proof) (secret string, err error) {
	secret = totp.NewSecret()
	err = d.db.Tx(ctx, func(q db.Q) error {
		if err := own(ctx, q, who, p, "set up a second factor", "password"); err != nil {
			return err
		}
		n, err := db.Exec(ctx, q, `INSERT INTO second_factors (user_id, secret, created_at, last_step)
			VALUES ($1, $2, $3, 0) ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret,
				created_at = excluded.created_at WHERE second_factors.confirmed_at IS NULL`, who.ID, secret, q.Now())
		if err == nil && n == 0 {
			err = fault.New(fault.Conflict, "You already have a second factor. Turn it off before you set up "+
				"another.")
		}
		return err
	})
	return secret, err
}

// ConfirmFactor switches the caller's second factor on once a code shows that the app has the
// secret, and gives the recovery codes, which are shown only now. It ends the caller's other
// sessions: they began without the factor. It is for holders of policy.OwnFactor. A wrong code
// is refused; without a start it is fault.Conflict.
func (d *Passwords) ConfirmFactor(ctx context.Context, who *access.Caller, code string) (codes []string, err error) {
	err = d.db.Tx(ctx, func(q db.Q) error {
		if err := db.Lock(ctx, q, "users", who.ID); err != nil {
			return err
		}
		f, err := factorOf(ctx, q, who.ID)
		switch {
		case err != nil:
			return err
		case f.on():
			return fault.New(fault.Conflict, "Your second factor is already on.")
		case f == nil || f.CreatedAt.Add(enrolWithin).Before(q.Now().Time):
			return fault.New(fault.Conflict, "There is no setup to confirm, or it is more than an hour old. Start "+
				"the setup again.")
		}
		step, err := totp.Match(f.Secret, plain(code), q.Now().Time, f.LastStep)
		if err == nil && step == 0 {
			err = fault.Field(fault.Refused, "otp", "is not the current code: check the clock of your phone")
		}
		if err != nil {
			return err
		}
		if codes, err = switchOn(ctx, q, who, step); err != nil {
			return err
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.SecondFactor, Action: audit.Created, UserID: who.ID})
	})
	return codes, err
}

func switchOn(ctx context.Context, q db.Q, who *access.Caller, step int64) ([]string, error) {
	if _, err := db.Exec(ctx, q, `UPDATE second_factors SET confirmed_at = $2, last_step = $3 WHERE user_id = $1`,
		who.ID, q.Now(), step); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE sessions SET enrolling = FALSE WHERE id = $1`, who.SessionID); err != nil {
		return nil, err
	}
	if err := endAll(ctx, q, who.ID, who.SessionID); err != nil {
		return nil, err
	}
	return newCodes(ctx, q, who.ID)
}

// RenewCodes gives the caller new recovery codes for a code, and makes the old ones useless. It
// is for the user themselves. A wrong code is refused; who has no factor is fault.Conflict.
func (d *Passwords) RenewCodes(ctx context.Context, who *access.Caller, code string) (codes []string, err error) {
	err = d.withCode(ctx, who, nil, code, func(q db.Q) error {
		if codes, err = newCodes(ctx, q, who.ID); err != nil {
			return err
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.SecondFactor, Action: "codes_renewed", UserID: who.ID})
	})
	return codes, err
}

// DropFactor switches the caller's second factor off, for the password and a code. Whoever has
// no password here must have signed in just now. It is fault.Conflict for a role that needs a
// second factor.
func (d *Passwords) DropFactor(ctx context.Context, who *access.Caller, p *Proof, code string) error {
	if d.RequiresFactor(who.Role) {
		return fault.New(fault.Conflict, "A %s needs a second factor here, so it cannot be turned off. An "+
			"administrator can reset it.", who.Role)
	}
	owned := func(q db.Q) error { return owner(ctx, q, who, p) }
	return d.withCode(ctx, who, owned, code, func(q db.Q) error {
		return dropFactor(ctx, q, who.ID, audit.Deleted)
	})
}

// ResetFactor takes a user's second factor away, for one who has lost the app and the codes.
// Nobody resets their own: a stolen session must not be enough. By is nil on the machine
// itself. It is for holders of policy.ManageAccounts; who has no factor is fault.Missing.
func ResetFactor(ctx context.Context, q db.Q, by *access.Caller, user int64) error {
	if by != nil && by.ID == user {
		return fault.New(fault.Denied, "You cannot reset your own second factor. Turn it off with a code, or ask "+
			"another administrator.")
	}
	return dropFactor(ctx, q, user, "reset")
}

func dropFactor(ctx context.Context, q db.Q, user int64, action string) error {
	if _, err := ByID(ctx, q, user); err != nil {
		return err
	}
	n, err := db.Exec(ctx, q, `DELETE FROM second_factors WHERE user_id = $1`, user)
	if err == nil && n == 0 {
		err = fault.New(fault.Missing, "There is no second factor on this account.")
	}
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM recovery_codes WHERE user_id = $1`, user); err != nil {
		return err
	}
	if err := forgetAccount(ctx, q, factorName(user)); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.SecondFactor, Action: action, UserID: user})
}

// Sure runs f in a transaction in which the caller proved who they are: they signed in a moment ago, and
// give a code of their second factor. Whoever has none is fault.Conflict and told to set one up; what for,
// what says. A wrong code is refused and counts.
func (d *Passwords) Sure(ctx context.Context, who *access.Caller, what, code string, f func(db.Q) error) error {
	return d.withCode(ctx, who, func(q db.Q) error {
		has, err := factorOf(ctx, q, who.ID)
		if err == nil && !has.on() {
			err = fault.New(fault.Conflict, "To %s, you need a second factor. Set one up in your profile, under Security.", what)
		}
		if err != nil {
			return err
		}
		return OnlyRecent(ctx, q, who, what)
	}, code, f)
}

// withCode runs f in a transaction in which first and a code of the caller's are
// taken. A wrong code leaves its count behind, so that stolen sessions cannot guess.
func (d *Passwords) withCode(ctx context.Context, who *access.Caller, first func(db.Q) error, code string,
	f func(db.Q) error) error {
	a, err := d.account(ctx, who.ID, who.From)
	if err != nil {
		return err
	}
	var refused error
	err = d.db.Tx(ctx, func(q db.Q) error {
		refused = nil
		if err := db.Lock(ctx, q, "users", who.ID); err != nil {
			return err
		}
		if first != nil {
			if err := first(q); err != nil {
				return err
			}
		}
		on, ok, err := d.useCode(ctx, q, tried{who.ID, a.Known, who.From}, code)
		switch {
		case err != nil:
			return err
		case !on:
			return fault.New(fault.Conflict, "You have no second factor.")
		case !ok:
			refused = fault.Field(fault.Refused, "otp", "is wrong or was used before: enter the next code")
			return nil
		}
		return f(q)
	})
	if err == nil {
		err = refused
	}
	return err
}

// tried is who tries a code, and whether the account was signed in to from there.
type tried struct {
	user  int64
	known bool
	from  netip.Addr
}

// factorName is where wrong codes of a user are counted.
func factorName(user int64) string { return fmt.Sprintf("second factor %d", user) }

// name is where the wrong codes of this try count.
func (t tried) name() string {
	if t.known {
		return factorName(t.user) + " from " + addressName(t.from)
	}
	return factorName(t.user) + " elsewhere"
}

// useCode takes a code of the app or a recovery code, once; on tells whether the
// user has a factor at all. The caller holds the account, and must commit when the
// code is not ok. Recovery codes have too many letters to be guessed, so they are
// taken while those of the app must wait.
func (d *Passwords) useCode(ctx context.Context, q db.Q, t tried, given string) (on, ok bool, err error) {
	f, err := factorOf(ctx, q, t.user)
	if err != nil || !f.on() {
		return false, false, err
	}
	code, name, limit, use := plain(given), t.name(), int64(codeTries), f.use
	if len(code) != totp.Digits {
		name, limit, use = name+" by recovery code", math.MaxInt64, useRecovery
	}
	if err := count(ctx, q, counted{name, t.user}, limit, d.limits.Window); err != nil {
		return true, false, err
	}
	if ok, err = use(ctx, q, t.user, code); err != nil {
		return true, false, err
	}
	if ok {
		return true, true, forget(ctx, q, name)
	}
	seen, err := failures(ctx, q, d.limits.Window, name)
	if n := seen[name]; err != nil || n&(n-1) != 0 {
		return true, false, err // as for passwords: whoever tries for long cannot fill the log
	}
	return true, false, audit.Add(ctx, q, audit.Entry{Kind: audit.SignInFailed, Action: "wrong_code", UserID: t.user})
}

// use takes a code of the app. The step it was made for is over with it: the
// condition decides among many at once.
func (f *factor) use(ctx context.Context, q db.Q, user int64, code string) (bool, error) {
	step, err := totp.Match(f.Secret, code, q.Now().Time, f.LastStep)
	if err != nil || step == 0 {
		return false, err
	}
	n, err := db.Exec(ctx, q, `UPDATE second_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2`, user,
		step)
	return n > 0, err
}

func useRecovery(ctx context.Context, q db.Q, user int64, code string) (bool, error) {
	n, err := db.Exec(ctx, q, `DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2`, user, HashToken(code))
	if err != nil || n == 0 {
		return false, err
	}
	return true, audit.Add(ctx, q, audit.Entry{Kind: audit.SecondFactor, Action: "recovery_code_used", UserID: user})
}

// newCodes gives a user recovery codes in the place of those they had.
func newCodes(ctx context.Context, q db.Q, user int64) ([]string, error) {
	if _, err := db.Exec(ctx, q, `DELETE FROM recovery_codes WHERE user_id = $1`, user); err != nil {
		return nil, err
	}
	codes, rows := make([]string, recoveryCodes), make([][]any, recoveryCodes)
	for i := range codes {
		code := rand.Text()[:recoverySize]
		codes[i] = code[:4] + "-" + code[4:8] + "-" + code[8:12] + "-" + code[12:]
		rows[i] = []any{HashToken(code)}
	}
	list, args, err := db.Rows(q, []any{user}, []string{"code_hash TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, r.code_hash FROM `+list+` r`,
		args...)
	return codes, err
}

// plain gives a code as it is compared, however it was typed.
func plain(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\t", "").Replace(code))
}
