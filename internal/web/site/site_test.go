package site_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/totp"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/events"
	"lectern/internal/platform/files"
	"lectern/internal/platform/mail"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/similarity"
	"lectern/internal/usecase"
	"lectern/internal/usecase/settingstest"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/live"
	"lectern/internal/web/signin"
	"lectern/internal/web/site"
	"lectern/internal/web/site/page"
)

const secret = "an old wooden lectern"

// world is the site over a database with a few people.
type world struct {
	*testing.T
	db     *db.DB
	site   *site.Server
	api    *api.Server
	files  files.Store
	log    *logged
	uses   *usecase.Service
	in     *signin.Service
	public string
	cookie string // of whoever is signed in

	settings *settingstest.Keeper
}

func each(t *testing.T, f func(w *world)) {
	dbtest.Engines(t, func(t *testing.T, engine string) { f(newWorld(t, engine, "http://lectern.test")) })
}

func newWorld(t *testing.T, engine, public string) *world {
	t.Helper()
	return newWorldIn(t, engine, public, nil)
}

// newWorldIn makes a world whose pages speak a language; nil is English.
func newWorldIn(t *testing.T, engine, public string, words *page.Language) *world {
	t.Helper()
	w := &world{T: t, db: dbtest.New(t, engine, nil), public: public}
	w.log = &logged{}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sender, err := mail.NewDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mailer, err := notify.NewMailer(t.Context(), w.db, log, notify.Config{Sender: sender, Product: "Lectern",
		PublicURL: public, From: "lectern@example.edu"})
	if err != nil {
		t.Fatal(err)
	}
	face := endpoint.Config{HTTP: httpserver.New(httpserver.Config{Log: log}), DB: w.db, Spool: t.TempDir()}
	hub := events.NewHub(w.db, log, 0)
	hub.Also(presence.Source(w.db))
	hub.Start(t.Context())
	t.Cleanup(hub.Stop)
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.files = store
	w.settings = &settingstest.Keeper{Path: filepath.Join(t.TempDir(), "settings.env")}
	w.uses = usecase.New(usecase.Config{DB: w.db, Files: store, Mailer: mailer, PublicURL: public, Assess: true,
		Keeper:     w.settings,
		Similarity: &similarity.Service{DB: w.db, Files: store}})
	in := signin.New(signin.Config{Usecases: w.uses, Pages: true})
	w.in = in
	heard := live.New(live.Config{DB: w.db, Hub: hub, Until: t.Context()})
	w.api = api.New(api.Config{Config: face, Usecases: w.uses, SignIn: in, Events: heard})
	w.site = site.New(site.Config{Config: face, Usecases: w.uses, SignIn: in, Events: heard, Words: words})
	w.person("ann", policy.Student)
	w.person("tom", policy.Tutor)
	if err := ident.NewPasswords(w.db, ident.Limits{}).SetPassword(t.Context(), "ann", secret); err != nil {
		t.Fatal(err)
	}
	return w
}

// logged is what was written to the log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (w *world) tx(f func(ctx context.Context, q db.Q) error) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(q db.Q) error { return f(w.Context(), q) }); err != nil {
		w.Fatal(err)
	}
}

func (w *world) person(name string, role policy.Role) {
	w.tx(func(ctx context.Context, q db.Q) error {
		_, err := ident.Add(ctx, q, ident.NewUser{Username: name, Email: name + "@example.edu", FirstName: name,
			LastName: "<b>Person</b>", Role: role})
		return err
	})
}

// as signs somebody in without a page.
func (w *world) as(name string) *world {
	out := *w
	w.tx(func(ctx context.Context, q db.Q) error {
		u, err := ident.ByUsername(ctx, q, name)
		if err == nil {
			out.cookie, err = ident.Start(ctx, q, u, false)
		}
		return err
	})
	return &out
}

type answer struct {
	*testing.T
	*httptest.ResponseRecorder
}

// do sends a request as a browser would: headers come in pairs, and form, where it
// is not nil, makes it a POST.
func (w *world) do(path string, form url.Values, headers ...string) *answer {
	w.Helper()
	var r *http.Request
	if form == nil {
		r = httptest.NewRequest(http.MethodGet, w.public+path, nil)
	} else {
		r = httptest.NewRequest(http.MethodPost, w.public+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	if w.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "lectern", Value: w.cookie})
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a := &answer{T: w.T, ResponseRecorder: httptest.NewRecorder()}
	w.site.HTTP.ServeHTTP(a, r)
	return a
}

func (a *answer) status(want int) *answer {
	a.Helper()
	if a.Code != want {
		a.Fatalf("status %d, want %d: %s", a.Code, want, a.Body)
	}
	return a
}

// text is what a person reads of the answer.
func (a *answer) text() string {
	_, main, _ := strings.Cut(a.Body.String(), "<main")
	main, _, _ = strings.Cut(main, "</main>")
	return main
}

// layout is what stands between two tags where templates begin a line.
var layout = regexp.MustCompile(`>\s+<`)

// dense is a piece of a page without what its templates are laid out by.
func dense(text string) string { return layout.ReplaceAllString(text, "><") }

// dense is the page without what its templates are laid out by.
func (a *answer) dense() string { return dense(a.Body.String()) }

func (a *answer) says(text string) *answer {
	a.Helper()
	if !strings.Contains(a.dense(), dense(text)) {
		a.Errorf("%q is missing in %s", text, a.Body)
	}
	return a
}

func (a *answer) leadsTo(want string) *answer {
	a.Helper()
	if got := a.status(http.StatusSeeOther).Header().Get("Location"); got != want {
		a.Errorf("leads to %q, want %q", got, want)
	}
	return a
}

func TestSignInAndOut(t *testing.T) {
	each(t, func(w *world) {
		w.do("/", nil).leadsTo("/sign-in")
		w.do("/home?x=1", nil).leadsTo("/sign-in?next=%2Fhome%3Fx%3D1")
		w.do("/sign-in", nil).status(200).says("<h1>Sign in</h1>")
		w.do("/sign-in", url.Values{"username": {"ann"}}).status(400).says("Enter your username and password.")
		w.do("/sign-in", url.Values{"username": {"ann"}, "password": {"wrong"}}).status(401).
			says("The username or the password is wrong.").says(`value="ann"`)
		in := w.do("/sign-in", url.Values{"username": {"ann"}, "password": {secret}, "next": {"/home?x=1"}}).
			leadsTo("/home?x=1")
		c := in.Result().Cookies()[0]
		if c.Name != "lectern" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure ||
			c.MaxAge != 0 {
			t.Errorf("%+v", c)
		}
		w.cookie = c.Value
		w.do("/", nil).leadsTo("/home")
		w.do("/home", nil).status(200).says("You are not in any current unit").says("<bdi>ann</bdi>")
		w.do("/api/units", nil).status(401) // the API takes headers only
		out := w.do("/sign-out", url.Values{}).leadsTo("/sign-in")
		if out.Header().Get("Clear-Site-Data") == "" || out.Result().Cookies()[0].MaxAge >= 0 {
			t.Errorf("%v", out.Header())
		}
		w.do("/home", nil).status(303)
	})
}

func TestTheCookieIsSecureOverHTTPS(t *testing.T) {
	w := newWorld(t, "sqlite", "https://lectern.test")
	in := w.do("/sign-in", url.Values{"username": {"ann"}, "password": {secret}, "remember": {"true"}}).status(303)
	c := in.Result().Cookies()[0]
	if c.Name != "__Host-lectern" || !c.Secure || c.MaxAge < 3600 {
		t.Errorf("%+v", c)
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	form := url.Values{"username": {"ann"}, "password": {secret}}
	for _, h := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}} {
		w.do("/sign-in", form, h...).status(403).says("another site")
	}
	w.do("/sign-in", form, "Sec-Fetch-Site", "same-origin", "Origin", "http://lectern.test").status(303)
}

func TestPasswordByLink(t *testing.T) {
	each(t, func(w *world) {
		var token string
		w.tx(func(ctx context.Context, q db.Q) error {
			u, err := ident.ByUsername(ctx, q, "tom")
			if err == nil {
				token, _, err = ident.NewLink(ctx, q, u.ID)
			}
			return err
		})
		form := func(password, again string) url.Values {
			return url.Values{"token": {token}, "password": {password}, "again": {again}}
		}
		for range 2 { // opening the link uses nothing up
			a := w.do("/password?token="+token, nil).status(200).says(token).says("This password is for").
				says("<bdi>tom</bdi>") // the user name to sign in with
			if kept := a.Header().Get("Cache-Control"); kept != "no-store" {
				t.Errorf("a page with a token is kept: %q", kept)
			}
		}
		w.do("/password", form(secret, "other")).status(422).says("do not match").says(token)
		w.do("/password", form("short", "short")).status(422)
		w.do("/password", form(secret, secret)).status(200).says("Password set.")
		w.do("/password", form(secret, secret)).status(404).says("used or has expired").
			says(`<a href="/forgot">`).lacks(`name="token"`)
		w.do("/sign-in", url.Values{"username": {"tom"}, "password": {secret}}).leadsTo("/home")
		w.do("/password?token="+token, nil).status(200).says("used or has expired").lacks(`name="token"`)
		w.do("/password", nil).status(200).says("Open the link")
		log := w.log.String()
		if strings.Count(log, "POST /password") != 4 || strings.Contains(log, token) || strings.Contains(log, secret) {
			t.Errorf("the log lacks what was done, or tells a token or a password: %s", log)
		}
	})
}

func TestForgottenPasswordsAndAddresses(t *testing.T) {
	each(t, func(w *world) {
		for _, name := range []string{"ann", "nobody"} {
			w.do("/forgot", url.Values{"username": {name}}).status(200).says("If the account exists")
		}
		w.do("/confirm-address", nil).status(200).says("This link is incomplete")
		w.do("/confirm-address?token=abc", nil).status(200).says("used or has expired").lacks(`name="token"`).
			lacks("Confirm address</button>")
		w.do("/confirm-address", url.Values{"token": {"abc"}}).status(404).says("role=\"alert\"").
			says(`<a href="/profile/email#address">`).lacks(`name="token"`)
		silent, err := notify.NewMailer(t.Context(), w.db, slog.New(slog.DiscardHandler), notify.Config{Product: "Lectern",
			PublicURL: w.public, From: "lectern@example.edu"})
		if err != nil {
			t.Fatal(err)
		}
		w.uses.Mailer = silent // nothing promises an email that never comes
		w.do("/forgot", nil).status(200).says("sends no emails").lacks("We will email").lacks("<form")
		w.do("/forgot", url.Values{"username": {"ann"}}).status(503).says("sends no emails").lacks("<form")
	})
}

// Whoever has no password here is led to the sign-in, and back, before the address is changed.
func TestWithoutAPasswordTheSignInProvesWhoItIs(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	again := `<a href="/sign-in?next=/profile/email">Sign in again</a>`
	w.as("tom").do("/profile/email", nil).status(200).says(again)
	w.as("ann").do("/profile/email", nil).status(200).lacks(again)
	w.do("/sign-in?next=/profile/email", nil).status(200).says(`name="next" value="/profile/email"`)
}

func TestErrorsArePagesForBrowsers(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	a := w.do("/nowhere", nil).status(404).says("<h1>Page not found</h1>").says(`href="/"`)
	a.says(a.Header().Get("X-Request-Id"))
	j := w.do("/nowhere", nil, "Accept", "application/json").status(404)
	if body, _ := io.ReadAll(j.Body); !strings.HasPrefix(string(body), "{") {
		t.Errorf("%s", body)
	}
}

// A person sets up a second factor on its page, is asked for a code from then on, and
// signs other devices out.
func TestSecondFactorOnPages(t *testing.T) {
	each(t, func(w *world) {
		in := w.do("/sign-in", url.Values{"username": {"ann"}, "password": {secret}}).leadsTo("/home")
		ann := *w
		ann.cookie = in.Result().Cookies()[0].Value
		shown := ann.do("/second-factor", url.Values{"password": {secret}}).status(200).says("data:image/png;base64,").
			says(`<p class="path"><a href="/profile/security">`) // whoever thinks better of it
		found := regexp.MustCompile(`name="secret" value="(\w+)"`).FindStringSubmatch(shown.Body.String())
		ann.do("/second-factor/confirm", url.Values{"secret": {found[1]}, "otp": {"000000"}}).status(422).says(found[1])
		code, err := totp.Code(found[1], totp.Step(w.db.Now().Time))
		if err != nil {
			t.Fatal(err)
		}
		ann.do("/second-factor/confirm", url.Values{"otp": {code}}).status(200).says("recovery codes").
			lacks(`<p class="path">`) // the codes are shown once: they are left by the button below them
		w.do("/sign-in", url.Values{"username": {"ann"}, "password": {secret}}).status(401).says(`name="otp"`)
		other := w.as("ann")
		id := regexp.MustCompile(`/profile/sessions/\d+/end`).FindString(ann.do("/profile/security", nil).status(200).
			Body.String())
		ann.do(id, url.Values{}).leadsTo("/profile/security#sessions")
		other.do("/home", nil).leadsTo("/sign-in?next=%2Fhome")
		others := []*world{w.as("ann"), w.as("ann")}
		ann.do("/profile/security", nil).status(200).says("3 devices").says("Sign out 2 other devices")
		ann.do("/profile/other-sessions", url.Values{}).leadsTo("/profile/security#sessions")
		for _, o := range others {
			o.do("/home", nil).leadsTo("/sign-in?next=%2Fhome")
		}
		ann.do("/profile/security", nil).status(200).lacks("Sign out 1 other")
		ann.do("/profile/password", url.Values{"old_password": {secret}, "password": {secret + "!"},
			"again": {secret + "?"}}).status(422).says("do not match")
		ann.do("/profile/password", url.Values{"old_password": {secret}, "password": {secret + "!"},
			"again": {secret + "!"}}).status(200).says("Password changed.")
	})
}
