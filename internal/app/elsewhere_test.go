package app

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/people/sso/oidc/oidctest"
	"lectern/internal/people/sso/saml/samltest"
)

// visitor is a browser that follows nothing by itself.
type visitor struct {
	*testing.T
	app     *App
	cookies map[string]*http.Cookie
}

func (v *visitor) ask(r *http.Request) *httptest.ResponseRecorder {
	v.Helper()
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	for _, c := range v.cookies {
		r.AddCookie(c)
	}
	rec := httptest.NewRecorder()
	v.app.web.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() {
		v.cookies[c.Name] = c
	}
	return rec
}

func (v *visitor) get(path string) *httptest.ResponseRecorder {
	v.Helper()
	return v.ask(httptest.NewRequest(http.MethodGet, path, http.NoBody))
}

func (v *visitor) post(path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	v.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return v.ask(r)
}

// way is the address behind the button of a method on the page to sign in.
func (v *visitor) way(next, name string) string {
	v.Helper()
	page := v.get("/sign-in?" + url.Values{"next": {next}}.Encode()).Body.String()
	m := regexp.MustCompile(`<a class="btn[^"]*" href="([^"]+)">.*<bdi>Continue with ` + name + `</bdi></a>`).FindStringSubmatch(page)
	if m == nil {
		v.Fatalf("there is no button for %s: %s", name, page)
	}
	return html.UnescapeString(m[1])
}

// Every method that leads elsewhere has its button on the page to sign in. A sign-in that
// began there ends at the page that was wanted, and at no other site; a sign-out goes on
// to the institution's.
func TestSigningInElsewhereFromThePages(t *testing.T) {
	idp, openID := samltest.Start(t), oidctest.Start(t, true)
	idp.Person("s-1", "sam@example.edu")
	const public, out = "https://learn.example.edu", "https://idp.example.edu/logout"
	s := Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, PublicURL: public}
	s.SAML = SAML{Metadata: idp.Metadata, Name: "Campus", Login: "uid", Email: "mail", SignoutURL: out,
		Accounts: Accounts{Create: true}}
	s.OIDC = OIDC{Issuer: openID.URL, Name: "Partners", ClientID: oidctest.ClientID, Secret: oidctest.Secret,
		Login: "sub", Accounts: Accounts{Create: true, Username: "preferred_username"}}
	a, err := New(t.Context(), s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.saml.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := &visitor{T: t, app: a, cookies: map[string]*http.Cookie{}}
	idp.Register(v.get("/api/auth/saml/metadata").Body.Bytes())
	bySAML := func(next string) *httptest.ResponseRecorder {
		return v.post("/api/auth/jwt", idp.Form(v.way(next, "Campus"), "s-1"), "Origin", idp.URL, "Sec-Fetch-Site",
			"cross-site")
	}
	byOpenID := func(next string) *httptest.ResponseRecorder {
		start := v.get(strings.TrimPrefix(v.way(next, "Partners"), public))
		return v.get(openID.SignIn(t, start.Header().Get("Location")).RequestURI())
	}
	long := "/help?" + strings.Repeat("x", 2000)
	for name, signIn := range map[string]func(string) *httptest.ResponseRecorder{"SAML": bySAML, "OpenID": byOpenID} {
		for next, want := range map[string]string{"/profile?x=1&y=%22": "/profile?x=1&y=%22", "": "/home",
			"https://evil.example/": "/home", "//evil.example/": "/home", "/api/users": "/home", long: "/home"} {
			if got := signIn(next); got.Code != http.StatusSeeOther || got.Header().Get("Location") != want {
				t.Errorf("%s, next %.40q: %d to %q, want %q: %s", name, next, got.Code, got.Header().Get("Location"),
					want, got.Body)
			}
		}
		if home := v.get("/home"); home.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, home.Code, home.Body)
		}
		left := v.post("/sign-out", url.Values{})
		if to := left.Header().Get("Location"); left.Code != http.StatusSeeOther || to != "/sign-in?out=true" {
			t.Errorf("%s: a sign-out leads to %d %q", name, left.Code, to)
		}
		clear(v.cookies)
	}
	page := v.get("/sign-in?out=true")
	if page.Header().Get("Refresh") != "0; url="+out || !strings.Contains(page.Body.String(), `<a href="`+out+`">`) {
		t.Errorf("a sign-out does not go on: %v %s", page.Header(), page.Body)
	}
	if page := v.get("/sign-in"); page.Header().Get("Refresh") != "" || strings.Contains(page.Body.String(), out) {
		t.Error("who wants to sign in is led away")
	}
}
