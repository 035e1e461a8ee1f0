package app

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/sso/ldap/ldaptest"
)

// doctored runs the doctor and gives what it tells.
func doctored(t *testing.T, s Settings) string {
	t.Helper()
	s.Data, s.Addr = t.TempDir(), "127.0.0.1:3000"
	var out bytes.Buffer
	_ = Doctor(t.Context(), s, &out)
	return out.String()
}

// says fails the test unless the text holds all of the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("nothing of %q in\n%s", w, text)
		}
	}
}

func TestDoctorLooksAtTheDirectory(t *testing.T) {
	s, old := ldaptest.Start(t, time.Time{}), ldaptest.Start(t, time.Now().Add(-24*time.Hour))
	good := LDAP{URL: []string{s.LDAPS, s.LDAP}, CA: s.CA, Base: ldaptest.Base, Filter: "(uid=%s)",
		BindDN: ldaptest.Reader, Password: ldaptest.Password, Within: 2 * time.Second}
	look := func(change func(*LDAP)) string {
		l := good
		change(&l)
		return doctored(t, Settings{SignIn: SignIn{LDAP: l}})
	}
	says(t, look(func(*LDAP) {}), s.LDAPS+" answers", s.LDAP+" answers", "ends on") // within the hour
	says(t, look(func(l *LDAP) { l.URL, l.CA = []string{old.LDAPS}, old.CA }), "FIX  ldap", "expired", "clock is off")
	says(t, look(func(l *LDAP) { l.CA = "" }), "FIX  ldap", "PEM file")
	says(t, look(func(l *LDAP) { l.URL = []string{"ldaps://127.0.0.1:1"} }), "FIX  ldap", "Nobody listens")
	says(t, look(func(l *LDAP) { l.URL = []string{"ldaps" + s.LDAP[4:]} }), "FIX  ldap", "does not speak TLS")
	says(t, look(func(l *LDAP) { l.URL = []string{"ldaps://nowhere.invalid"} }), "FIX  ldap", "cannot be found")
	says(t, look(func(l *LDAP) { l.Password = "wrong" }), "FIX  ldap", "--ldap-bind-password")
	says(t, look(func(l *LDAP) { l.Base = "dc=nowhere" }), "FIX  ldap", "--ldap-base")
	says(t, look(func(l *LDAP) { l.URL = []string{"ldap.example.edu"} }), "FIX  settings", "--ldap-", "ldaps://")
	says(t, look(func(l *LDAP) { l.Create = true; l.FirstName = "x"; l.Roles = []string{"boss=Admin"} }), "FIX  settings")
}

func TestDefaultMethod(t *testing.T) {
	s := SignIn{LDAP: LDAP{URL: []string{"ldaps://ldap.example.edu"}, Base: "dc=example", Within: time.Second}}
	for choice, want := range map[string]string{"": "ldap", "ldap": "ldap", "database": "database"} {
		s.SignInDefault = choice
		if got := s.order(); s.check() != nil || len(got) != 2 || got[0] != want {
			t.Errorf("%q: got %v, %v", choice, got, s.check())
		}
	}
	s.SignInDefault = "saml"
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "--sign-in-default") {
		t.Errorf("got %v", err)
	}
}
