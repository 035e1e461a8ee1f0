package browser

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/totp"
	"lectern/internal/ground/waittest"
	"lectern/internal/people/sso/ldap/ldaptest"
	"lectern/internal/platform/mail/mailtest"
)

// mostActions is what the way from an empty machine to a unit with students may take: every field that is
// typed, every choice and every click is one.
const mostActions = 80

// counted is a tab whose actions are counted.
type counted struct {
	*tab
	n int
}

func (c *counted) types(selector, text string) { c.Helper(); c.n++; c.fill(selector, text) }
func (c *counted) goes(selector string)        { c.Helper(); c.n++; c.follow(selector) }
func (c *counted) clicks(selector string)      { c.Helper(); c.n++; c.press(selector) }

// picks chooses in a list, by the value.
func (c *counted) picks(selector, value string) {
	c.Helper()
	c.n++
	eval[bool](c.tab, fmt.Sprintf("document.querySelector(%s).value = %s, true", quote(selector), quote(value)))
}

// From an empty machine to a unit with students: the link that the command prints, the administrator with a
// second factor, address, directory, mail server, period, unit and a sheet; then the mail server goes down, and
// is mended on the page of the settings without a restart.
func TestFromAnEmptyMachineToAUnitWithStudents(t *testing.T) {
	needed(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	slapd, post, spare := ldaptest.Start(t, time.Time{}), mailtest.Listen(t), mailtest.Listen(t)
	relay, down := relayTo(t, post.Addr)
	data := t.TempDir()
	s, stop, err := runEmpty(path, data, "--addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "first-link", "--data", data, "--public-url", s.url).CombinedOutput()
	link := regexp.MustCompile(`/first-start\?token=[A-Z2-7]+`).FindString(string(out))
	if err != nil || link == "" {
		t.Fatalf("%v %s", err, out)
	}
	b := &counted{tab: open(t, s, wide)}
	b.visit(link)
	b.n += 2 // the command, and opening what it printed
	b.becomesAdministrator()
	b.setsUp(s.url, slapd, relay)
	if got := post.Emails(t); len(got) != 1 || got[0].Subject != "Test email from Lectern" {
		t.Errorf("%d test emails", len(got))
	}
	b.expect("/live") // which the page hears nothing by meanwhile
	stop()            // the page says that the directory needs it
	s, stop, err = runEmpty(path, data, "--addr", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	b.n++
	b.teaches()
	t.Logf("%d actions", b.n)
	if b.n > mostActions {
		t.Errorf("it took %d actions", b.n)
	}
	b.signsInByDirectory(s)
	b.seesMailGoDown(s, post, down)
	b.mendsMail(post, spare)
}

// becomesAdministrator makes the account and its second factor.
func (c *counted) becomesAdministrator() {
	c.Helper()
	c.looked("the first administrator")
	for field, text := range map[string]string{"first_name": "Ada", "last_name": "Min", "username": "ada",
		"email": "ada@example.edu", "password": newPassword, "again": newPassword} {
		c.types("#"+field, text)
	}
	c.goes("main form .btn.primary")
	c.looked("the second factor of the first administrator")
	c.goes("main form .btn.primary")
	secret := eval[string](c.tab, "document.querySelector('input[name=secret]').value")
	code, err := totp.Code(secret, totp.Step(time.Now()))
	if err != nil {
		c.Fatal(err)
	}
	c.looked("the secret of the first administrator")
	c.types("#otp", code)
	c.goes("main form .btn.primary")
	c.awaitText("recovery codes")
	c.goes("main a.btn.primary")
}

// setsUp goes through the address, the directory and the mail server.
func (c *counted) setsUp(public string, slapd *ldaptest.Server, relay string) {
	c.Helper()
	c.looked("the institution")
	c.types("#external_name", "Northfield")
	c.types("#public_url", public)
	c.goes("main form .btn.primary")
	c.looked("the ways to sign in")
	c.clicks("input[value=ldap]")
	c.types("#ldap_url", strings.Replace(slapd.LDAPS, "ldaps", "ldap", 1)) // which speaks TLS at once
	c.types("#ldap_base", ldaptest.Base)
	c.types("#bind_dn", ldaptest.Reader)
	c.types("#bind_password", ldaptest.Password)
	c.types("#ldap_ca", slapd.CA)
	c.expect("422")
	c.goes("main form .btn.primary")
	c.awaitText("Nothing was saved")
	c.looked("a directory that does not answer")
	c.types("#ldap_url", slapd.LDAPS)
	c.types("#bind_password", ldaptest.Password)
	c.types("#ldap_domains", "example.edu")
	c.clicks("#ldap_create")
	c.goes("main form .btn.primary")
	c.awaitText("How are emails sent?")
	host, port, _ := strings.Cut(relay, ":")
	c.looked("the mail server")
	c.types("#server", host)
	c.types("#port", port)
	c.picks("#encryption", "never")
	c.types("#mail_from", "lectern@example.edu")
	c.goes("main form .btn.primary")
	c.awaitText("When do you teach")
}

// teaches makes the period and the unit, and enrols students by a sheet.
func (c *counted) teaches() {
	c.Helper()
	c.looked("the first period")
	c.types("#period", "Semester 1")
	year := time.Now().Year()
	c.picks("#start_date", fmt.Sprintf("%d-01-10", year))
	c.picks("#end_date", fmt.Sprintf("%d-12-10", year))
	c.goes("main form .btn:not(.quiet):is(button)")
	c.types("#code", "SIT100")
	c.types("#name", "Logic")
	c.goes("main form .btn.primary")
	c.awaitText("Checklist")
	unit := eval[string](c.tab, "location.pathname")
	c.visit(unit + "/settings/students/import")
	c.n += 3 // by the sidebar, the tab and its button
	c.choose("#file", c.file("class.csv", []byte("unit_code,campus,username,student_id,first_name,last_name,email,"+
		"tutorial\n"+
		"SIT100,,ann,1001,Ann,Smith,ann@example.edu,\nSIT100,,bob,1002,Bob,Smith,bob@example.edu,\n")))
	c.n++
	c.goes("#review")
	c.awaitText("Enrol 2 students")
	c.goes("#apply")
	c.awaitText("2 enrolled")
}

// signsInByDirectory lets a student in by the password of the directory, in another browser.
func (c *counted) signsInByDirectory(s *service) {
	c.Helper()
	b := open(c.T, s, wide)
	b.visit("/sign-in")
	b.fill("#username", "ann")
	b.fill("#password", "correct horse")
	b.follow("main form button.primary")
	b.awaitText("SIT100")
}

// seesMailGoDown has the page of the service's health open while the mail server goes down, and somebody asks
// for an email: the page tells it by itself, within a minute.
func (c *counted) seesMailGoDown(s *service, post *mailtest.Server, down func()) {
	c.Helper()
	post.Emails(c.T)
	c.visit("/admin")
	c.awaitText("takes emails")
	down()
	fell := time.Now()
	ann := open(c.T, s, wide)
	ann.visit("/forgot")
	ann.fill("#username", "ada")
	ann.follow("main form button")
	c.awaitText("connection refused")
	if took := time.Since(fell); took > time.Minute {
		c.Errorf("the page told it after %s", took)
	}
	c.looked("a service whose mail server is down")
}

// mendsMail tries an email by the server that is down, names another one where the page leads, and sees the
// email go out that waited.
func (c *counted) mendsMail(was, now *mailtest.Server) {
	c.Helper()
	c.visit("/admin/mail")
	c.expect("422")
	c.follow("form[action='/admin/mail'] button")
	c.awaitText("did not take the test email")
	c.looked("a test email that was not taken")
	c.follow("main .told a[href='/admin/settings/email']")
	host, port, _ := strings.Cut(now.Addr, ":")
	c.fill("#server", host)
	c.fill("#port", port)
	c.follow("main form .btn.primary")
	c.awaitText("A test email was sent to ada@example.edu")
	c.looked("the settings of emails")
	c.visit("/admin")
	c.awaitText(now.Addr + " takes emails")
	c.visit("/admin/settings")
	c.looked("every setting")
	c.visit("/first-start/done")
	c.looked("what is left to set up")
	var subjects []string
	arrived := waittest.Within(patience, func() bool {
		for _, e := range now.Emails(c.T) {
			subjects = append(subjects, e.Subject)
		}
		return len(subjects) >= 2
	})
	all := strings.Join(subjects, "|")
	if !arrived || !strings.Contains(all, "Test email") || !strings.Contains(all, "password") {
		c.Errorf("after the mending there came %q", subjects)
	}
	if late := was.Emails(c.T); len(late) > 0 {
		c.Errorf("%d emails came while the server was down", len(late))
	}
}

// relayTo hands connections on to a server until it is taken down.
func relayTo(t *testing.T, to string) (addr string, down func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); out.Close() }()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), func() { l.Close() }
}
