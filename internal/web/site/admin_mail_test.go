package site_test

import (
	"context"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/health"
)

func init() {
	pages["GET /admin/mail"] = [4]int{303, 403, 403, 403}
	pages["POST /admin/mail/send"] = [4]int{401, 403, 403, 403}
	pages["POST /admin/mail"] = [4]int{401, 403, 403, 403}
}

// While the mail server is down the page says so and what to do; when it is up again, one button sends
// what waited and what was given up.
func TestEmailsOnThePage(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		var down atomic.Bool
		var hours atomic.Int64
		now := func() time.Time { return time.Unix(3600*hours.Add(1), 0) }
		w.uses.Checks = health.New(now, health.Check{Name: "mail", Look: func(context.Context) []health.Finding {
			return []health.Finding{{What: "mail", Saw: "mail.example.edu:25", Advice: "Start it.", Bad: down.Load()}}
		}})
		down.Store(true)
		w.exec(`DELETE FROM jobs`)
		ada.do("/admin/mail", nil).status(200).says("No email failed.").says("No emails in the last 7 days.").
			says(`href="/admin/people/invitations"`).says("Start it.").says(">Fix<")
		id := w.job("password_mail", "dead", "refused <by> [address]", 0)
		w.job("mail", "available", "", time.Hour)
		ada.do("/admin/mail", nil).says("1 failed").says("1 waiting").says("Password email").says("refused &lt;by&gt; [address]").
			lacks("@example.edu")
		ada.do("/admin/jobs/"+id+"/retry", url.Values{"back": {"mail"}}).leadsTo("/admin/mail?retried=1")
		w.job("address_mail", "dead", "", 0)
		ada.do("/admin/mail/send", url.Values{}).leadsTo("/admin/mail?retried=2")
		ada.do("/admin/mail?retried=2", nil).says("2 emails are tried now.").says("3 waiting").says("0 failed")
	})
}

// A test goes to whoever asks, and what the mail server says against it stands on the page with the way to
// mend it. Whoever is no administrator any more sends none.
func TestATestEmailFromThePage(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		ada.do("/admin/mail", nil).status(200).says(`action="/admin/mail"`)
		ada.do("/admin/mail", url.Values{}).leadsTo("/admin/mail?tested=true")
		ada.do("/admin/mail?tested=true", nil).status(200).says("took a test email to ada@example.edu")
		if len(w.settings.Sent) != 1 || w.settings.Sent[0] != "ada@example.edu" {
			t.Errorf("sent to %v", w.settings.Sent)
		}
		if n := w.one(`SELECT count(*) FROM audit_outbox WHERE entries LIKE '%mail_tried%'`); n != "1" {
			t.Errorf("%s entries of the audit log", n)
		}
		w.settings.Broken = fault.New(fault.Refused, "It sleeps & <snores>. Wake it.")
		ada.do("/admin/mail", url.Values{}).status(422).says("It sleeps &amp; &lt;snores&gt;. Wake it.").
			says(`href="/admin/settings/email"`).says("Failed emails")
		w.settings.Broken = nil
		w.exec(`UPDATE users SET role = $1 WHERE username = 'ada'`, int64(policy.Convenor))
		ada.do("/admin/mail", url.Values{}).status(403)
		if len(w.settings.Sent) != 1 {
			t.Errorf("sent to %v", w.settings.Sent)
		}
	})
}
