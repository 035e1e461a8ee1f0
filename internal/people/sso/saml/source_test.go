package saml

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
	"lectern/internal/people/sso/saml/samltest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func config(metadata string) Config {
	return Config{EntityID: "https://us.example.edu/saml", Consumer: "https://us.example.edu/api/auth/jwt",
		Metadata: metadata, Login: "uid", Log: slog.New(slog.DiscardHandler)}
}

func open(t *testing.T, d *db.DB, c Config) *Provider {
	t.Helper()
	p, err := New(t.Context(), d, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// moody is an address that answers as it is told.
func moody(t *testing.T) (address string, mood *atomic.Pointer[http.HandlerFunc]) {
	t.Helper()
	mood = &atomic.Pointer[http.HandlerFunc]{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*mood.Load())(w, r) }))
	t.Cleanup(s.Close)
	return s.URL, mood
}

func saying200(text string) *http.HandlerFunc {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	return &h
}

func metadataOf(t *testing.T, i *samltest.IDP) string {
	t.Helper()
	f, err := fetch(t.Context(), client(), i.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	return string(f.text)
}

// TestTheLastGoodMetadataStays: a provider that is down, slow or answers rubbish
// takes nothing away, not even over a restart, and nothing waits for it.
func TestTheLastGoodMetadataStays(t *testing.T) {
	good := metadataOf(t, samltest.Start(t))
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		address, mood := moody(t)
		c := config(address)
		c.Client = client()
		p := open(t, d, c)
		if p.RedirectTo(t.Context(), "", "") != "" {
			t.Error("a sign-in begins nowhere")
		}
		if _, err := p.Verify(t.Context(), "x"); !fault.Is(err, fault.Unavailable) ||
			!strings.Contains(err.Error(), "another way") {
			t.Errorf("got %v", err)
		}
		mood.Store(saying200(good))
		if err := p.Refresh(t.Context()); err != nil || p.RedirectTo(t.Context(), "", "") == "" {
			t.Fatalf("good metadata is not used: %v", err)
		}
		slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		unavailable := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example.edu/", http.StatusFound)
		})
		for says, m := range map[string]*http.HandlerFunc{"does not answer": &slow, "answers 503": &down,
			"no SAML metadata": saying200("rubbish"), "without https": &unavailable,
			"larger than 1 MB": saying200(strings.Repeat(" ", mostMetadata+1)),
			"document type":    saying200("<!DOCTYPE x>" + good),
			"many providers":   saying200("<EntitiesDescriptor>" + good + "</EntitiesDescriptor>"),
			"valid until":      saying200(strings.Replace(good, `validUntil="20`, `validUntil="19`, 1)),
			"HTTP-Redirect":    saying200(strings.ReplaceAll(good, "http://127", "http://evil")),
			"RSA key":          saying200(strings.ReplaceAll(good, `use="signing"`, `use="encryption"`)),
		} {
			mood.Store(m)
			if c.Client.Timeout = fetchWithin; m == &slow {
				c.Client.Timeout = 50 * time.Millisecond
			}
			if err := p.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v, want one that says %q", err, says)
			}
			if p.RedirectTo(t.Context(), "", "") == "" {
				t.Errorf("metadata that is wrong (%s) displaced the good one", says)
			}
		}
		if p := open(t, d, c); p.RedirectTo(t.Context(), "", "") == "" {
			t.Error("a restart forgets the metadata")
		}
		c.Pins = []string{strings.Repeat("0", 64)}
		if p := open(t, d, c); p.RedirectTo(t.Context(), "", "") != "" {
			t.Error("a restart uses metadata that is not pinned")
		}
	})
}

func TestMetadataOfAFile(t *testing.T) {
	i := samltest.Start(t)
	file := filepath.Join(t.TempDir(), "idp.xml")
	if err := os.WriteFile(file, []byte(metadataOf(t, i)), 0o600); err != nil {
		t.Fatal(err)
	}
	d := dbtest.New(t, "sqlite", nil)
	c := config(file)
	c.Pins = []string{Fingerprint(i.Certificate)}
	p := open(t, d, c)
	if err := p.Refresh(t.Context()); err != nil ||
		!strings.HasPrefix(p.RedirectTo(t.Context(), "", ""), i.URL+"/sso?SAMLReq") {
		t.Errorf("got %v, %s", err, p.RedirectTo(t.Context(), "", ""))
	}
	c.Pins = []string{strings.Repeat("0", 64)}
	if err := open(t, d, c).Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("got %v", err)
	}
	if err := open(t, d, config(file+"x")).Refresh(t.Context()); err == nil {
		t.Error("a file that is not there is read")
	}
}

// TestRunRefreshes waits for the first fetch of the loop and ends it.
func TestRunRefreshes(t *testing.T) {
	p := open(t, dbtest.New(t, "sqlite", nil), config(samltest.Start(t).Metadata))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	waittest.Until(t, "the metadata is fetched", func() bool { return p.RedirectTo(t.Context(), "", "") != "" })
	stop()
	<-done
}

// TestNothingIsGoodTwice lets one answer sign in on two instances.
func TestNothingIsGoodTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		later := d.Now().Add(time.Hour)
		use := func(names ...string) error {
			return d.Tx(t.Context(), func(q db.Q) error {
				proof := &Proof{}
				for _, n := range names {
					proof.once = append(proof.once, single{n, later})
				}
				return spend(t.Context(), q, proof)
			})
		}
		if err := use("assertion 1", "request 1"); err != nil {
			t.Fatal(err)
		}
		for _, again := range [][]string{{"assertion 1"}, {"assertion 2", "request 1"}, {"assertion 1", "request 3"}} {
			if err := use(again...); err == nil || !strings.Contains(err.Error(), "used before") {
				t.Errorf("%v was used again: %v", again, err)
			}
		}
		if err := use("assertion 2", "request 2"); err != nil { // what was refused left nothing
			t.Error(err)
		}
		err := d.Tx(t.Context(), func(q db.Q) error {
			q = db.At(q, later)
			n, err := Prune(t.Context(), q)
			if n != 4 {
				t.Errorf("%d rows went", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestPins(t *testing.T) {
	plain := strings.Repeat("ab", 32)
	if got, err := ParsePin(" " + strings.ToUpper(plain[:2]) + ":" + plain[2:]); err != nil || got != plain {
		t.Errorf("got %s, %v", got, err)
	}
	for _, bad := range []string{"", plain[2:], plain + "ab", strings.Repeat("zz", 32)} {
		if _, err := ParsePin(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestIDsOfRequests(t *testing.T) {
	now := time.Now().UTC()
	key := []byte("key")
	id := newRequestID(key, now, "")
	if end, err := readRequestID(key, id, now.Add(requestLife-2*time.Second)); err != nil || end.Before(now) {
		t.Errorf("got %s, %v", end, err)
	}
	if _, err := readRequestID(key, id, now.Add(requestLife)); err == nil {
		t.Error("it has no end")
	}
	if id == newRequestID(key, now, "") {
		t.Error("two requests have one id")
	}
	for i := range id {
		b := []byte(id)
		b[i] ^= 1
		if _, err := readRequestID(key, string(b), now); err == nil {
			t.Errorf("%s is taken for ours", b)
		}
	}
	for _, bad := range []string{"", "_", id[1:], id + "00", id[:len(id)-2]} {
		if _, err := readRequestID(key, bad, now); err == nil {
			t.Errorf("%q is taken for ours", bad)
		}
	}
}
