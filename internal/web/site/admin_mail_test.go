package site_test

import (
	"context"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/platform/health"
)

func init() {
	pages["GET /admin/mail"] = [4]int{303, 403, 403, 403}
	pages["POST /admin/mail/send"] = [4]int{401, 403, 403, 403}
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
		ada.do("/admin/mail", nil).status(200).says("No email failed.").says("No emails in the last 7 days.").says("Start it.").
			says(">Fix<")
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
