package webhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// inside permits what the tests listen on.
var inside = Guard{AllowPrivate: true}

// instance is a process that delivers.
type instance struct {
	*Deliverer
	queue *jobs.Queue
	stop  func()
}

func start(t *testing.T, d *db.DB) *instance {
	t.Helper()
	return startWith(t, d, 5*time.Millisecond, patience)
}

// startWith starts an instance that waits so long after a failure, and so long
// for an answer.
func startWith(t *testing.T, d *db.DB, wait, answer time.Duration) *instance {
	t.Helper()
	live, end := context.WithCancel(t.Context())
	log := slog.New(slog.DiscardHandler)
	hub := events.NewHub(d, log, 2*time.Millisecond)
	in := &instance{Deliverer: &Deliverer{DB: d, Hub: hub, Log: log, Guard: inside, Live: live,
		backoff: func(int64) time.Duration { return wait }}}
	in.queue = jobs.New(d, log, jobs.Config{Workers: Most, Poll: 5 * time.Millisecond})
	in.Register(in.queue)
	in.client.Timeout = answer
	hub.Start(t.Context())
	in.queue.Start(t.Context())
	in.stop = sync.OnceFunc(func() {
		end()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := in.queue.Stop(ctx); err != nil {
			t.Error(err)
		}
		hub.Stop()
		in.client.CloseIdleConnections()
	})
	t.Cleanup(in.stop)
	return in
}

func tx(t *testing.T, d *db.DB, f func(q db.Q) error) {
	t.Helper()
	if err := d.Tx(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func register(t *testing.T, d *db.DB, url string, kinds ...events.Kind) (h *Webhook) {
	t.Helper()
	tx(t, d, func(q db.Q) (err error) {
		k := Kinds(kinds)
		h, err = Add(t.Context(), q, inside, Change{URL: &url, Kinds: &k})
		return err
	})
	return h
}

func happen(t *testing.T, d *db.DB, kind events.Kind, n int) {
	t.Helper()
	tx(t, d, func(q db.Q) error {
		for i := range n {
			if err := events.Add(t.Context(), q, events.Event{Kind: kind, UnitID: 1,
				Body: map[string]int{"n": i}}); err != nil {
				return err
			}
		}
		return nil
	})
}

func state(t *testing.T, d *db.DB, id int64) *Webhook {
	t.Helper()
	h, err := ByID(t.Context(), d.Pool(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// receiver takes deliveries and keeps what it took.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	took   []received
	answer func(w http.ResponseWriter, r *http.Request) bool // false: not taken
}

type received struct {
	header http.Header
	body   []byte
	Seq    int64
	ID     string
	Kind   string
}

func listen(t *testing.T, answer func(w http.ResponseWriter, r *http.Request) bool) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	got := received{header: req.Header}
	got.body, _ = io.ReadAll(req.Body)
	_ = json.Unmarshal(got.body, &got)
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil && !answer(w, req) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, got)
}

func (r *receiver) reform() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = nil
}

func (r *receiver) seqs() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []int64{}
	for _, g := range r.took {
		out = append(out, g.Seq)
	}
	return out
}

func upTo(n int64) (out []int64) {
	for i := int64(1); i <= n; i++ {
		out = append(out, i)
	}
	return out
}

// rfc2104 computes the signature from its definition.
func rfc2104(secret string, text []byte) string {
	key := make([]byte, 64)
	if len(secret) > 64 {
		sum := sha256.Sum256([]byte(secret))
		copy(key, sum[:])
	} else {
		copy(key, secret)
	}
	inner, outer := bytes.Repeat([]byte{0x36}, 64), bytes.Repeat([]byte{0x5c}, 64)
	for i := range key {
		inner[i] ^= key[i]
		outer[i] ^= key[i]
	}
	in := sha256.Sum256(append(inner, text...))
	out := sha256.Sum256(append(outer, in[:]...))
	return hex.EncodeToString(out[:])
}

func TestEveryEventOnceInOrderAndSigned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		flaky := listen(t, func(w http.ResponseWriter, _ *http.Request) bool {
			if rand.IntN(3) == 0 {
				w.WriteHeader(http.StatusInternalServerError)
				return false
			}
			return true
		})
		h := register(t, d, flaky.URL+"/in?token=x")
		start(t, d)
		start(t, d) // two instances deliver each event once all the same
		for range 10 {
			happen(t, d, "status", 3)
		}
		waittest.Until(t, "30 events arrive", func() bool { return len(flaky.seqs()) >= 30 })
		if got := flaky.seqs(); !slices.Equal(got, upTo(30)) {
			t.Errorf("got %v", got)
		}
		waittest.Until(t, "the last is noted", func() bool { return state(t, d, h.ID).Behind == 0 })
		if s := state(t, d, h.ID); s.Failures != 0 || s.LastError != nil || s.DeliveredAt == nil || s.Secret != "" {
			t.Errorf("%+v", s)
		}
		for _, g := range flaky.took {
			want := "sha256=" + rfc2104(h.Secret, append([]byte(g.header.Get("X-Lectern-Timestamp")+"."), g.body...))
			if got := g.header.Get("X-Lectern-Signature"); got != want {
				t.Errorf("signature %s, want %s", got, want)
			}
			if g.ID != fmt.Sprintf("%d-%d", h.ID, g.Seq) || g.header.Get("X-Lectern-Id") != g.ID ||
				g.header.Get("X-Lectern-Sequence") != fmt.Sprint(g.Seq) || g.header.Get("X-Lectern-Event") != "status" {
				t.Errorf("headers %v for %s", g.header, g.body)
			}
		}
	})
}

// TestHostileReceiversDelayNobody lets receivers misbehave in every way they
// can: one that behaves gets its events meanwhile, and the others theirs as
// soon as they have reformed.
func TestHostileReceiversDelayNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		free := make(chan struct{})
		unfree := sync.OnceFunc(func() { close(free) })
		target := listen(t, nil)
		hostile := map[string]*receiver{
			"hanging": listen(t, func(w http.ResponseWriter, r *http.Request) bool {
				select {
				case <-free:
					w.WriteHeader(http.StatusServiceUnavailable) // else it would be taken for taken
				case <-r.Context().Done():
				}
				return false
			}),
			"redirecting": listen(t, func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Location", target.URL)
				w.WriteHeader(http.StatusTemporaryRedirect)
				return false
			}),
			"endless headers": listen(t, func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("X-Long", strings.Repeat("a", headerSize*2))
				return false
			}),
			"garbage": listen(t, func(w http.ResponseWriter, _ *http.Request) bool {
				if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
					_, _ = c.Write([]byte("\x00\x00\x00"))
					_ = c.Close()
				}
				return false
			}),
		}
		// An endless body after a good status is not read: the event is taken.
		endless := listen(t, func(w http.ResponseWriter, r *http.Request) bool {
			go func() { <-r.Context().Done() }()
			for chunk := make([]byte, 1<<10); ; {
				if _, err := w.Write(chunk); err != nil {
					return true
				}
			}
		})
		t.Cleanup(unfree)
		ids := map[string]int64{}
		for name, r := range hostile {
			ids[name] = register(t, d, r.URL).ID
		}
		register(t, d, endless.URL)
		good := listen(t, nil)
		register(t, d, good.URL)
		startWith(t, d, 5*time.Millisecond, 300*time.Millisecond)
		happen(t, d, "comment", 5)
		// On a machine under load even a good answer may come too late for so
		// little patience; the event then comes again.
		all := func(r *receiver) func() bool {
			return func() bool { return slices.Equal(slices.Compact(r.seqs()), upTo(5)) }
		}
		waittest.Until(t, "the good one has all", all(good))
		// What it has is noted when its answer is cut off, which may be later than that of the next.
		waittest.Until(t, "the endless one has all", func() bool {
			return slices.Equal(slices.Compact(slices.Sorted(slices.Values(endless.seqs()))), upTo(5))
		})
		for name, id := range ids {
			waittest.Until(t, name+" fails", func() bool { return state(t, d, id).Failures > 1 })
			if s := state(t, d, id); s.LastSeq != 0 || s.LastError == nil || s.NextTryAt == nil {
				t.Errorf("%s: %+v", name, s)
			}
			hostile[name].reform()
		}
		unfree()
		for name, r := range hostile {
			waittest.Until(t, name+" gets all", all(r))
		}
		if n := len(target.seqs()); n != 0 {
			t.Errorf("%d redirects were followed", n)
		}
	})
}

func TestNothingIsLostAcrossRestarts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := listen(t, nil)
		h := register(t, d, r.URL, "grade", "comment")
		for range 3 {
			in := start(t, d)
			happen(t, d, "grade", 2)
			happen(t, d, "status", 1) // not asked for
			happen(t, d, "comment", 1)
			in.stop()
			happen(t, d, "grade", 1) // while nobody delivers
		}
		start(t, d)
		waittest.Until(t, "all is dealt with", func() bool { return state(t, d, h.ID).LastSeq == 15 })
		if got := r.seqs(); !slices.Equal(got, []int64{1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestChangesTakeEffectAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		broken := listen(t, func(w http.ResponseWriter,
			_ *http.Request) bool {
			w.WriteHeader(http.StatusGone)
			return false
		})
		whole := listen(t, nil)
		h := register(t, d, broken.URL)
		startWith(t, d, time.Hour, patience)
		happen(t, d, "status", 2)
		waittest.Until(t, "it fails", func() bool { return state(t, d, h.ID).Failures == 1 })
		if s := state(t, d, h.ID); *s.LastError != "event 1: the receiver answered 410" || s.Behind != 2 {
			t.Errorf("%+v", s)
		}
		alter := func(c Change) (out *Webhook) {
			tx(t, d, func(q db.Q) (err error) { out, err = Alter(ctx, q, inside, h.ID, c); return err })
			return out
		}
		if s := alter(Change{URL: &whole.URL, Secret: new("")}); s.Secret == "" || s.Secret == h.Secret {
			t.Errorf("the new secret is %q", s.Secret)
		}
		waittest.Until(t, "the new address has both", func() bool { return slices.Equal(whole.seqs(), upTo(2)) })
		alter(Change{Active: new(false)})
		happen(t, d, "status", 1)
		waittest.Until(t, "the job ends", func() bool {
			n, err := db.One[int64](ctx, d.Pool(), `SELECT count(*) FROM jobs WHERE state IN ('available', 'running')`)
			return err == nil && *n == 0
		})
		alter(Change{Active: new(true)})
		waittest.Until(t, "what happened meanwhile arrives", func() bool { return slices.Equal(whole.seqs(), upTo(3)) })
		tx(t, d, func(q db.Q) error { return Delete(ctx, q, h.ID) })
		tx(t, d, func(q db.Q) error {
			if err := Delete(ctx, q, h.ID); !fault.Is(err, fault.Missing) {
				t.Errorf("deleted twice: %v", err)
			}
			return nil
		})
	})
}

func TestEventsThatAreGoneAreCounted(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	r := listen(t, nil)
	h := register(t, d, r.URL)
	happen(t, d, "status", 5)
	if err := events.Relay(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	tx(t, d, func(q db.Q) error {
		_, err := db.Exec(t.Context(), q, `DELETE FROM events WHERE seq <= 3`)
		return err
	})
	start(t, d)
	waittest.Until(t, "the rest arrives", func() bool { return slices.Equal(r.seqs(), []int64{4, 5}) })
	waittest.Until(t, "the loss is noted", func() bool { s := state(t, d, h.ID); return s.Missed == 3 && s.Behind == 0 })
}

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "2606:2800:220:1:248:1893:25c8:1946": true, "::ffff:8.8.8.8": true,
		"64:ff9b::808:808": true, "2002:808:808::1": true, "172.32.0.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false,
		"0.0.0.0": false,
		"0.1.2.3": false, "169.254.169.254": false, "100.64.0.1": false, "100.127.255.255": false, "192.0.0.192": false,
		"198.18.0.1": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"192.0.2.1": false,
		"::1":       false, "::": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false,
		"fd00:ec2::254": false, "ff02::1": false,
		"fec0::1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"::ffff:0:127.0.0.1": false,
		"64:ff9b::7f00:1":    false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::808:808": false, "2002:7f00:1::": false,
		"2002:a00:1::1": false, "2001::1": false, "2001:db8::1": false, "100::1": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public is %v", text, got)
		}
	}
}

// TestTheAddressDialledIsChecked uses a name that leads to this machine: what
// counts is where the connection would go, not what it is called.
func TestTheAddressDialledIsChecked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	r := listen(t, nil)
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	client := Guard{}.client()
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "127.1",
		"2130706433"} {
		answer, err := client.Post("http://"+host+port, "application/json", nil)
		if err == nil {
			answer.Body.Close()
			t.Errorf("%s was reached", host)
		}
		if host == "localhost" && !strings.Contains(err.Error(), "public internet") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := len(r.seqs()); n != 0 {
		t.Errorf("%d deliveries arrived", n)
	}
}

func TestHooksAreChecked(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	for _, url := range []string{"", "x", "ftp://x.example", "https://", "http://example.edu",
		"https://u:p@example.edu/", "https://example.edu/#x",
		"https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "https://[64:ff9b::7f00:1]/",
		"https://e.edu/" + strings.Repeat("a", 2000)} {
		if err := (Guard{}).CheckURL(url); !fault.Is(err, fault.Refused) {
			t.Errorf("%q: %v", url, err)
		}
	}
	good := "https://example.edu/hook"
	tx(t, d, func(q db.Q) error {
		for i := range Most {
			if h, err := Add(t.Context(), q, Guard{}, Change{URL: &good, Active: new(false)}); err != nil ||
				len(h.Secret) < 40 {
				t.Fatalf("hook %d: %+v, %v", i, h, err)
			}
		}
		_, err := Add(t.Context(), q, Guard{}, Change{URL: &good})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("one too many: %v", err)
		}
		return nil
	})
	for _, c := range []Change{{Secret: new("short")}, {Kinds: &Kinds{"gossip"}}} {
		if err := c.check(Guard{}); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// Other systems hear that something was announced, and not to whom: the copies are passed over.
func TestWhoGotAnAnnouncementIsNotTold(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := listen(t, nil)
		h := register(t, d, r.URL)
		tx(t, d, func(q db.Q) error {
			e := events.Event{Kind: events.Announcement, ActorID: 3, Body: map[string]int{"announcement_id": 7, "unit_id": 1}}
			return errors.Join(events.AddEach(t.Context(), q, e, `SELECT CAST($1 AS BIGINT) AS user_id,
				CAST($1 AS BIGINT) AS project_id`, 4711), events.Add(t.Context(), q, e))
		})
		happen(t, d, events.Grade, 1)
		start(t, d)
		waittest.Until(t, "all is told", func() bool { return len(r.seqs()) == 2 && state(t, d, h.ID).LastSeq == 3 })
		if got := fmt.Sprint(r.seqs()); got != "[2 3]" || strings.Contains(string(r.took[0].body), "4711") ||
			!strings.Contains(string(r.took[0].body), `"announcement_id":7`) {
			t.Errorf("%s: %s", got, r.took[0].body)
		}
	})
}
