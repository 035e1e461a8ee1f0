package api

import (
	"errors"
	"os"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/health"
	"lectern/internal/usecase"
)

const mailFrom = `{"settings":[{"name":"LECTERN_MAIL_FROM","value":"lectern@example.edu"}]}`

var _ = rights(
	rightRow{"GET /api/admin/settings", "", "admin", nil},
	rightRow{"PUT /api/admin/settings", "", "admin", mailFrom},
	rightRow{"POST /api/admin/settings/check", "", "admin",
		`{"part":"mail","settings":[{"name":"LECTERN_MAIL_FROM","value":"lectern@example.edu"}]}`},
	rightRow{"POST /api/admin/settings/test_mail", "", "admin", mailFrom},
)

// kept is what settings.env says.
func (w *world) kept() string {
	w.Helper()
	text, err := os.ReadFile(w.settings.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Fatal(err)
	}
	return string(text)
}

// noted is what waits to be chained into the audit log.
func (w *world) noted() string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.db.Pool(), `SELECT entries FROM audit_outbox ORDER BY id`)
	if err != nil {
		w.Fatal(err)
	}
	return strings.Join(list, "\n")
}

func TestSettingsAreKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var list usecase.SettingList
		w.do("admin", "GET /api/admin/settings", nil).status(200).into(&list)
		if s := list.Of("LECTERN_MAIL_FROM"); s.Source != usecase.ByDefault || !s.Changeable || s.Restart {
			t.Errorf("before: %+v", s)
		}
		body := `{"seen":"` + list.Version + `","settings":[{"name":"LECTERN_MAIL_FROM","value":"a@example.edu"},
			{"name":"LECTERN_SMTP_URL","value":"smtp://u:hush@mail.example.edu"}]}`
		var kept usecase.Kept
		answer := w.do("admin", "PUT /api/admin/settings", body).status(200)
		answer.into(&kept)
		if s := kept.Of("LECTERN_MAIL_FROM"); s.Value != "a@example.edu" || s.Source != usecase.ByFile {
			t.Errorf("after: %+v", s)
		}
		if want := "LECTERN_MAIL_FROM=a@example.edu\nLECTERN_SMTP_URL=smtp://u:hush@mail.example.edu\n"; w.kept() != want {
			t.Errorf("kept %q", w.kept())
		}
		again := w.do("admin", "GET /api/admin/settings", nil).status(200)
		noted := w.noted()
		if !strings.Contains(noted, `"fields":["LECTERN_MAIL_FROM","LECTERN_SMTP_URL"]`) {
			t.Errorf("on record: %s", noted)
		}
		for _, text := range []string{answer.Body.String(), again.Body.String(), noted} {
			if strings.Contains(text, "hush") {
				t.Errorf("a secret is told: %s", text)
			}
		}
		w.do("admin", "PUT /api/admin/settings", body).status(409).says("changed in the meantime")
	})
}

func TestSettingsThatCannotBe(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for body, want := range map[string]int{
			`{"settings":[]}`: 400,
			`{"settings":[{"name":"LECTERN_NONSENSE","value":"x"}]}`:                                  400,
			`{"settings":[{"name":"PATH","value":"x"}]}`:                                              400,
			`{"settings":[{"name":"LECTERN_MAIL_FROM","value":"a\nLECTERN_DEMO=true"}]}`:              400,
			`{"settings":[{"name":"LECTERN_MAIL_FROM","value":"a\u2028LECTERN_DEMO=1"}]}`:             400,
			`{"settings":[{"name":"LECTERN_MAIL_FROM\nLECTERN_DEMO","value":"true"}]}`:                400,
			`{"settings":[{"name":"LECTERN_DATA","value":"/elsewhere"}]}`:                             409,
			`{"settings":[{"name":"LECTERN_MAIL_FROM","value":"` + strings.Repeat("a", 5000) + `"}]}`: 400,
			`{"settings":[{"name":"LECTERN_PUBLIC_URL","value":"https://a'b\"$(id)` + "`" + `"}]}`:    200,
		} {
			w.do("admin", "PUT /api/admin/settings", body).status(want)
		}
		if want := "LECTERN_PUBLIC_URL=\"https://a'b\\\"\\$(id)\\`\"\n"; w.kept() != want {
			t.Errorf("kept %q", w.kept())
		}
	})
}

// With several instances nothing is written: each has its own file.
func TestSettingsOfSeveralInstances(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.settings.Shared = true
		var kept usecase.Kept
		a := w.do("admin", "PUT /api/admin/settings", `{"settings":[{"name":"LECTERN_MAIL_FROM","value":"a b@example.edu"},
			{"name":"LECTERN_SMTP_URL","value":"smtp://u:hush@mail.example.edu"}]}`).status(200)
		if a.into(&kept); strings.Join(kept.Lines, "\n") != "LECTERN_MAIL_FROM='a b@example.edu'\nLECTERN_SMTP_URL=PASSWORD" {
			t.Errorf("lines %q", kept.Lines)
		}
		if strings.Contains(a.Body.String(), "hush") || w.kept() != "" || kept.Written {
			t.Errorf("%s, kept %q", a.Body.String(), w.kept())
		}
	})
}

func TestSettingsAreTriedBeforeTheyAreKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var found foundOut
		w.settings.Found = []health.Finding{{What: "ldap", Saw: "nobody answers", Advice: "Look at the cable.", Bad: true}}
		w.do("admin", "POST /api/admin/settings/check", `{"part":"ldap","settings":[{"name":"LECTERN_LDAP_URL",
			"value":"ldaps://h"}]}`).status(200).into(&found)
		want := settingFinding{"ldap", "nobody answers", "Look at the cable.", true}
		if len(found.Findings) != 1 || found.Findings[0] != want {
			t.Errorf("found %+v", found)
		}
		w.do("admin", "POST /api/admin/settings/check", `{"part":"kitchen","settings":[]}`).status(400)
		w.do("admin", "POST /api/admin/settings/test_mail", mailFrom).status(204)
		w.do("admin", "POST /api/admin/settings/test_mail", `{"settings":[]}`).status(204) // as they are
		if len(w.settings.Sent) != 2 || w.settings.Sent[0] != "admin@example.edu" {
			t.Errorf("sent to %v", w.settings.Sent)
		}
		w.settings.Broken = fault.New(fault.Refused, "The mail server did not take the test email: it is asleep.")
		w.do("admin", "POST /api/admin/settings/test_mail", mailFrom).status(422).says("asleep")
		if w.kept() != "" {
			t.Errorf("kept %q", w.kept())
		}
		if noted := w.noted(); !strings.Contains(noted, "mail_tried") || !strings.Contains(noted, "ldap_tried") {
			t.Errorf("on record: %s", noted)
		}
	})
}

// An Admin who is one no more by the time the change is written changes nothing.
func TestDemotedWhileSettingsChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, request := range []string{"PUT /api/admin/settings", "POST /api/admin/settings/test_mail"} {
			w.inHalves("admin", request, mailFrom, func() { w.revoke("demoted", "admin") }).status(403)
			w.set(`UPDATE users SET role = $2 WHERE id = $1`, w.id["admin"], int64(policy.Admin))
		}
		if w.kept() != "" || len(w.settings.Sent) != 0 {
			t.Errorf("kept %q, sent %v", w.kept(), w.settings.Sent)
		}
	})
}
