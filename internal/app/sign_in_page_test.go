package app

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso/ldap/ldaptest"
	"lectern/internal/people/sso/oidc/oidctest"
	"lectern/internal/people/sso/saml/samltest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// on gives settings whose database is of an engine.
func on(t *testing.T, engine string) Settings {
	t.Helper()
	s := Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, PublicURL: "https://learn.example.edu"}
	if engine == "postgres" {
		s.DatabaseURL = dbtest.Address(t, engine)
	}
	return s
}

// admin makes an administrator with a password of ours.
func admin(t *testing.T, d *db.DB, name, loginID string) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error {
		_, err := ident.Add(t.Context(), q, ident.NewUser{Username: name, Email: name + "@example.edu", FirstName: "A",
			LastName: "B", Role: policy.Admin, LoginID: loginID})
		return err
	})
	if err == nil {
		err = ident.NewPasswords(d, ident.Limits{}).SetPassword(t.Context(), name, "an old wooden lectern")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// With every method on, each is offered on the page and by the API, and a local administrator
// still comes in.
func TestTheSignInPageOffersEveryMethodThatIsOn(t *testing.T) {
	idp, openID, slapd := samltest.Start(t), oidctest.Start(t, true), ldaptest.Start(t, time.Time{})
	dbtest.Engines(t, func(t *testing.T, engine string) {
		s := on(t, engine)
		s.SAML = SAML{Metadata: idp.Metadata, Name: "Campus", Login: "uid", Email: "mail"}
		s.OIDC = OIDC{Issuer: openID.URL, Name: "Partners", ClientID: oidctest.ClientID, Secret: oidctest.Secret,
			Login: "sub"}
		s.LDAP = LDAP{URL: []string{slapd.LDAPS}, Name: "Directory", CA: slapd.CA, Base: ldaptest.Base,
			Filter: "(uid=%s)", BindDN: ldaptest.Reader, Password: ldaptest.Password, Login: "uid", Mail: "mail",
			Within: 4 * time.Second}
		a, err := New(context.Background(), s, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := a.saml.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		admin(t, a.db, "boss", "")
		v := &visitor{T: t, app: a, cookies: map[string]*http.Cookie{}}
		page := html.UnescapeString(v.get("/sign-in").Body.String())
		says(t, page, ">Continue with Campus<", ">Continue with Partners<", `value="ldap" checked>`, "Directory",
			`value="database">`)
		says(t, v.get("/api/auth/method").Body.String(), `"method":"saml"`, `"method":"oidc"`, `"method":"ldap"`,
			`"method":"database"`)
		form := url.Values{"username": {"boss"}, "password": {"an old wooden lectern"}, "method": {"database"}}
		if in := v.post("/sign-in", form); in.Code != http.StatusSeeOther || in.Header().Get("Location") != "/home" {
			t.Fatalf("on the page: %d %s", in.Code, in.Body)
		}
		if home := v.get("/home"); home.Code != http.StatusOK {
			t.Errorf("home: %d", home.Code)
		}
		if in := v.post("/api/auth", form); in.Code != http.StatusCreated {
			t.Errorf("by the API: %d %s", in.Code, in.Body)
		}
	})
}

func TestTheDoctorWarnsWhenNoAdministratorCouldSignIn(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		s := on(t, engine)
		d, err := OpenDatabase(t.Context(), &s.Storage)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		look := func(change func(*SignIn)) string {
			t.Helper()
			in := s
			change(&in.SignIn)
			var out strings.Builder
			_ = Doctor(t.Context(), in, &out)
			return out.String()
		}
		asIs := func(*SignIn) {}
		set := func(sql string) {
			t.Helper()
			if err := d.Tx(t.Context(), func(q db.Q) error { _, err := db.Exec(t.Context(), q, sql); return err }); err != nil {
				t.Fatal(err)
			}
		}
		directory := func(s *SignIn) {
			s.LDAP = LDAP{URL: []string{"ldaps://127.0.0.1:1"}, Base: "dc=x", Within: time.Second}
		}
		if out := look(asIs); strings.Contains(out, "admins") {
			t.Errorf("an empty database gets its first at the start: %s", out)
		}
		admin(t, d, "boss", "")
		admin(t, d, "chief", "chief-1")
		says(t, look(asIs), "ok   admins", "2 of 2 administrators can sign in")
		says(t, look(directory), "ok   admins", "2 of 2 administrators can sign in")
		says(t, look(func(s *SignIn) { s.PasswordUsers = []string{"BOSS"} }), "ok   admins", "1 of 2 administrators")
		says(t, look(func(s *SignIn) { s.PasswordUsers = []string{"other"} }), "FIX  admins",
			"--password-users leaves them out", "such as boss")
		says(t, look(func(s *SignIn) { directory(s); s.PasswordUsers = []string{"other"} }), "ok   admins",
			"1 of 2 administrators", "while ldap does not answer, nobody administers", "lectern user password boss")
		set(`UPDATE users SET password_hash = NULL`)
		says(t, look(asIs), "FIX  admins", "neither a password", "lectern user password boss")
		says(t, look(directory), "ok   admins", "1 of 2 administrators")
		set(`UPDATE users SET login_id = NULL`)
		says(t, look(directory), "FIX  admins", "neither a password")
		set(`INSERT INTO password_links (user_id, token_hash, created_at, expires_at)
			SELECT id, 'x', created_at, '2999-01-01T00:00:00Z' FROM users WHERE username = 'boss'`)
		says(t, look(asIs), "ok   admins", "1 of 2 administrators")
		set(`UPDATE users SET disabled_at = created_at`)
		says(t, look(asIs), "FIX  admins", "no account that is not disabled is an Admin", "lectern user add NAME --role Admin")
	})
}
