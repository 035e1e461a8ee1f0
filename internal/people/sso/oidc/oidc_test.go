package oidc

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/fault"
	"lectern/internal/people/sso/oidc/oidctest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

const browser = "the secret of a browser"

// open gives a provider of ours that asks p.
func open(t *testing.T, d *db.DB, p *oidctest.Provider, change func(*Config)) *Provider {
	t.Helper()
	c := Config{Issuer: p.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.Secret, Callback: oidctest.Callback,
		Within: 2 * time.Second}
	if change != nil {
		change(&c)
	}
	o, err := New(t.Context(), d, c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// brought signs ann in at the provider and gives what her browser brings back.
func brought(t *testing.T, o *Provider, p *oidctest.Provider) Return {
	t.Helper()
	to, err := o.Start(t.Context(), browser, "")
	if err != nil {
		t.Fatal(err)
	}
	v := p.SignIn(t, to).Query()
	return Return{Browser: browser, State: v.Get("state"), Code: v.Get("code"), Issuer: v.Get("iss")}
}

func TestSignInAtTheProvider(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := oidctest.Start(t, true)
		o := open(t, d, p, nil)
		r := brought(t, o, p)
		got, err := o.Take(t.Context(), r)
		if err != nil || got.LoginID != oidctest.Subject || got.Email != "ann@example.edu" ||
			!cmp.Equal(got.Attributes["given_name"], []string{"Ann"}) {
			t.Errorf("got %+v, %v", got, err)
		}
		if _, err := o.Take(t.Context(), r); !fault.Is(err, fault.Unknown) {
			t.Errorf("it was taken twice: %v", err)
		}
		// Another instance knows of it too.
		if _, err := open(t, d, p, nil).Take(t.Context(), r); !fault.Is(err, fault.Unknown) {
			t.Errorf("another instance took it: %v", err)
		}
		p.Renew(true) // with another key
		if got, err := o.Take(t.Context(), brought(t, o, p)); err != nil || got.LoginID != oidctest.Subject {
			t.Errorf("after a change of keys: %+v, %v", got, err)
		}
	})
}

func TestAddressesMustBeVerified(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	p := oidctest.Start(t, false)
	o := open(t, d, p, nil)
	if got, err := o.Take(t.Context(), brought(t, o, p)); err != nil || got.Email != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	o = open(t, d, p, func(c *Config) { c.TrustEmail = true })
	if got, err := o.Take(t.Context(), brought(t, o, p)); err != nil || got.Email != "ann@example.edu" {
		t.Errorf("got %+v, %v", got, err)
	}
	o = open(t, d, p, func(c *Config) { c.Login = "preferred_username" })
	if got, err := o.Take(t.Context(), brought(t, o, p)); err != nil || got.LoginID != oidctest.Username {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Returns that must not be taken, each as an attacker could bring it.
func TestForgedReturns(t *testing.T) {
	now := time.Now()
	d := dbtest.New(t, "sqlite", func() time.Time { return now })
	p, other := oidctest.Start(t, true), oidctest.Start(t, true)
	o := open(t, d, p, nil)
	for what, change := range map[string]func(r *Return){
		"another browser": func(r *Return) { r.Browser = "somebody else's" },
		"no browser":      func(r *Return) { r.Browser = "" },
		"no state":        func(r *Return) { r.State = "" },
		"another's state": func(r *Return) {
			r.State = brought(t, open(t, dbtest.New(t, "sqlite", nil), p, nil),
				p).State
		},
		"another sign-in's":    func(r *Return) { r.State = brought(t, o, p).State }, // its verifier and nonce differ
		"a longer life":        func(r *Return) { r.State = "B" + r.State[1:] },
		"another issuer":       func(r *Return) { r.Issuer = other.URL },
		"no code":              func(r *Return) { r.Code = "" },
		"a made-up code":       func(r *Return) { r.Code = "made-up" },
		"the provider refused": func(r *Return) { r.Code, r.Error = "", "access_denied" },
		"a strange refusal":    func(r *Return) { r.Error = "<script>" },
		"too late":             func(*Return) { now = now.Add(11 * time.Minute) },
	} {
		r := brought(t, o, p)
		change(&r)
		_, err := o.Take(t.Context(), r)
		if !fault.Is(err, fault.Unknown) || strings.Contains(err.Error(), "script") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A code of one sign-in does not go with the state of another at the provider, which
	// is a mix-up of two that both began here.
	if _, err := o.Take(t.Context(), brought(t, o, p)); err != nil {
		t.Errorf("an honest one: %v", err)
	}
}

// Tokens that a provider, or somebody who speaks for it, made for another purpose.
func TestForgedTokens(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	p := oidctest.Start(t, true)
	for what, change := range map[string]func(c *Config){
		"for another client": func(c *Config) { c.ClientID = "another" },
	} {
		o := open(t, d, p, nil)
		r := brought(t, o, p)
		c := o.Config
		change(&c)
		o.Config.ClientID = c.ClientID
		if _, err := o.Take(t.Context(), r); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	// Signed by a key that is not the provider's: the token is of before, the keys of after.
	o := open(t, d, p, nil)
	r := brought(t, o, p)
	p.Wrap(func(w http.ResponseWriter, req *http.Request, next http.Handler) {
		if req.URL.Path == "/keys" {
			_, _ = w.Write([]byte(`{"keys":[]}`))
			return
		}
		next.ServeHTTP(w, req)
	})
	if _, err := o.Take(t.Context(), r); !fault.Is(err, fault.Unknown) {
		t.Errorf("an unknown key is believed: %v", err)
	}
}

// A provider that is down, slow or answers rubbish is told of within seconds, and
// those who come next hear at once.
func TestFailingProviders(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	for how, f := range map[string]func(http.ResponseWriter, *http.Request, chan struct{}){
		"down":    func(http.ResponseWriter, *http.Request, chan struct{}) { panic(http.ErrAbortHandler) },
		"failing": func(w http.ResponseWriter, _ *http.Request, _ chan struct{}) { w.WriteHeader(500) },
		"rubbish": func(w http.ResponseWriter, _ *http.Request, _ chan struct{}) { _, _ = w.Write([]byte("<html>")) },
		"endless": func(w http.ResponseWriter, _ *http.Request, _ chan struct{}) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		},
		"silent": func(_ http.ResponseWriter, _ *http.Request, over chan struct{}) { <-over },
		"moved": func(w http.ResponseWriter, r *http.Request, _ chan struct{}) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"another issuer": func(w http.ResponseWriter, _ *http.Request, _ chan struct{}) {
			_, _ = w.Write([]byte(`{"issuer":"https://evil.example"}`))
		},
	} {
		t.Run(how, func(t *testing.T) {
			p := oidctest.Start(t, true)
			over := make(chan struct{})
			t.Cleanup(func() { close(over) }) // before the server, which waits for its requests
			bad := func(w http.ResponseWriter, r *http.Request, _ http.Handler) { f(w, r, over) }
			p.Wrap(bad)
			o := open(t, d, p, func(c *Config) { c.Within = 500 * time.Millisecond })
			began := time.Now()
			for range 20 {
				if _, err := o.Start(t.Context(), browser, ""); !fault.Is(err, fault.Upstream) ||
					!strings.Contains(err.Error(), "another way") {
					t.Fatalf("got %v", err)
				}
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s to tell 20 people", took)
			}
			p.Wrap(nil)
			good := open(t, d, p, func(c *Config) { c.Within = time.Second })
			r := brought(t, good, p)
			p.Wrap(bad)
			began = time.Now()
			if _, err := good.Take(t.Context(), r); err == nil || fault.Is(err, fault.Internal) {
				t.Errorf("it fails between start and return: %v", err)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s to tell", took)
			}
		})
	}
}

// The last good answer counts while the provider does not say what it is.
func TestDiscoveryIsKept(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	p := oidctest.Start(t, true)
	o := open(t, d, p, nil)
	brought(t, o, p)
	p.Wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, ".well-known") {
			w.WriteHeader(500)
			return
		}
		next.ServeHTTP(w, r)
	})
	o.mu.Lock()
	o.asked = time.Now().Add(-2 * fresh)
	o.mu.Unlock()
	if _, err := o.Take(t.Context(), brought(t, o, p)); err != nil {
		t.Error(err)
	}
}

func TestWhatGoesToTheProvider(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	p := oidctest.Start(t, true)
	o := open(t, d, p, nil)
	text, err := o.Start(t.Context(), browser, "")
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(text)
	v := u.Query()
	if v.Get("code_challenge_method") != "S256" || len(v.Get("code_challenge")) != 43 || v.Get("nonce") == "" ||
		v.Get("response_type") != "code" || v.Get("redirect_uri") != oidctest.Callback ||
		v.Get("scope") != "openid profile email" || strings.Contains(text, browser) {
		t.Errorf("got %s", text)
	}
	if again, _ := o.Start(t.Context(), browser, ""); again == text {
		t.Error("two sign-ins of a browser are the same")
	}
}

func TestSee(t *testing.T) {
	p := oidctest.Start(t, true)
	c := Config{Issuer: p.URL, ClientID: "x"}
	if l, err := See(context.Background(), c); err != nil || l.Skew.Abs() > 2*time.Second || !l.Expires.IsZero() {
		t.Errorf("got %+v, %v", l, err)
	}
	p.Wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
	if l, err := See(context.Background(), c); err != nil || l.Skew < 59*time.Minute {
		t.Errorf("got %+v, %v", l, err)
	}
	c.Issuer += "/elsewhere"
	if _, err := See(context.Background(), c); err == nil {
		t.Error("no document is no trouble")
	}
}

func TestCheck(t *testing.T) {
	for issuer, ok := range map[string]bool{"https://idp.example.edu": true, "https://idp.example.edu/realms/x": true,
		"http://127.0.0.1:8080": true, "http://idp.example.edu": false, "idp.example.edu": false, "": false,
		"https://u:p@idp.example.edu": false, "https://idp.example.edu?x=1": false} {
		if err := (Config{Issuer: issuer, ClientID: "x"}).Check(); (err == nil) != ok {
			t.Errorf("%q: %v", issuer, err)
		}
	}
	if (Config{Issuer: "https://idp.example.edu"}).Check() == nil {
		t.Error("a client without an id is taken")
	}
}

// What PKCE and the provider's own care would hide: a token must answer this sign-in
// and be ours, and a return counts once even where the provider takes its code again.
func TestOurOwnChecks(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	p := oidctest.Start(t, true)
	o := open(t, d, p, nil)
	s := begin(o.key, browser, "", time.Now())
	if _, err := o.claims(&gooidc.IDToken{Nonce: s.nonce + "x"}, s); err == nil ||
		!strings.Contains(err.Error(), "another sign-in") {
		t.Errorf("another sign-in's token: %v", err)
	}
	if err := o.spend(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := o.spend(t.Context(), s); !fault.Is(err, fault.Unknown) {
		t.Errorf("spent twice: %v", err)
	}
}
