package ident

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// house is a database with a door whose hashes are counted.
type house struct {
	*testing.T
	*Passwords
	now                 time.Time
	hashes, atOnce, top atomic.Int64
}

func each(t *testing.T, l Limits, f func(h *house)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			h := &house{T: t, now: clock.Real()}
			d := dbtest.New(t, engine, func() time.Time { return h.now })
			h.Passwords = NewPasswords(d, l)
			h.derive = h.counted(argon)
			f(h)
		})
	}
}

func (h *house) counted(d derive) derive {
	return func(password, salt []byte, c cost) []byte {
		h.hashes.Add(1)
		n := h.atOnce.Add(1)
		defer h.atOnce.Add(-1)
		for top := h.top.Load(); n > top && !h.top.CompareAndSwap(top, n); top = h.top.Load() {
		}
		return d(password, salt, c)
	}
}

// light makes hashes cheap, where a test is not about their cost.
func (h *house) light() derive {
	d := derive(func(password, salt []byte, _ cost) []byte {
		return argon(password, salt, cost{memory: 1 << 10, time: 1, threads: 1})
	})
	h.derive = h.counted(d)
	return d
}

func (h *house) tx(f func(q db.Q) error) {
	h.Helper()
	if err := h.db.Tx(h.Context(), f); err != nil {
		h.Fatal(err)
	}
}

// person makes a user with a stored password; none when it is empty.
func (h *house) person(name, stored string) (u *User) {
	h.Helper()
	h.tx(func(q db.Q) (err error) {
		u, err = Add(h.Context(), q, NewUser{Username: name, Email: name + "@example.edu", FirstName: "F",
			LastName: "L", Role: policy.Student})
		if err == nil && stored != "" {
			_, err = db.Exec(h.Context(), q, `UPDATE users SET password_hash = $2 WHERE id = $1`, u.ID, stored)
		}
		return err
	})
	return u
}

func (h *house) try(name, password string) error {
	_, err := h.SignIn(h.Context(), Credentials{Username: name, Password: password})
	return err
}

func (h *house) stored(u *User) string {
	h.Helper()
	s, err := db.One[string](h.Context(), h.db.Pool(), `SELECT password_hash FROM users WHERE id = $1`, u.ID)
	if err != nil {
		h.Fatal(err)
	}
	return *s
}

func TestSeal(t *testing.T) {
	d := derive(argon)
	text := d.seal("pässword")
	if !strings.HasPrefix(text, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("sealed as %s", text)
	}
	for password, want := range map[string]bool{"pässword": true, "password": false, "": false} {
		if ok, stale := d.opens(&text, password); ok != want || stale {
			t.Errorf("%q: %v, stale %v", password, ok, stale)
		}
	}
	if again := d.seal("pässword"); again == text {
		t.Error("two seals are alike")
	}
	// A known vector of the reference implementation: what others sealed opens.
	other := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, stale := d.opens(&other, "password"); !ok || !stale {
		t.Errorf("the known vector: %v, stale %v", ok, stale)
	}
	for _, broken := range []string{"", "x", "$argon2id$",
		"$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "$2a$31$abc",
		strings.Replace(text, "t=2", "t=0", 1)} {
		if ok, _ := d.opens(&broken, ""); ok {
			t.Errorf("%q opens", broken)
		}
	}
}

// Whatever the reason for a refusal, one hash is computed, and the words are
// the same.
func TestRefusalsAreAlike(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		h.person("known", derive(argon).seal("correct horse"))
		h.person("without", "")
		took := map[string][]time.Duration{}
		names := []string{"known", "without", "unknown"}
		for range 5 {
			// In a fixed order the collector's cycle would favour one of them.
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for _, name := range names {
				before, start := h.hashes.Load(), time.Now()
				if err := h.try(name, "wrong horse"); err == nil || err.Error() != errWrong.Error() {
					h.Errorf("%s: %v", name, err)
				}
				took[name] = append(took[name], time.Since(start))
				if n := h.hashes.Load() - before; n != 1 {
					h.Errorf("%s: %d hashes", name, n)
				}
			}
		}
		known := slices.Min(took["known"]) // the quickest: a busy machine only adds
		for name, all := range took {
			if r := float64(slices.Min(all)) / float64(known); r < 0.2 || r > 5 {
				h.Errorf("%s: %v, known: %v", name, slices.Min(all), known)
			}
		}
	})
}

func TestBlockedTriesAreNotHashed(t *testing.T) {
	each(t, Limits{PerAccount: 3}, func(h *house) {
		h.light()
		for range 3 {
			h.try("ann", "wrong horse")
		}
		before := h.hashes.Load()
		if err := h.try("ann", "wrong horse"); !fault.Is(err, fault.Throttled) {
			h.Errorf("got %v", err)
		}
		if h.hashes.Load() != before {
			h.Error("a blocked try was hashed")
		}
	})
}

func TestImportedHashIsReplaced(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		old, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
		if err != nil {
			h.Fatal(err)
		}
		u := h.person("ann", string(old))
		if err := h.try("ann", "wrong horse"); !fault.Is(err, fault.Unknown) {
			h.Errorf("got %v", err)
		}
		if h.stored(u) != string(old) {
			h.Error("replaced without a success")
		}
		for range 2 {
			if err := h.try("ann", "correct horse"); err != nil {
				h.Fatal(err)
			}
			if s := h.stored(u); !strings.HasPrefix(s, "$argon2id$") {
				h.Errorf("stored as %s", s)
			}
		}
	})
}

func TestHashesAtOnce(t *testing.T) {
	each(t, Limits{Hashes: 2, Waiting: 100, Patience: time.Minute}, func(h *house) {
		stored := h.light().seal("correct horse")
		for i := range 10 {
			h.person(fmt.Sprintf("user%d", i), stored)
		}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				if err := h.try(fmt.Sprintf("user%d", i%10), "correct horse"); err != nil {
					h.Error(err)
				}
			})
		}
		wg.Wait()
		if h.top.Load() > 2 || h.hashes.Load() != 50 {
			h.Errorf("%d hashes, %d at once", h.hashes.Load(), h.top.Load())
		}
		if n := len(h.queue.turns.held); n != 0 || h.queue.inside != [2]int{} || h.queue.free != 2 {
			h.Errorf("%d names and %d requests are left in the queue", n, h.queue.inside)
		}
	})
}

func TestAddressesCountTogether(t *testing.T) {
	for a, b := range map[string]string{"2001:db8::1": "2001:db8::ffff:1", "192.0.2.1": "192.0.2.1"} {
		if x, y := addressName(netip.MustParseAddr(a)), addressName(netip.MustParseAddr(b)); x != y || x == "" {
			t.Errorf("%s and %s: %s, %s", a, b, x, y)
		}
	}
	if a, b := addressName(netip.MustParseAddr("192.0.2.1")), addressName(netip.MustParseAddr("192.0.2.2")); a == b ||
		addressName(netip.Addr{}) != "" {
		t.Errorf("%s, %s", a, b)
	}
}

func TestWindowForgets(t *testing.T) {
	each(t, Limits{PerAccount: 3}, func(h *house) {
		h.light()
		for range 4 { // two in a quarter of an hour are never too many
			for range 2 {
				if err := h.try("ann", "wrong horse"); !fault.Is(err, fault.Unknown) {
					h.Fatal(err)
				}
			}
			h.now = h.now.Add(15 * time.Minute)
		}
	})
}

func TestPrune(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		u := h.person("ann", h.light().seal("correct horse"))
		ctx := h.Context()
		h.try("nobody", "wrong horse")
		h.tx(func(q db.Q) error {
			if _, _, err := NewLink(ctx, q, u.ID); err != nil {
				return err
			}
			if _, err := NewTicket(ctx, q, u.ID); err != nil {
				return err
			}
			_, err := Start(ctx, q, u, false)
			return err
		})
		prune := func() (n int64) {
			h.tx(func(q db.Q) (err error) { n, err = Prune(ctx, q); return err })
			return n
		}
		for _, step := range []struct {
			wait time.Duration
			want int64
		}{{0, 0}, {time.Minute, 1}, {2 * time.Hour, 1}, {24 * time.Hour, 2}, {7 * 24 * time.Hour, 1}, {time.Hour, 0}} {
			h.now = h.now.Add(step.wait)
			if n := prune(); n != step.want {
				h.Errorf("after %v more: %d rows went", step.wait, n)
			}
		}
	})
}

func TestSettingAPasswordByHand(t *testing.T) {
	each(t, Limits{}, func(h *house) {
		h.light()
		u := h.person("ann", "")
		if err := h.SetPassword(h.Context(), "ANN", "short"); !fault.Is(err, fault.Refused) {
			h.Errorf("got %v", err)
		}
		if err := h.SetPassword(h.Context(), "nobody", "correct horse"); !fault.Is(err, fault.Missing) {
			h.Errorf("got %v", err)
		}
		if err := h.SetPassword(h.Context(), "ANN", "correct horse"); err != nil {
			h.Fatal(err)
		}
		in, err := h.SignIn(h.Context(), Credentials{Username: "ann", Password: "correct horse"})
		if err != nil {
			h.Fatal(err)
		}
		// Two change it at once with the same old one: one wins, or the second is told.
		who := &access.Caller{ID: u.ID, Username: "ann", Role: policy.Student}
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if h.ChangePassword(context.Background(), who, "correct horse", fmt.Sprintf("new horse %d", i),
					netip.Addr{}) == nil {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			h.Errorf("%d changes won", won.Load())
		}
		if _, err := Authenticate(h.Context(), h.db.Pool(), "ann", in.Token); !fault.Is(err, fault.Unknown) {
			h.Errorf("the session goes on: %v", err)
		}
	})
}
