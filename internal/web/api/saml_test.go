package api

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso"
	"lectern/internal/people/sso/saml"
	"lectern/internal/people/sso/saml/samltest"
	"lectern/internal/web/signin"
)

var _ = rights(
	rightRow{"POST /api/auth/jwt", "", "everybody", nil}, // without an answer: 400, never 401
	rightRow{"GET /api/auth/saml/metadata", "", "everybody", nil},
)

// withSAML lets people sign in by a real provider, whose person names are the login
// ids, and gives it with what the test may change of the settings.
func (w *world) withSAML(t *testing.T, change func(c *saml.Config)) *samltest.IDP {
	t.Helper()
	idp := samltest.Start(t)
	c := saml.Config{EntityID: "https://learn.example.edu/api/auth/saml/metadata", Metadata: idp.Metadata, Login: "uid",
		Email: "mail", Consumer: "https://learn.example.edu/api/auth/jwt", Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&c)
	}
	var err error
	if w.api.signin.SAML, err = saml.New(t.Context(), w.db, c); err != nil {
		t.Fatal(err)
	}
	w.api.signin.Methods = []signin.Method{{Method: "saml", Name: "Example University", RedirectTo: w.api.signin.SAML.RedirectTo},
		{Method: signin.Database, Name: "Password"}}
	if err := w.api.signin.SAML.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	idp.Register(w.do("", "GET /api/auth/saml/metadata", nil).status(200).Body.Bytes())
	return idp
}

// begin is where the service sends people. The provider has the machine's clock.
func (w *world) begin() string {
	w.Helper()
	w.now = clock.Real()
	to, _ := w.do("", "GET /api/auth/method", nil).status(200).object()["redirect_to"].(string)
	if to == "" {
		w.Fatal("no sign-in begins")
	}
	return to
}

// bring posts an answer as the provider's page lets a browser do, or as a program.
func (w *world) bring(answer string, headers ...string) *answered {
	w.Helper()
	return w.do("", "POST /api/auth/jwt", form{"SAMLResponse": answer, "RelayState": ""}, append([]string{"Origin",
		"https://idp.example.edu", "Sec-Fetch-Site", "cross-site"}, headers...)...)
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestSignInBySAML(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withSAML(t, nil)
		idp.Person("s-1", "student@example.edu")
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"login_id": "s-1"}}).status(200)

		answer := idp.SignIn(w.begin(), "s-1")
		got := w.bring(answer).status(201).object()
		user, _ := got["user"].(map[string]any)
		if len(got) != 2 || len(user) != 4 || user["username"] != "student" || user["email"] != "student@example.edu" ||
			user["name"] != "Student Person" || user["id"] != float64(w.id["student"]) {
			t.Errorf("got %v", got)
		}
		w.tokens["student"], _ = got["token"].(string)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		w.bring(answer).status(401).says("used already")

		idp.Person("nobody", "x@example.org")
		w.bring(idp.SignIn(w.begin(), "nobody")).status(403).says(`no account`, `"nobody"`)
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"disabled": true}}).status(200)
		w.bring(idp.SignIn(w.begin(), "s-1")).status(401).says("disabled")
		w.bring("x").status(401).says("Start again")
		w.do("", "POST /api/auth/jwt", `{}`).status(400).says("SAMLResponse is required")
		w.bring(strings.Repeat("x", 10<<20)).status(413)
	})
}

func TestSAMLIsNotSetUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.bring("x").status(503).says("does not work right now") // nothing is known of the provider yet
		w.do("", "GET /api/auth/saml/metadata", nil).status(200)
		w.api.signin.SAML = nil
		w.bring("x").status(503).says("not set up")
		w.do("", "GET /api/auth/saml/metadata", nil).status(503).says("not set up")
	})
}

func TestABrowserIsSentToTheClient(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withSAML(t, func(c *saml.Config) { c.Rules.Domains = []string{"example.edu"} })
		idp.Person("s-1", "student@example.edu")
		answer := idp.SignIn(w.begin(), "s-1")
		if page := w.bring(answer, "Accept", browser).status(503); !strings.Contains(page.Body.String(), "<h1>") ||
			!strings.Contains(page.Body.String(), "--client-url") {
			t.Errorf("got %s", page.Body)
		}
		w.api.signin.ClientURL = "https://client.example.edu/app/"
		sent := w.bring(answer, "Accept", browser).status(http.StatusSeeOther) // what failed was not used up
		to, err := url.Parse(sent.Header().Get("Location"))
		if err != nil || sent.Body.Len() > 0 || len(sent.Result().Cookies()) > 0 {
			t.Fatalf("got %v, %s, %v", sent.Header(), sent.Body, err)
		}
		place, query, _ := strings.Cut(to.Fragment, "?")
		values, err := url.ParseQuery(query)
		to.Fragment = ""
		if err != nil || to.String() != "https://client.example.edu/app/" || place != "/sign_in" ||
			values.Get("username") != "student" {
			t.Fatalf("sent to %s #%s %v", to, place, values)
		}
		ticket := form{"username": "student", "auth_token": values.Get("authToken")}
		w.tokens["student"], _ = w.do("", "POST /api/auth", ticket).status(201).object()["auth_token"].(string)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		w.do("", "POST /api/auth", ticket).status(401)
		page := w.bring(answer, "Accept", browser).status(401)
		if !strings.Contains(page.Body.String(), "used already") || page.Header().Get("Location") != "" {
			t.Errorf("got %s", page.Body)
		}
		late := w.bring(idp.SignIn(w.begin(), "s-1"), "Accept", browser).status(303).Header().Get("Location")
		w.now = w.now.Add(30 * time.Second)
		values, _ = url.ParseQuery(late[strings.Index(late, "?")+1:])
		w.do("", "POST /api/auth", form{"username": "student", "auth_token": values.Get("authToken")}).status(401)
	})
}

// withPagesBySAML leads whoever signs in by SAML to a page, with the token in a cookie.
func (w *world) withPagesBySAML(t *testing.T) *samltest.IDP {
	idp := w.withSAML(t, func(c *saml.Config) { c.Rules.Domains = []string{"example.edu"} })
	idp.Person("s-1", "student@example.edu")
	w.api.signin.Pages = true
	w.now = clock.Real()
	return idp
}

func TestABrowserIsSentToOurPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withPagesBySAML(t)
		ways, keep := w.api.signin.SignInMethods(t.Context(), "")
		sent := w.bring(idp.SignIn(ways[0].Address, "s-1"), "Accept", browser, "Cookie",
			keep.Name+"="+keep.Value).status(http.StatusSeeOther)
		if sent.Header().Get("Location") != "/home" || len(sent.Result().Cookies()) != 1 {
			t.Fatalf("got %v", sent.Header())
		}
		cookie := sent.Result().Cookies()[0]
		token := cookie.Value
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth_Token", token).status(200)
		w.do("", "GET /api/users/{student}", nil, "Cookie", cookie.Name+"="+token).status(401) // the API reads none
		w.api.signin.ClientURL = "https://client.example.edu"
		sent = w.bring(idp.SignIn(w.begin(), "s-1"), "Accept", browser).status(http.StatusSeeOther)
		if !strings.HasPrefix(sent.Header().Get("Location"), w.api.signin.ClientURL) {
			t.Errorf("the client does not come first: %v", sent.Header())
		}
	})
}

// TestNobodyIsSignedInAsSomebodyElse: an answer that one browser asked for signs in no
// other, whose owner would work in the account of whoever sent it there.
func TestNobodyIsSignedInAsSomebodyElse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withPagesBySAML(t)
		ways, own := w.api.signin.SignInMethods(t.Context(), "")
		_, other := w.api.signin.SignInMethods(t.Context(), "")
		if !own.Secure || !own.HttpOnly || own.SameSite != http.SameSiteNoneMode || own.Value == other.Value {
			t.Errorf("%s and %s", own, other)
		}
		answer := idp.SignIn(ways[0].Address, "s-1")
		for _, cookie := range []string{"", own.Name + "=", own.Name + "=" + other.Value} {
			w.bring(answer, "Accept", browser, "Cookie", cookie).status(401)
		}
		unbound := idp.SignIn(w.begin(), "s-1") // as anybody gets one for a program
		for _, cookie := range []string{"", own.Name + "=" + own.Value} {
			w.bring(unbound, "Accept", browser, "Cookie", cookie).status(401)
		}
		w.bring(answer, "Accept", browser, "Cookie", own.Name+"="+own.Value).status(303)
		w.bring(unbound).status(201) // a program, which gets the token itself
	})
}

func TestSAMLMakesAccountsAndRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withSAML(t, func(c *saml.Config) {
			c.Rules = sso.Rules{Create: true, Names: sso.Names{FirstName: "givenName", LastName: "sn"},
				Role: "eduPersonAffiliation", Roles: map[string]policy.Role{"staff": policy.Tutor}}
		})
		idp.Person("zoe", "zoe@example.edu", "member", "staff")
		got := w.bring(idp.SignIn(w.begin(), "zoe")).status(201).object()["user"].(map[string]any)
		if got["username"] != "zoe" || got["name"] != "Zoe Person" {
			t.Errorf("got %v", got)
		}
		if w.count("users WHERE username = 'zoe' AND role = 2 AND login_id = 'zoe' AND password_hash IS NULL") != 1 {
			t.Error("zoe is not a Tutor who signs in elsewhere")
		}
	})
}

// TestAnAnswerSignsInOnce sends one answer many times at once.
func TestAnAnswerSignsInOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		idp := w.withSAML(t, func(c *saml.Config) { c.Rules.Domains = []string{"example.edu"} })
		idp.Person("s-1", "student@example.edu")
		answer := idp.SignIn(w.begin(), "s-1")
		var all sync.WaitGroup
		statuses := make(chan int, 8)
		for range cap(statuses) {
			all.Go(func() { statuses <- w.bring(answer).Code })
		}
		all.Wait()
		close(statuses)
		counts := map[int]int{}
		for s := range statuses {
			counts[s]++
		}
		if counts[201] != 1 || counts[401] != cap(statuses)-1 {
			t.Errorf("got %v", counts)
		}
	})
}

// TestFormsOfOtherSites: of all that changes something, the end of a sign-in alone
// takes them.
func TestFormsOfOtherSites(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.password("student")
	in := form{"username": "student", "password": secret}
	foreign := []string{"Origin", "https://evil.example.edu", "Sec-Fetch-Site", "cross-site"}
	w.do("", "POST /api/auth", in, foreign...).status(403).says("another site")
	w.do("student", "DELETE /api/auth", nil, foreign...).status(403)
	w.do("student", "GET /api/units", nil, foreign...).status(200) // which the page cannot read
	w.do("", "POST /api/auth", in, "Origin", "https://learn.example.edu", "Sec-Fetch-Site", "same-origin").status(201)
	w.do("", "POST /api/auth", in).status(201) // a program
	w.api.Origins = []string{"https://evil.example.edu"}
	w.do("", "POST /api/auth", in, foreign...).status(201)
	w.do("", "POST /api/auth/jwt", nil, foreign...).status(400)
}

// TestBeginningASignInWritesNothing holds a GET to what a GET may do.
func TestBeginningASignInWritesNothing(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.withSAML(t, nil)
	before := w.count("installation") + w.count("spent_proofs")
	if one, two := w.begin(), w.begin(); one == two {
		t.Error("two requests are one")
	}
	if w.count("installation")+w.count("spent_proofs") != before {
		t.Error("something was written")
	}
}
