package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/totp"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/people/sso"
	"lectern/internal/people/sso/ldap"
	"lectern/internal/people/sso/ldap/ldaptest"
	"lectern/internal/web/signin"
)

// everybody is an account of each role, whose passwords are kept here.
var everybody = map[string]policy.Role{"ann": policy.Student, "tom": policy.Tutor, "cora": policy.Convenor,
	"boss": policy.Admin, "chief": policy.Admin}

// withDirectory lets people sign in by a directory, and gives accounts of every role a password
// here. In the directory ann has another password, and lea of it has an account here.
func (w *world) withDirectory(s *ldaptest.Server) {
	w.Helper()
	w.ask(s, s.LDAPS)
	w.in.Methods = []signin.Method{{Method: signin.LDAP, Name: "Campus <account>"},
		{Method: signin.Database, Name: "Password"}}
	for name, role := range everybody {
		if name != "ann" && name != "tom" {
			w.person(name, role)
		}
		w.keeps(name)
	}
}

// ask lets the directory be asked at an address.
func (w *world) ask(s *ldaptest.Server, address string) {
	w.Helper()
	d, err := ldap.New(ldap.Config{Servers: []string{address}, CA: s.CA, Base: ldaptest.Base, BindDN: ldaptest.Reader,
		Password: ldaptest.Password, Rules: sso.Rules{Create: true, Domains: []string{"example.edu"},
			Names: sso.Names{FirstName: "givenName", LastName: "sn"}}, Within: 4 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(d.Close)
	w.in.Directory = d
}

// keeps gives somebody a password here.
func (w *world) keeps(name string) {
	w.Helper()
	if err := ident.NewPasswords(w.db, ident.Limits{}).SetPassword(w.Context(), name, secret); err != nil {
		w.Fatal(err)
	}
}

// limited lets sign-ins by passwords kept here go by limits.
func (w *world) limited(l ident.Limits) { w.uses.Passwords = ident.NewPasswords(w.db, l) }

// bySignIn sends the form of the page to sign in.
func (w *world) bySignIn(method, name, password string, more ...string) *answer {
	w.Helper()
	form := url.Values{"username": {name}, "password": {password}}
	if method != "" {
		form.Set("method", method)
	}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return w.do("/sign-in", form)
}

const (
	byDirectory = `<input id="method-ldap" name="method" type="radio" value="ldap" checked>`
	byOurs      = `<input id="method-database" name="method" type="radio" value="database" checked>`
)

// Which password is meant is chosen by radio buttons, which need no script. Where there is one
// kind only, nothing is asked.
func TestTheSignInPageAsksWhichPasswordIsMeantWhereThereAreTwo(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(w *world) {
		w.do("/sign-in", nil).status(200).lacks(`name="method"`)
		w.withDirectory(s)
		w.do("/sign-in", nil).status(200).says(byDirectory).says("Campus &lt;account&gt;").
			says("A password kept by Lectern itself").lacks(byOurs)
		w.do("/sign-in?method=database&username=x", nil).status(200).says(byDirectory).lacks(`value="x"`)
		w.bySignIn("database", "ann", "").status(400).says(byOurs).lacks(byDirectory)
		w.bySignIn("database", "ann", "wrong").status(401).says(byOurs).lacks(byDirectory)
		w.bySignIn("saml", "ann", secret).status(400)
		w.in.Methods = []signin.Method{w.in.Methods[1], w.in.Methods[0]} // by --sign-in-default
		w.do("/sign-in", nil).status(200).says(byOurs).lacks(byDirectory)
	})
}

func TestEverybodyComesInByEitherPasswordOnThePageBesideADirectory(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(w *world) {
		w.withDirectory(s)
		for name := range everybody {
			in := w.bySignIn("database", name, secret, "next", "/profile").leadsTo("/profile")
			there := *w
			there.cookie = in.Result().Cookies()[0].Value
			there.do("/profile", nil).status(200).says(name)
			w.bySignIn("ldap", name, secret).status(401).says("username or the password is wrong")
			w.bySignIn("", name, secret).status(401) // the directory is meant
		}
		w.bySignIn("ldap", "lea", ldaptest.Password).leadsTo("/home")
		w.bySignIn("", "lea", ldaptest.Password).leadsTo("/home")
		w.bySignIn("database", "lea", ldaptest.Password).status(401)
		w.bySignIn("database", "nobody", secret).status(401)
		w.ask(s, "ldaps://127.0.0.1:1") // where nobody answers
		w.bySignIn("ldap", "lea", ldaptest.Password).status(http.StatusBadGateway).says("another way").says(byDirectory)
		w.bySignIn("database", "boss", secret).leadsTo("/home") // when nothing else works
	})
}

func TestAnAdministratorWhomPasswordUsersLeavesOutStaysOut(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(w *world) {
		w.withDirectory(s)
		w.limited(ident.Limits{Only: []string{"Boss"}})
		for name := range everybody {
			if name == "boss" {
				continue
			}
			w.bySignIn("database", name, secret).status(401).says("username or the password is wrong")
		}
		for _, method := range []string{"database", "ldap", ""} { // who is named need not choose
			w.bySignIn(method, "boss", secret).leadsTo("/home")
		}
		w.bySignIn("ldap", "lea", ldaptest.Password).leadsTo("/home")
	})
}

func TestTheSecondFactorOfALocalAdministratorIsAskedForBesideADirectory(t *testing.T) {
	s := ldaptest.Start(t, time.Time{})
	each(t, func(w *world) {
		w.withDirectory(s)
		w.limited(ident.Limits{RequireFactor: true})
		w.bySignIn("database", "boss", secret).leadsTo("/second-factor") // and nowhere else before
		key := w.factor("boss")
		asked := w.bySignIn("database", "boss", secret).status(401).says(`name="otp"`).says(byOurs)
		if strings.Contains(asked.Body.String(), secret) {
			t.Error("the password is shown")
		}
		w.bySignIn("ldap", "boss", secret).status(401).lacks(`name="otp"`) // it is not the directory's password
		w.bySignIn("database", "boss", secret, "otp", "000000").status(401).says(byOurs)
		code, err := totp.Code(key, totp.Step(w.db.Now().Time)+1)
		if err != nil {
			t.Fatal(err)
		}
		w.bySignIn("database", "boss", secret, "otp", code).leadsTo("/home")
		w.bySignIn("database", "tom", secret).leadsTo("/home") // whose role needs none
	})
}

// factor sets up a second factor on the pages, and gives its secret.
func (w *world) factor(name string) string {
	w.Helper()
	in := w.as(name)
	shown := in.do("/second-factor", url.Values{"password": {secret}}).status(200)
	_, rest, _ := strings.Cut(shown.Body.String(), `name="secret" value="`)
	key, _, _ := strings.Cut(rest, `"`)
	code, err := totp.Code(key, totp.Step(w.db.Now().Time))
	if err != nil {
		w.Fatal(err)
	}
	in.do("/second-factor/confirm", url.Values{"otp": {code}}).status(200)
	return key
}
