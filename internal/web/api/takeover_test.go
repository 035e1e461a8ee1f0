package api

import (
	"io"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/people/ident"
)

// Sign-ins with the old password come in beside its change: whatever session
// they opened before is over, and none begins afterwards.
func TestOldPasswordsOpenNothingAfterAChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		w.api.usecases.Passwords = ident.NewPasswords(w.db, ident.Limits{Patience: time.Minute, PerAccount: 1000})
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201, 401)
			})
		}
		wg.Go(func() {
			w.do("student", "POST /api/auth/password", map[string]string{"old_password": secret,
				"password": "another secret"}).status(204)
		})
		wg.Wait()
		if n := w.count("sessions WHERE user_id = $1", w.id["student"]); n != 1 {
			t.Errorf("%d sessions, want only the one that changed the password", n)
		}
	})
}

func (w *world) moveTo(as, whom, email string, more ...string) *answered {
	body := form{"user[email]": email}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return w.do(as, "PUT /api/users/{"+whom+"}", body)
}

var confirmation = regexp.MustCompile(`https://learn\.example\.edu/confirm-address\?token=([A-Z0-9]+)`)

// tokenIn reads the token of the link to confirm an address.
func tokenIn(t *testing.T, m *netmail.Message) string {
	t.Helper()
	if m == nil {
		t.Fatal("no email")
	}
	body, err := io.ReadAll(m.Body)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(body)) // quoted-printable
	found := confirmation.FindStringSubmatch(plain)
	if found == nil {
		t.Fatalf("no link in %s", body)
	}
	return found[1]
}

func TestChangingOnesOwnAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, delivered := w.post(t)
		w.password("student")
		link := w.newLink("student")
		w.now = w.now.Add(10 * time.Minute)
		w.moveTo("student", "student", "new@example.edu").status(403).says("old_password", "sign in again")
		w.moveTo("student", "student", "new@example.edu", "old_password", "wrong").status(401)
		w.moveTo("student", "student", "student@example.edu").status(200) // given back as it is
		if got := delivered(); len(got) != 0 || w.count("password_links") != 1 {
			t.Errorf("emails to %v, %d links", got, w.count("password_links"))
		}
		for _, name := range []string{"old_password", "user[old_password]"} {
			got := w.moveTo("student", "student", " new@example.edu", name, secret).status(200).object()
			if got["email"] != "student@example.edu" || got["email_pending"] != "new@example.edu" {
				t.Errorf("got %v", got)
			}
		}
		w.do("", "POST /api/auth/password", map[string]string{"token": link, "password": secret}).status(404)
		emails := delivered()
		if got := emails["student"]; got == nil || !strings.Contains(got.Header.Get("Subject"), "was requested") {
			t.Errorf("the old address hears %v", emails)
		}
		token := tokenIn(t, emails["new"])
		w.do("", "POST /api/auth/forgot", form{"username": "student"}).status(201)
		if got := delivered(); len(got) != 1 || got["student"] == nil {
			t.Errorf("a password link went to %v before the address was confirmed", got)
		}
		for _, as := range []string{"student", "admin"} {
			if got := w.do(as, "GET /api/users/{student}", nil).object()["email_pending"]; got != "new@example.edu" {
				t.Errorf("%s sees %v", as, got)
			}
		}
		if got := w.do("convenor", "GET /api/users", nil).Body.String(); strings.Contains(got, "new@example.edu") {
			t.Error("a Convenor sees the address that is pending")
		}
		w.do("", "POST /api/auth/email", `{}`).status(400).says("token is required")
		w.do("", "POST /api/auth/email", form{"token": "wrong"}).status(404)
		w.do("", "POST /api/auth/email", form{"token": token}).status(204)
		w.do("", "POST /api/auth/email", form{"token": token}).status(404)
		got := w.do("student", "GET /api/users/{student}", nil).status(200).object()
		if _, pending := got["email_pending"]; got["email"] != "new@example.edu" || pending ||
			w.count("password_links") != 0 {
			t.Errorf("got %v, %d links", got, w.count("password_links"))
		}
		if emails := delivered(); emails["student"] == nil || len(emails) != 1 {
			t.Errorf("emails to %v", emails)
		}
	})
}

// Who sends their present address takes back the one that waits: no password is needed,
// the link that was sent ends, and it is on record. Nobody else does that for them.
func TestTakingBackAnAddressThatWaits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, delivered := w.post(t)
		w.password("student")
		w.moveTo("student", "student", "new@example.edu", "old_password", secret).status(200)
		token := tokenIn(t, delivered()["new"])
		w.now = w.now.Add(10 * time.Minute)
		got := w.moveTo("admin", "student", "student@example.edu").status(200).object()
		if got["email_pending"] != "new@example.edu" {
			t.Errorf("an administrator who sends the address as it is takes the wait back: %v", got)
		}
		w.do("student", "PUT /api/users/{student}", form{"user[nickname]": "Stu"}).status(200)
		if got = w.do("student", "GET /api/users/{student}", nil).object(); got["email_pending"] != "new@example.edu" {
			t.Errorf("a change of names takes the wait back: %v", got)
		}
		got = w.moveTo("student", "student", " student@example.edu").status(200).object()
		if _, waits := got["email_pending"]; waits || got["email"] != "student@example.edu" {
			t.Errorf("got %v", got)
		}
		w.do("", "POST /api/auth/email", form{"token": token}).status(404)
		if n := w.count("address_links"); n != 0 {
			t.Errorf("%d links are left", n)
		}
		if emails := delivered(); len(emails) != 0 {
			t.Errorf("emails to %v", emails)
		}
		if n := w.count(`audit_outbox WHERE entries LIKE '%["email_pending"]%'`); n != 2 {
			t.Errorf("%d entries on the address, want one of asking and one of taking back", n)
		}
	})
}

func TestARecentSignInChangesTheAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, delivered := w.post(t)
		w.password("student")
		w.now = w.now.Add(time.Hour)
		w.signIn("student", secret)
		w.now = w.now.Add(10*time.Minute - time.Second)
		w.moveTo("student", "student", "TUTOR@example.edu").status(409)
		w.moveTo("student", "student", "nonsense").status(422)
		w.moveTo("student", "student", "first@example.edu").status(200)
		first := tokenIn(t, delivered()["first"])
		w.moveTo("student", "student", "second@example.edu").status(200)
		second := tokenIn(t, delivered()["second"])
		w.do("", "POST /api/auth/email", form{"token": first}).status(404)
		w.moveTo("admin", "mate", "second@example.edu").status(200) // taken meanwhile
		w.do("", "POST /api/auth/email", form{"token": second}).status(409)
		w.moveTo("admin", "mate", "third@example.edu").status(200)
		w.now = w.now.Add(2 * 24 * time.Hour)
		w.do("", "POST /api/auth/email", form{"token": second}).status(404)
		w.do("student", "PUT /api/auth", nil).status(401)
	})
}

func TestChangingTheAddressOfOthers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, delivered := w.post(t)
		for _, whom := range []string{"student", "tutor"} { // both have signed in
			w.moveTo("convenor", whom, "mine@example.edu").status(403).says("in use")
			w.do("convenor", "PUT /api/users/{"+whom+"}", `{"user":{"student_id":"7"}}`).status(403)
		}
		link := w.newLink("mate")
		got := w.moveTo("admin", "mate", "moved@example.edu").status(200).object()
		if got["email"] != "moved@example.edu" || got["email_pending"] != nil {
			t.Errorf("got %v", got)
		}
		got = w.do("convenor", "POST /api/csv/units/{unitA}", upload{files: []part{{"file", "s.csv", studentCSV +
			"SIT10A,B,mate,99,,Mate,Person,evil@example.edu,LA1\r\n"}}}).status(201).object()
		if w.count("users WHERE student_id = '99' OR email LIKE 'evil%'") != 0 {
			t.Errorf("a sheet changed an account in use: %v", got)
		}
		w.do("", "POST /api/auth/password", map[string]string{"token": link, "password": secret}).status(404)
		if emails := delivered(); len(emails) != 1 || emails["mate"] == nil {
			t.Errorf("emails to %v", emails)
		}
		made := w.do("convenor", "POST /api/users", newUser("fresh", "Student")).status(201).object()
		w.id["fresh"] = int64(made["id"].(float64))
		if got := w.moveTo("convenor", "fresh", "typo@example.edu", "user[student_id]",
			"42").status(200).object(); got["email"] != "typo@example.edu" || got["student_id"] != "42" {
			t.Errorf("got %v", got)
		}
		if emails := delivered(); len(emails) != 1 || emails["fresh"] == nil {
			t.Errorf("emails to %v", emails)
		}
		token := w.newLink("fresh")
		w.do("", "POST /api/auth/password", map[string]string{"token": token, "password": secret}).status(204)
		w.moveTo("convenor", "fresh", "evil@example.edu").status(403) // it has a password now
	})
}

func TestWithoutMailAnAddressChangesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api.usecases.Mailer = notify.Disabled()
		got := w.moveTo("student", "student", "new@example.edu").status(200).object()
		if got["email"] != "new@example.edu" || got["email_pending"] != nil {
			t.Errorf("got %v", got)
		}
		w.now = w.now.Add(10 * time.Minute)
		w.moveTo("student", "student", "newer@example.edu").status(403)
	})
}

// Some of a record is its owner's alone, some the staff's; what is sent back as
// it was is never refused.
func TestWhoChangesWhatOfARecord(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(as, field string, value any) *answered {
			return w.do(as, "PUT /api/users/{student}", map[string]any{"user": map[string]any{field: value}})
		}
		record := w.do("student", "GET /api/users/{student}", nil).object()
		for _, as := range []string{"student", "convenor", "admin"} {
			w.do(as, "PUT /api/users/{student}", map[string]any{"user": record}).status(200)
		}
		for field, value := range map[string]any{"receive_task_notifications": false,
			"receive_portfolio_notifications": false, "receive_feedback_notifications": false,
			"opt_in_to_research": false} {
			put("convenor", field, value).status(403)
			put("admin", field, value).status(403).says("Only the user can choose")
			put("student", field, value).status(200)
		}
		put("convenor", "pronouns", "it").status(403)
		put("convenor", "has_run_first_time_setup", true).status(403)
		put("student", "student_id", "7").status(403).says("only an administrator")
		put("admin", "student_id", "7").status(200)
		put("student", "student_id", nil).status(403)
		for field, value := range map[string]string{"first_name": "Zoe", "last_name": "Dam", "nickname": "Z",
			"system_role": "Tutor"} {
			if got := put("convenor", field, value).status(200).object()[field]; got != value {
				t.Errorf("%s: %v", field, got)
			}
		}
		if n := w.count("users WHERE student_id = '7'"); n != 1 {
			t.Errorf("%d users with the number", n)
		}
	})
}
