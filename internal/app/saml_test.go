package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/sso/saml"
	"lectern/internal/people/sso/saml/samltest"
)

// told gives what the doctor finds of a provider whose metadata answer is.
func told(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	defer server.Close()
	s := Settings{Addr: "127.0.0.1:3000"}
	s.SAML.Metadata = server.URL
	var b strings.Builder
	for _, f := range checkSAML(t.Context(), &s) {
		fmt.Fprintln(&b, f.Bad, f.Saw, f.Advice)
	}
	return b.String()
}

func TestTheDoctorLooksAtTheSAMLProvider(t *testing.T) {
	idp := samltest.Start(t)
	a, err := http.Get(idp.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(a.Body); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	old := samltest.NewCertificate(t, idp.Key, time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour))
	long := samltest.NewCertificate(t, idp.Key, time.Now().Add(-time.Hour), time.Now().Add(400*24*time.Hour))
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	signed := strings.Replace(good, "<IDPSSODescriptor", `<IDPSSODescriptor WantAuthnRequestsSigned="true"`, 1)
	if got := told(t, text(certified(t, good, idp, long.Raw))); strings.Contains(got, "true") ||
		!strings.Contains(got, "the provider "+idp.Metadata) || !strings.Contains(got, saml.Fingerprint(long)) ||
		strings.Contains(got, "ends soon") {
		t.Errorf("got %s", got)
	}
	for says, answer := range map[string]http.HandlerFunc{
		"ends soon":                    text(good),
		"sign-in is refused":           text(certified(t, good, idp, old.Raw)),
		"no SAML metadata":             text("rubbish"),
		"the provider wants signed":    text(signed),
		"the metadata was valid until": text(strings.Replace(good, `validUntil="20`, `validUntil="19`, 1)),
		"clock is 1h0m": func(w http.ResponseWriter, _ *http.Request) { // and what the answer's way takes from 30 s
			w.Header().Set("Date", time.Now().Add(time.Hour+30*time.Second).UTC().Format(http.TimeFormat))
			fmt.Fprint(w, good)
		},
		"answers 500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
	} {
		if got := told(t, answer); !strings.Contains(got, says) {
			t.Errorf("the doctor says %s, want %q", got, says)
		}
	}
	s := Settings{Addr: "127.0.0.1:3000"}
	s.SAML.Metadata = "http://127.0.0.1:1/"
	if got := checkSAML(t.Context(), &s); len(got) != 1 || !got[0].Bad || !strings.Contains(got[0].Saw,
		"does not answer") {
		t.Errorf("got %+v", got)
	}
}

// TestABrowserComesHome walks with a browser from the provider to our own pages.
func TestABrowserComesHome(t *testing.T) {
	idp := samltest.Start(t)
	idp.Person("s-1", "ann@example.edu")
	s := Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, PublicURL: "https://lectern.example.edu"}
	s.SAML = SAML{Metadata: idp.Metadata, Login: "uid", Email: "mail", Accounts: Accounts{Create: true}}
	a, err := New(t.Context(), s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.saml.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask := func(r *http.Request) *httptest.ResponseRecorder {
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		rec := httptest.NewRecorder()
		a.web.ServeHTTP(rec, r)
		return rec
	}
	idp.Register(ask(httptest.NewRequest(http.MethodGet, "/api/auth/saml/metadata", http.NoBody)).Body.Bytes())
	page := ask(httptest.NewRequest(http.MethodGet, "/sign-in", http.NoBody))
	way := regexp.MustCompile(regexp.QuoteMeta(idp.URL) + `[^"]*`).FindString(page.Body.String())
	browser := page.Result().Cookies()
	if way == "" || len(browser) != 1 {
		t.Fatalf("no sign-in begins: %v %s", page.Header(), page.Body)
	}
	answer := url.Values{"SAMLResponse": {idp.SignIn(html.UnescapeString(way), "s-1")}}
	r := httptest.NewRequest(http.MethodPost, "/api/auth/jwt", strings.NewReader(answer.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", idp.URL)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.AddCookie(browser[0])
	sent := ask(r)
	if sent.Code != http.StatusSeeOther || sent.Header().Get("Location") != "/home" {
		t.Fatalf("got %d %v %s", sent.Code, sent.Header(), sent.Body)
	}
	c := sent.Result().Cookies()[0]
	if !strings.HasPrefix(c.Name, "__Host-") || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode ||
		c.Path != "/" {
		t.Errorf("got %s", c)
	}
	r = httptest.NewRequest(http.MethodGet, "/home", http.NoBody)
	r.AddCookie(c)
	if home := ask(r); home.Code != http.StatusOK {
		t.Errorf("got %d %s", home.Code, home.Body)
	}
}

// certified gives the metadata with another certificate.
func certified(t *testing.T, metadata string, idp *samltest.IDP, der []byte) string {
	t.Helper()
	out := strings.ReplaceAll(metadata, base64Of(idp.Certificate.Raw), base64Of(der))
	if out == metadata {
		t.Fatal("the metadata has no certificate")
	}
	return out
}

func TestSAMLSettingsAreChecked(t *testing.T) {
	for want, change := range map[string]func(s *SAML){
		"neither an https address nor a file": func(s *SAML) { s.Metadata = "nowhere.xml" },
		"pin it":                              func(s *SAML) { s.Metadata = "http://idp.example.edu/" },
		"64 hexadecimal digits":               func(s *SAML) { s.CertPins = []string{"abc"} },
		"--saml-signout-url":                  func(s *SAML) { s.SignoutURL = "nowhere" },
		"is not a domain":                     func(s *SAML) { s.Domains = []string{"@example.edu"} },
		"staff=Tutor":                         func(s *SAML) { s.Roles = []string{"staff"} },
		"would make Admins":                   func(s *SAML) { s.Role, s.Roles = "x", []string{"staff=Admin"} },
		"go together":                         func(s *SAML) { s.Role = "x" },
	} {
		s := SAML{Metadata: "https://idp.example.edu/metadata"}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		change(&s)
		if err := s.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a word about %q", err, want)
		}
	}
	s := SAML{Metadata: "http://idp.example.edu/", CertPins: []string{strings.Repeat("AB:", 31) + "AB"}}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

// TestTheServiceStartsWithoutItsProvider: what is away when the service starts is
// fetched once it is there, and passwords work meanwhile.
func TestTheServiceStartsWithoutItsProvider(t *testing.T) {
	s := Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}}
	s.SAML.Metadata = "http://127.0.0.1:1/"
	var out bytes.Buffer
	a, err := New(context.Background(), s, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	rec := httptest.NewRecorder()
	a.web.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/api/auth/method", http.NoBody))
	if got := rec.Body.String(); !strings.Contains(got, `{"method":"saml","redirect_to":null`) ||
		!strings.Contains(got, `{"method":"database"`) {
		t.Errorf("got %s", got)
	}
}

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
