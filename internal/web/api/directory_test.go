package api

import (
	"net/http"
	"testing"
	"time"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso"
	"lectern/internal/people/sso/ldap"
	"lectern/internal/people/sso/ldap/ldaptest"
)

// withDirectory gives the world a directory, whose servers are at these addresses.
func (w *world) withDirectory(s *ldaptest.Server, rules sso.Rules, servers ...string) {
	w.Helper()
	d, err := ldap.New(ldap.Config{Servers: servers, CA: s.CA, Base: ldaptest.Base, BindDN: ldaptest.Reader,
		Password: ldaptest.Password, Rules: rules, Within: 4 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(d.Close)
	w.api.signin.Directory = d
}

// byLDAP tries to sign in with a password of the directory's.
func (w *world) byLDAP(name, password string) *answered {
	w.Helper()
	return w.do("", "POST /api/auth", form{"username": name, "password": password, "method": "ldap"})
}

func TestSignInByDirectory(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(t *testing.T, w *world) {
		w.byLDAP("ann", ldaptest.Password).status(503).says("not set up")
		w.withDirectory(s, sso.Rules{}, s.LDAPS)
		w.byLDAP("ann", ldaptest.Password).status(403).says("no account", `"ann`)
		w.set(`UPDATE users SET login_id = 'ann' WHERE id = $1`, w.id["student"])
		got := w.byLDAP("ANN", ldaptest.Password).status(201).object()
		if got["user"].(map[string]any)["username"] != "student" {
			t.Errorf("got %v", got)
		}
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth-Token", got["auth_token"].(string)).
			status(200)
		for _, try := range [][2]string{{"ann", "wrong"}, {"ann", ""}, {"*", ldaptest.Password}, {"nobody", "x"}} {
			w.byLDAP(try[0], try[1]).status(401).says("username or the password")
		}
		w.set(`UPDATE users SET disabled_at = created_at WHERE id = $1`, w.id["student"])
		w.byLDAP("ann", ldaptest.Password).status(401).says("disabled")
		if w.count("users WHERE username = 'ann'") != 0 {
			t.Error("an account was made")
		}
	})
}

// A name that is not the method's default can still choose; those named as having
// a password here need not.
func TestWhichPasswordCounts(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(t *testing.T, w *world) {
		w.password("admin", "mate")
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{Only: []string{"admin"}})
		w.withDirectory(s, sso.Rules{Create: true, Domains: []string{"example.edu"},
			Names: sso.Names{FirstName: "givenName", LastName: "sn"}, Role: "employeeType",
			Roles: map[string]policy.Role{"staff": policy.Tutor}}, s.LDAPS)
		w.do("", "POST /api/auth", form{"username": "admin", "password": secret}).status(201)
		w.do("", "POST /api/auth", form{"username": "mate", "password": secret}).status(401)
		w.do("", "POST /api/auth", form{"username": "mate", "password": secret, "method": "database"}).status(401)
		w.do("", "POST /api/auth", form{"username": "mate", "password": secret, "method": "other"}).status(400)
		got := w.do("", "POST /api/auth", form{"username": "lea", "password": ldaptest.Password}).status(201).
			object()["user"].(map[string]any)
		if got["username"] != "lea" || got["system_role"] != "Tutor" || got["email"] != "lea@example.edu" ||
			got["first_name"] != "Lea" || got["last_name"] != "Jones" {
			t.Errorf("got %v", got)
		}
	})
}

// Passwords of a directory are guessed no faster than ours, and its trouble is no
// guess of anybody's.
func TestGuessingAtADirectory(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET login_id = 'ann' WHERE id = $1`, w.id["student"])
		w.withDirectory(s, sso.Rules{}, "ldaps://127.0.0.1:1")
		for range 25 {
			w.byLDAP("ann", ldaptest.Password).status(502).says("does not answer", "another way")
		}
		w.withDirectory(s, sso.Rules{}, "ldaps://127.0.0.1:1", s.LDAP)
		w.byLDAP("ann", ldaptest.Password).status(201)
		tries := map[int]int{}
		for range 25 {
			tries[w.byLDAP("Ann", "wrong").Code]++
		}
		if tries[http.StatusUnauthorized] != 20 || tries[http.StatusTooManyRequests] != 5 {
			t.Errorf("got %v", tries)
		}
		w.byLDAP("ann", ldaptest.Password).status(429)
	})
}

// A password of the directory's is a password typed here: who has a second factor
// is asked for it.
func TestDirectoryAndSecondFactor(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(t *testing.T, w *world) {
		w.withDirectory(s, sso.Rules{}, s.LDAPS)
		w.set(`UPDATE users SET login_id = 'ann' WHERE id = $1`, w.id["student"])
		key, _ := w.factor("student")
		w.byLDAP("ann", ldaptest.Password).lacksFactor()
		code := w.code(key, 0)
		in := form{"username": "ann", "password": ldaptest.Password, "method": "ldap", "otp": code}
		w.do("", "POST /api/auth", in).status(201)
		w.do("", "POST /api/auth", in).lacksFactor()
	})
}

// Accounts that are kept here stay open beside a directory, for callers of every role: they
// say which password is meant.
func TestALocalAdministratorComesInBesideADirectory(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(t *testing.T, w *world) {
		all := []string{"admin", "convenor", "tutor", "student"}
		w.password(all...)
		w.withDirectory(s, sso.Rules{}, s.LDAPS)
		ours := func(name string) *answered {
			return w.do("", "POST /api/auth", form{"username": name, "password": secret, "method": "database"})
		}
		for _, name := range all {
			ours(name).status(201)
			w.byLDAP(name, secret).status(401)
		}
		key, _ := w.factor("admin")
		ours("admin").lacksFactor()
		w.do("", "POST /api/auth", form{"username": "admin", "password": secret, "method": "database",
			"otp": w.code(key, 0)}).status(201)
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{Only: []string{"someone"}})
		for _, name := range all {
			ours(name).status(401).says("username or the password")
		}
	})
}
