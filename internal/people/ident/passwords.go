package ident

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/netip"
	"runtime"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Limits bound what sign-ins may cost and how often one may guess. Zeros mean
// the defaults.
type Limits struct {
	Hashes     int           // passwords hashed at once; one per core when 0
	Waiting    int           // requests waiting for that; 100 per hash when 0
	Patience   time.Duration // how long one waits; 10 s
	PerAccount int64         // wrong passwords for a name from one address within Window before it must wait; 20
	Elsewhere  int64         // for a name from addresses new to it, before those are slowed down; 100
	PerAddress int64         // from an address for any names, before it is slowed down; 100
	Pace       time.Duration // between tries that are slowed down; 500 ms
	Window     time.Duration // 15 min

	// RequireFactor lets Convenors and Admins do nothing but set up a second factor
	// until they have one.
	RequireFactor bool
	// Only names those who may sign in with a password kept here; nil for all.
	Only []string
}

func (l Limits) withDefaults() Limits {
	l.Hashes = cmp.Or(max(l.Hashes, 0), runtime.GOMAXPROCS(0))
	l.Waiting = cmp.Or(max(l.Waiting, 0), 100*l.Hashes)
	l.Patience = cmp.Or(max(l.Patience, 0), 10*time.Second)
	l.PerAccount = cmp.Or(max(l.PerAccount, 0), 20)
	l.Elsewhere = cmp.Or(max(l.Elsewhere, 0), 100)
	l.Pace = cmp.Or(max(l.Pace, 0), 500*time.Millisecond)
	l.PerAddress = cmp.Or(max(l.PerAddress, 0), 100)
	l.Window = cmp.Or(max(l.Window, 0), 15*time.Minute)
	return l
}

// Passwords signs people in by password, and changes and resets passwords. It owns its transactions, since
// a password must not be hashed while one is open.
type Passwords struct {
	db     *db.DB
	limits Limits
	queue  *queue
	derive derive
}

// NewPasswords makes the one Passwords of a process: two would each have their own bound
// on hashes.
func NewPasswords(d *db.DB, l Limits) *Passwords {
	l = l.withDefaults()
	return &Passwords{db: d, limits: l, queue: newQueue(l), derive: argon}
}

// account is a user with what signing in needs.
type account struct {
	User
	PasswordHash *string `db:"password_hash"`
	Known        bool    `db:"known"` // signed in to from this address before
}

const accountColumns = userColumns + `, password_hash, EXISTS (SELECT 1 FROM sign_in_places p
	WHERE p.user_id = users.id AND p.place = $1) AS known`

// Credentials are what somebody signs in with who types a password.
type Credentials struct {
	Username, Password string
	OTP                string // a code of the second factor; empty when none was given
	Entry
}

// Entry is what a sign-in says beside who it is: how long the session shall last
// and where it comes from.
type Entry struct {
	Remember bool
	From     netip.Addr // whose failures count together; may be unknown
	Agent    string     // what their browser or program calls itself

	password  bool // it began with a password typed here
	enrolling bool // it may only set up a second factor
}

// SignedIn is a sign-in that was let in: whose, and the token, shown only now.
type SignedIn struct {
	User      *User
	Token     string
	Enrolling bool // it may only set up a second factor
}

// errWrong is the one answer to a wrong password, an unknown name and an
// account without a password.
var errWrong = fault.New(fault.Unknown, "The username or the password is wrong.")

// errMeanwhile tells that the password that was proven is not the account's any
// more.
var errMeanwhile = errors.New("the password changed while it was proven")

// SignIn opens a session and gives its token. Failures are fault.Unknown,
// whatever the reason, after the same time, and of the code second_factor where
// only that is missing; fault.Throttled after too many of them; fault.Unavailable
// when too many sign in at once.
func (d *Passwords) SignIn(ctx context.Context, c Credentials) (in *SignedIn, err error) {
	// Another sign-in may have replaced an old seal of the same password
	// meanwhile, so whoever was too late proves it once more.
	for range 2 {
		if in, err = d.signIn(ctx, c); !errors.Is(err, errMeanwhile) {
			return in, err
		}
	}
	return nil, errWrong
}

func (d *Passwords) signIn(ctx context.Context, c Credentials) (*SignedIn, error) {
	a, err := d.named(ctx, c.Username, c.From)
	if err != nil {
		return nil, err
	}
	if !d.keeps(a) {
		a.PasswordHash = nil // in the same time as for everybody
	}
	p := proof{accountName(c.Username), c.From, a, c.Password}
	fresh, err := d.prove(ctx, p)
	if err != nil {
		return nil, err
	}
	return d.admit(ctx, &p, c, func(q db.Q) (*User, error) {
		u, err := held(ctx, q, a.ID, a.PasswordHash)
		if err == nil && fresh != "" {
			_, err = replace(ctx, q, u.ID, a.PasswordHash, fresh)
		}
		return u, err
	})
}

// keeps tells whether an account may sign in with a password kept here.
func (d *Passwords) keeps(a *account) bool { return len(d.limits.Only) == 0 || d.Named(a.Username) }

// Named tells whether a user name is among those to whom passwords kept here are
// limited.
func (d *Passwords) Named(username string) bool {
	return NamedIn(d.limits.Only, username)
}

// admit opens a session for the user that find gives, and holds, in the
// transaction, if they bring the second factor that they have or must have. A
// refusal is committed with what it counted.
func (d *Passwords) admit(ctx context.Context, p *proof, c Credentials, find Matching) (*SignedIn, error) {
	var in SignedIn
	var refused error
	err := d.db.Tx(ctx, func(q db.Q) (err error) {
		if in.User, err = find(q); err != nil {
			return err
		}
		var on bool
		if on, refused, err = d.second(ctx, q, p, c, in.User); err != nil {
			return err
		}
		// The password was right, whatever became of the code: wrong codes must not keep
		// out who brings a recovery code.
		if err := forget(ctx, q, p.try()); err != nil || refused != nil {
			return err
		}
		e := c.Entry
		e.password, e.enrolling = true, !on && d.RequiresFactor(in.User.Role)
		in.Enrolling = e.enrolling
		in.Token, err = Open(ctx, q, in.User, e)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return &in, nil
}

// second takes the code of a user who has a second factor, or tells why not; on
// tells whether they have one.
func (d *Passwords) second(ctx context.Context, q db.Q, p *proof, c Credentials,
	u *User) (on bool, refusal, err error) {
	if c.OTP == "" {
		f, err := factorOf(ctx, q, u.ID)
		if err != nil || !f.on() {
			return false, nil, err
		}
		return true, errFactor, nil
	}
	from := tried{u.ID, p.account.Known && p.account.ID == u.ID, c.From}
	on, ok, err := d.useCode(ctx, q, from, c.OTP)
	switch {
	case fault.Is(err, fault.Throttled):
		return on, err, nil
	case err == nil && on && !ok:
		refusal = errCode
	}
	return on, refusal, err
}

// held holds an account and gives it, if the seal that was proven outside the
// transaction is still its own: a session must not begin with a password that
// was changed, nor on an account that was disabled, while it was proven.
func held(ctx context.Context, q db.Q, id int64, proven *string) (*User, error) {
	if err := db.Lock(ctx, q, "users", id); err != nil {
		return nil, err
	}
	a, err := db.One[account](ctx, q, `SELECT `+accountColumns+` FROM users WHERE id = $2`, "", id)
	switch {
	case err != nil:
		return nil, err
	case *a.Disabled:
		return nil, fault.New(fault.Unknown, "This account is disabled. Ask an administrator.")
	case a.PasswordHash == nil || *a.PasswordHash != *proven:
		return nil, errMeanwhile
	}
	return &a.User, nil
}

// named finds the account someone means: the name as typed, or without the s
// before a student's number. There may be none; the account is then empty.
func (d *Passwords) named(ctx context.Context, username string, from netip.Addr) (*account, error) {
	key := fold(username)
	a, err := db.One[account](ctx, d.db.Pool(), `SELECT `+accountColumns+` FROM users
		WHERE username_key IN ($2, $3) ORDER BY CASE WHEN username_key = $2 THEN 0 ELSE 1 END LIMIT 1`, place(from),
		key, variant(key))
	if fault.Is(err, fault.Missing) {
		return &account{}, nil
	}
	return a, err
}

// proof is a password to be checked against what is stored.
type proof struct {
	name     string // under which failures count
	from     netip.Addr
	account  *account // an empty one has no password that opens
	password string
}

// try is where the failures of this name from this address count.
func (p *proof) try() string { return p.name + " from " + addressName(p.from) }

// elsewhere is where those from all addresses new to the account count.
func (p *proof) elsewhere() string { return p.name + " elsewhere" }

func (p *proof) class() class {
	if p.account.Known {
		return familiar
	}
	return stranger
}

// prove checks a password, which costs a try. It gives a new seal where the
// stored one should be replaced.
func (d *Passwords) prove(ctx context.Context, p proof) (fresh string, err error) {
	err = d.attempt(ctx, &p, func(wait context.Context) (ok bool, err error) {
		err = d.queue.hash(wait, p.class(), func() error {
			if err := d.count(ctx, counted{p.try(), p.account.ID}, d.limits.PerAccount); err != nil {
				return err
			}
			var stale bool
			if ok, stale = d.derive.opens(p.account.PasswordHash, p.password); ok && stale {
				fresh = d.derive.seal(p.password)
			}
			return nil
		})
		return ok, err
	})
	return fresh, err
}

// attempt lets try run when it is the turn of the name, unless that has failed too
// often, and counts when it says no, which is errWrong. What try waits for, it must
// not outwait.
func (d *Passwords) attempt(ctx context.Context, p *proof, try func(wait context.Context) (bool, error)) error {
	slow, err := d.checkFailures(ctx, p)
	if err != nil {
		return err
	}
	wait, leave, err := d.queue.enter(ctx, p.class())
	if err != nil {
		return err
	}
	defer leave()
	for _, name := range slow {
		if err := d.queue.slow.enter(wait, name); err != nil {
			return err
		}
	}
	done, err := d.queue.turns.take(wait, p.try())
	if err != nil {
		return err
	}
	defer done()
	ok, err := try(wait)
	if err != nil || ok {
		return err
	}
	if err := d.failed(ctx, p); err != nil {
		return err
	}
	return errWrong
}

// checkFailures refuses a name that has failed too often from this address, and gives
// the names under which a try is slowed down: that of an address that failed with
// many names, and that of an account many guess at, unless it was signed in to
// from there before.
func (d *Passwords) checkFailures(ctx context.Context, p *proof) (slow []string, err error) {
	if err := checkBlocked(ctx, d.db.Pool(), p.try()); err != nil || p.account.Known {
		return nil, err
	}
	seen, err := failures(ctx, d.db.Pool(), d.limits.Window, addressName(p.from), p.elsewhere())
	if err != nil {
		return nil, err
	}
	if at := addressName(p.from); seen[at] >= d.limits.PerAddress {
		slow = append(slow, at)
	}
	if seen[p.elsewhere()] >= d.limits.Elsewhere {
		slow = append(slow, p.elsewhere())
	}
	return slow, nil
}

// failed counts a wrong password where it slows others down, and writes it down at
// the first, second, fourth, eighth … failure within the window: whoever tries for
// long leaves traces, but cannot fill the log.
func (d *Passwords) failed(ctx context.Context, p *proof) error {
	var names []string
	if at := addressName(p.from); at != "" {
		names = append(names, at)
	}
	tried := p.try()
	if !p.account.Known {
		tried = p.elsewhere()
		names = append(names, tried)
	}
	return d.db.Tx(ctx, func(q db.Q) error {
		for _, name := range names { // two at most
			if err := count(ctx, q, counted{name, 0}, math.MaxInt64, d.limits.Window); err != nil {
				return err
			}
		}
		seen, err := failures(ctx, q, d.limits.Window, tried)
		if n := seen[tried]; err != nil || n&(n-1) != 0 {
			return err
		}
		if p.account.ID == 0 {
			return audit.AddNothing(ctx, q) // in the same time
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.SignInFailed, Action: "wrong_password", UserID: p.account.ID})
	})
}

func (d *Passwords) count(ctx context.Context, c counted, limit int64) error {
	return d.db.Tx(ctx, func(q db.Q) error { return count(ctx, q, c, limit, d.limits.Window) })
}

// Seal gives the text a password is stored as, when there is room to hash. Demo
// data gives one seal to many.
func (d *Passwords) Seal(ctx context.Context, password string) (out string, err error) {
	wait, leave, err := d.queue.enter(ctx, familiar)
	if err != nil {
		return "", err
	}
	defer leave()
	err = d.queue.hash(wait, familiar, func() error { out = d.derive.seal(password); return nil })
	return out, err
}

// replace stores a seal where the old one still stands, and tells whether it did.
func replace(ctx context.Context, q db.Q, user int64, old *string, fresh string) (bool, error) {
	n, err := db.Exec(ctx, q, `UPDATE users SET password_hash = $3, updated_at = $4
		WHERE id = $1 AND password_hash IS NOT DISTINCT FROM CAST($2 AS TEXT)`, user, old, fresh, q.Now())
	return n > 0, err
}

// Proof is a password somebody proved to be theirs, and good as long as it is.
type Proof struct {
	user int64
	seal *string
}

// Prove takes the password of the user id as proof that it is them, as a
// sign-in would: wrong ones are fault.Unknown and count.
func (d *Passwords) Prove(ctx context.Context, id int64, password string, from netip.Addr) (*Proof, error) {
	a, err := d.account(ctx, id, from)
	if err != nil {
		return nil, err
	}
	if _, err := d.prove(ctx, proof{accountName(a.Username), from, a, password}); err != nil {
		return nil, err
	}
	return &Proof{id, a.PasswordHash}, nil
}

func (d *Passwords) account(ctx context.Context, id int64, from netip.Addr) (*account, error) {
	return db.OneOf[account](ctx, d.db.Pool(), "user", `SELECT `+accountColumns+` FROM users WHERE id = $2`,
		place(from), id)
}

// ChangePassword gives the caller a new password for the old one, and ends their other
// sessions. Wrong old ones count as failed sign-ins: a stolen session must not become a way to
// guess. It is for the user themselves (policy.SignedIn); a weak one is refused.
func (d *Passwords) ChangePassword(ctx context.Context, who *access.Caller, old, password string,
	from netip.Addr) error {
	a, err := d.account(ctx, who.ID, from)
	if err != nil {
		return err
	}
	if err := passwordFlaw(password, &a.User); err != nil {
		return err
	}
	p := proof{accountName(a.Username), from, a, old}
	if _, err := d.prove(ctx, p); err != nil {
		return err
	}
	fresh, err := d.Seal(ctx, password)
	if err != nil {
		return err
	}
	return d.db.Tx(ctx, func(q db.Q) error {
		ok, err := replace(ctx, q, who.ID, a.PasswordHash, fresh)
		switch {
		case err != nil:
			return err
		case !ok:
			return fault.New(fault.Conflict, "The password has been changed in the meantime.")
		}
		if err := forgetAccount(ctx, q, p.name); err != nil {
			return err
		}
		if err := dropLinks(ctx, q, who.ID); err != nil {
			return err
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Password, Action: audit.Changed,
			UserID: who.ID}); err != nil {
			return err
		}
		return endAll(ctx, q, who.ID, who.SessionID)
	})
}

// SetPassword gives a user a password without asking for the old one, and ends
// their sessions. It is for whoever runs the installation.
func (d *Passwords) SetPassword(ctx context.Context, username, password string) error {
	u, err := ByUsername(ctx, d.db.Pool(), username)
	if err != nil {
		return err
	}
	if err := passwordFlaw(password, u); err != nil {
		return err
	}
	fresh, err := d.Seal(ctx, password)
	if err != nil {
		return err
	}
	return d.db.Tx(ctx, func(q db.Q) error { return set(ctx, q, u, fresh) })
}

// set stores a seal whatever stood before.
func set(ctx context.Context, q db.Q, u *User, fresh string) error {
	if _, err := db.Exec(ctx, q, `UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1`, u.ID, fresh,
		q.Now()); err != nil {
		return err
	}
	if err := forgetAccount(ctx, q, accountName(u.Username)); err != nil {
		return err
	}
	if err := dropLinks(ctx, q, u.ID); err != nil {
		return err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Password, Action: "set", UserID: u.ID}); err != nil {
		return err
	}
	return endAll(ctx, q, u.ID, 0)
}
