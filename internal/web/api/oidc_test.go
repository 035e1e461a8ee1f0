package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/sso"
	"lectern/internal/people/sso/oidc"
	"lectern/internal/people/sso/oidc/oidctest"
	"lectern/internal/platform/audit"
)

var _ = rights(
	rightRow{"GET /api/auth/oidc/start", "", "everybody", nil},
	rightRow{"GET /api/auth/oidc/callback", "", "everybody", nil},
)

// withOpenID lets people sign in at a provider, and sends them on to a client.
func (w *world) withOpenID(p *oidctest.Provider, rules sso.Rules) {
	w.Helper()
	o, err := oidc.New(w.Context(), w.db, oidc.Config{Issuer: p.URL, ClientID: oidctest.ClientID,
		ClientSecret: oidctest.Secret, Callback: oidctest.Callback, Rules: rules, Within: 2 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
	w.api.signin.OIDC, w.api.signin.ClientURL = o, "https://client.example.edu"
}

// openID signs ann in at the provider, and gives the address that her browser comes
// back to and the cookie it has.
func (w *world) openID(p *oidctest.Provider) (back, cookie string) {
	w.Helper()
	start := w.do("", "GET /api/auth/oidc/start", nil).status(303)
	c := start.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Host-sign-in" || !c[0].Secure || !c[0].HttpOnly || c[0].Path != "/" ||
		c[0].SameSite != http.SameSiteLaxMode || c[0].Domain != "" {
		w.Fatalf("got %v", c)
	}
	u := p.SignIn(w, start.Header().Get("Location"))
	return u.RequestURI(), c[0].Name + "=" + c[0].Value
}

func TestSignInByOpenID(t *testing.T) {
	p := oidctest.Start(t, true)
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/auth/oidc/start", nil).status(503).says("not set up")
		w.do("", "GET /api/auth/oidc/callback", nil).status(503).says("not set up")
		w.withOpenID(p, sso.Rules{})
		back, cookie := w.openID(p)
		w.do("", "GET "+back, nil, "Cookie", cookie).status(403).says("no account", oidctest.Subject)
		w.set(`UPDATE users SET login_id = $2 WHERE id = $1`, w.id["student"], oidctest.Subject)
		back, cookie = w.openID(p)
		on, err := url.Parse(w.do("", "GET "+back+"&next=https://evil.example", nil, "Cookie", cookie).status(303).
			Header().Get("Location"))
		if err != nil || on.Host != "client.example.edu" || !strings.HasPrefix(on.Fragment, "/sign_in?") {
			t.Fatalf("sent on to %v, %v", on, err)
		}
		v, _ := url.ParseQuery(strings.TrimPrefix(on.Fragment, "/sign_in?"))
		trade := form{"username": v.Get("username"), "auth_token": v.Get("authToken")}
		w.tokens["student"] = w.do("", "POST /api/auth", trade).status(201).object()["auth_token"].(string)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		w.do("", "POST /api/auth", trade).status(401)
		w.do("", "GET "+back, nil, "Cookie", cookie).status(401).says("used before") // replayed
	})
}

// Where no client is set up, a browser goes on to our own pages with its session.
func TestOpenIDLeadsToOurPages(t *testing.T) {
	p := oidctest.Start(t, true)
	each(t, func(t *testing.T, w *world) {
		w.withOpenID(p, sso.Rules{})
		w.set(`UPDATE users SET login_id = $2 WHERE id = $1`, w.id["student"], oidctest.Subject)
		w.api.signin.ClientURL, w.api.signin.Pages = "", true
		back, cookie := w.openID(p)
		sent := w.do("", "GET "+back, nil, "Cookie", cookie).status(303)
		if sent.Header().Get("Location") != "/home" || len(sent.Result().Cookies()) != 1 {
			t.Fatalf("got %v", sent.Header())
		}
		if kinds := w.entriesOf(sent.Header().Get("X-Request-Id")); !slices.Contains(kinds, audit.SignIn) {
			t.Errorf("the audit log has %v", kinds)
		}
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth_Token",
			sent.Result().Cookies()[0].Value).status(200)
	})
}

// A return is worth nothing in another browser: whoever is led to the address of a
// sign-in that an attacker began is not signed in as the attacker, nor the other way
// round. Errors are a page for a browser.
func TestOpenIDReturnsToItsBrowser(t *testing.T) {
	p := oidctest.Start(t, true)
	each(t, func(t *testing.T, w *world) {
		w.withOpenID(p, sso.Rules{})
		w.set(`UPDATE users SET login_id = $2 WHERE id = $1`, w.id["student"], oidctest.Subject)
		back, cookie := w.openID(p)
		_, other := w.openID(p)
		w.do("", "GET "+back, nil).status(401).says("another browser")
		w.do("", "GET "+back, nil, "Cookie", other).status(401).says("another browser")
		page := w.do("", "GET "+back, nil, "Accept", "text/html").status(401)
		if !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") {
			t.Errorf("got %v", page.Header())
		}
		w.do("", "GET /api/auth/oidc/callback?error=access_denied", nil, "Cookie", cookie).status(401)
		w.do("", "GET "+back, nil, "Cookie", cookie).status(303) // the attempts did not use it up
		if n := w.count("sign_in_tickets"); n != 1 {
			t.Errorf("%d tickets", n)
		}
	})
}

// While the provider is away people hear what to do, and sign in otherwise.
func TestOpenIDProviderIsUnavailable(t *testing.T) {
	p := oidctest.Start(t, true)
	each(t, func(t *testing.T, w *world) {
		w.withOpenID(p, sso.Rules{})
		w.password("student")
		p.Wrap(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusBadGateway) })
		defer p.Wrap(nil)
		w.do("", "GET /api/auth/oidc/start", nil).status(502).says("another way")
		w.do("", "GET /api/auth/method", nil).status(200)
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201)
	})
}
