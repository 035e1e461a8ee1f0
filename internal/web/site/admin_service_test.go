package site_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/jobs"
)

func init() {
	for _, at := range []string{"/admin/jobs", "/admin/jobs/retry", "/admin/audit", "/admin/audit/sheet", "/admin/events",
		"/admin/webhooks", "/admin/webhooks/{id}", "/admin/webhooks/{id}/delete"} {
		pages["GET "+at] = [4]int{303, 403, 403, 403}
	}
	for _, at := range []string{"/admin/jobs/retry", "/admin/audit/verification", "/admin/webhooks",
		"/admin/webhooks/{id}", "/admin/webhooks/{id}/active", "/admin/webhooks/{id}/secret", "/admin/webhooks/{id}/test",
		"/admin/webhooks/{id}/retry",
		"/admin/webhooks/{id}/delete"} {
		pages["POST "+at] = [4]int{401, 403, 403, 403}
	}
}

// Jobs that need a person come first, with their reasons; one is tried again by its button, all of a
// kind after a look at why they failed.
func TestJobsAreListedAndRetried(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		ada.do("/admin/jobs", nil).status(200).says("No job needs a person.")
		for range 3 {
			w.job("document", "dead", "no <room>", 0)
		}
		one := w.job("mail", "dead", "refused", 0)
		w.job("similarity", "available", "", -time.Hour)
		w.job("tidy", "done", "", 0)
		first := ada.do("/admin/jobs", nil).status(200).says("4 failed").says("1 stuck").says("no &lt;room&gt;").
			lacks("Clean up</bdi>")
		if text := first.Body.String(); strings.Index(text, "<bdi>Compare submission") < strings.Index(text, "<bdi>Email") {
			t.Error("what is stuck stands before what is dead")
		}
		ada.do("/admin/jobs?show=all", nil).says("<bdi>Clean up")
		ada.do("/admin/jobs?show=done&kind=mail", nil).says("No job matches.")
		ada.do("/admin/jobs?kind=document&unit_id=4711", nil).says("4711")
		w.jobsOfUnits(ada)
		ada.do("/admin/jobs/"+one+"/retry", url.Values{}).leadsTo("/admin/jobs?retried=1")
		ada.do("/admin/jobs?kind=document", nil).says("Retry all failed").says("/admin/jobs/retry?kind=document")
		ada.do("/admin/jobs/retry?kind=document", nil).says("3 failed jobs will be tried again").says("no &lt;room&gt;").
			says("Retry 3 jobs")
		if w.one(`SELECT count(*) FROM jobs WHERE state = 'dead'`) != "3" {
			t.Error("the plan did something")
		}
		ada.do("/admin/jobs/retry", url.Values{"kind": {"document"}}).leadsTo("/admin/jobs?kind=document&retried=3")
		ada.do("/admin/jobs?kind=document&retried=3", nil).says("3 jobs will be tried again.")
		if w.one(`SELECT count(*) FROM jobs WHERE state = 'dead'`) != "0" {
			t.Error("some are still dead")
		}
	})
}

// jobsOfUnits narrows jobs by the code of units: one that none has is told, and failed jobs of several units are
// not tried again as if they were all.
func (w *world) jobsOfUnits(ada *world) {
	w.Helper()
	unit := func() string {
		w.exec(`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
			VALUES ('Twin1', 'Twin', '', '2026-03-02', '2026-06-30', TRUE, $1, $1)`, w.db.Now())
		return w.one(`SELECT max(id) FROM units`)
	}
	one, code := unit(), "Twin1"
	mine := w.job("portfolio", "dead", "torn", 0)
	w.exec(`UPDATE jobs SET unit_key = ` + one + ` WHERE id = ` + mine)
	at := "/admin/jobs?kind=portfolio&unit=" + url.QueryEscape(" "+strings.ToLower(code))
	ada.do(at, nil).status(200).says("torn").says(`name="unit"`).says("/admin/jobs/retry?kind=portfolio&amp;unit_id=").
		lacks("no &lt;room&gt;")
	ada.do("/admin/jobs?kind=document&unit="+url.QueryEscape(code), nil).says("No job matches.")
	ada.do("/admin/jobs?unit=NONE1", nil).says("No unit has this code.").says("No job matches.").lacks("torn")
	two := unit()
	ada.do(at, nil).says("torn").lacks("/admin/jobs/retry?")
	ada.do(at+"&unit_id="+one, nil).says("torn").says("/admin/jobs/retry?")
	ada.do(at+"&unit_id="+two, nil).says("No job matches.")
	w.exec(`DELETE FROM jobs WHERE id = ` + mine)
}

// The audit log is narrowed by who, what, unit and day, goes out as a sheet, and is verified.
func TestTheAuditLog(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		ada.do("/admin/webhooks", url.Values{"url": {"https://example.edu/a"}}).status(200)
		w.as("tom")
		if _, err := audit.Relay(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		ada.do("/admin/audit", nil).status(200).says("ada &lt;b&gt;Person").says("Webhook").says("Sign-in")
		ada.do("/admin/audit?kind=webhook", nil).says(">created<").lacks(`data-label="Kind">Sign-in`)
		ada.do("/admin/audit?actor=tom", nil).says(`data-label="Kind">Sign-in`).lacks(">created</bdi></span></td><td data-label=\"About\"><bdi>ada")
		ada.do("/admin/audit?actor=nobody", nil).says("No account has this username.").says("No entries match.")
		ada.do("/admin/audit?unit=NONE1", nil).says("No unit has this code.")
		ada.do("/admin/audit?from=2020-01-01&to=2020-01-02", nil).says("No entries match.").says("/admin/audit/sheet?from=2020-01-01")
		ada.do("/admin/audit?from=soon", nil).says("Enter a date")
		ada.do("/admin/audit?before=1", nil).says("No entries match.")
		sheet := ada.do("/admin/audit/sheet?kind=webhook", nil).status(200)
		if text := sheet.Body.String(); !strings.Contains(text, "webhook,created") || strings.Contains(text, "sign_in") ||
			!strings.HasPrefix(sheet.Header().Get("Content-Type"), "text/csv") {
			t.Errorf("the sheet: %s", text)
		}
		ada.do("/admin/audit/sheet?actor=nobody", nil).status(400)
		ada.do("/admin/audit", nil).says("The log was not verified here yet.")
		ada.do("/admin/audit/verification", url.Values{}).leadsTo("/admin/audit")
		ada.do("/admin/audit", nil).says("entries read.").says("<progress").lacks("Verify now")
		w.verified()
		ada.do("/admin/audit", nil).says("Unbroken").says("Verify now")
		w.exec(`UPDATE audit_entries SET action = 'forged' WHERE seq = 1`)
		ada.do("/admin/audit/verification", url.Values{}).status(303)
		w.verified()
		ada.do("/admin/audit", nil).says("Problems found").says("Entry 1 ")
	})
}

// The event log is the newest first and narrowed by kind and unit.
func TestTheEventLog(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		ada.do("/admin/events", nil).status(200).says("No events match.")
		w.hostile()
		w.exec(`INSERT INTO events (seq, kind, at, body, news) VALUES (900000, 'status', $1, '{}', FALSE), (900001, 'grade',
			$1, '{}', FALSE)`, w.db.Now())
		ada.do("/admin/events", nil).says("900001").says(`data-label="Kind">Grade`)
		ada.do("/admin/events?kind=enrolment", nil).lacks("900001")
		ada.do("/admin/events?before=900001", nil).lacks(`id="event-900001"`).says("Newest")
		ada.do("/admin/events?kind=quokka", nil).says("900001")
		ada.do("/admin/events?unit_id=4711", nil).says("No events match.").says("4711")
	})
}

// A webhook is added, tested, changed, paused, given a new secret and deleted; a secret is shown once.
func TestWebhooksAreLookedAfter(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		var taken atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Lectern-Event") != "test" || !strings.HasPrefix(r.Header.Get("X-Lectern-Signature"), "sha256=") {
				t.Errorf("the receiver got %v", r.Header)
			}
			if taken.Add(1) > 1 {
				out.WriteHeader(http.StatusTeapot)
			}
		}))
		defer receiver.Close()
		ada.do("/admin/webhooks", nil).status(200).says("No webhooks yet.")
		ada.do("/admin/webhooks", url.Values{"url": {"http://127.0.0.1"}}).status(422).says(`value="http://127.0.0.1"`).
			says("url-error")
		w.uses.Hooks = webhook.Guard{AllowPrivate: true}
		ada.do("/admin/webhooks", url.Values{"url": {receiver.URL}, "kinds[]": {"grade", "status"}}).status(200).
			says("The webhook was added.").says("shown once")
		at := "/admin/webhooks/" + w.one(`SELECT max(id) FROM webhooks`)
		secret := w.one(`SELECT secret FROM webhooks`)
		ada.do(at, nil).status(200).lacks(secret).lacks("shown once").says(`value="grade" checked`)
		ada.do(at+"/test", url.Values{}).status(200).says("The receiver took the test delivery.").lacks(secret)
		ada.do(at+"/test", url.Values{}).status(200).says("The test delivery failed.").says("answered 418")
		ada.do(at, nil).says("Answered 418").says("Answered 200").says(">Test</bdi>").lacks("Send again").lacks(secret)
		ada.do(at+"?failed=true", nil).says("Answered 418").lacks("Answered 200")
		w.deliveries(ada, at)
		ada.do(at, url.Values{"url": {""}}).status(422).says("url-error").says("Answered 418")
		ada.do(at, url.Values{"url": {receiver.URL + "/x"}}).leadsTo(at + "?saved=true")
		if got := w.one(`SELECT kinds FROM webhooks`); got != "[]" {
			t.Errorf("kinds are %s", got)
		}
		ada.do(at+"/active", url.Values{"active": {"false"}}).leadsTo(at + "?saved=true")
		ada.do(at, nil).says("Paused").says("Resume")
		ada.do(at+"/secret", url.Values{}).status(200).says(w.one(`SELECT secret FROM webhooks`)).lacks(secret)
		ada.do(at+"/delete", nil).status(200).says("events that wait for it are dropped")
		ada.do(at+"/delete", url.Values{}).leadsTo("/admin/webhooks?deleted=true")
		ada.do(at, nil).status(404)
		ada.do(at+"/test", url.Values{}).status(404)
		ada.do("/admin/webhooks?deleted=true", nil).says("The webhook was deleted.")
	})
}

// deliveries looks at many deliveries of a webhook, page by page, and has one that failed sent again.
func (w *world) deliveries(ada *world, at string) {
	w.Helper()
	id := strings.TrimPrefix(at, "/admin/webhooks/")
	ada.do(at+"/retry", url.Values{}).status(409).says("Nothing of this webhook waits")
	w.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
		INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, status, error, created_at, tried_at,
			milliseconds)
		SELECT w.id, i, CASE i WHEN 1 THEN 'quokka' ELSE 'grade' END, 1, i < 150, NULL,
			CASE WHEN i > 148 THEN 'no <way>' END, w.created_at, w.created_at, 7 FROM n, webhooks w WHERE w.id = ` + id)
	w.exec(`UPDATE webhooks SET failures = 1, next_try_at = created_at WHERE id = ` + id)
	first := ada.do(at, nil).status(200).says("no &lt;way&gt;").says("Failed before: no &lt;way&gt;").says("7 ms").
		says("Send again").lacks("quokka")
	if n := strings.Count(first.Body.String(), `id="delivery-`); n != 100 {
		w.Errorf("%d rows", n)
	}
	ada.do(at+"?page=2", nil).says("quokka").says("Answered 418").lacks("Send again")
	failed := ada.do(at+"?failed=true", nil).says("Answered 418")
	if n := strings.Count(failed.Body.String(), `id="delivery-`); n != 3 {
		w.Errorf("%d rows failed", n)
	}
	ada.do(at+"/retry", url.Values{}).leadsTo(at + "?retried=true")
	ada.do(at+"?retried=true", nil).says("It is sent again now.")
	if w.one(`SELECT count(*) FROM webhooks WHERE next_try_at IS NULL AND id = `+id) != "1" {
		w.Error("it waits on")
	}
	w.exec(`DELETE FROM webhook_deliveries WHERE kind <> 'test'`)
}

// verified works until the audit log is.
func (w *world) verified() {
	w.Helper()
	qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Poll: 5 * time.Millisecond})
	w.uses.RegisterVerification(qu, jobs.Limits{})
	qu.Start(w.Context())
	defer qu.Stop(w.Context())
	waittest.Until(w, "the audit log is verified", func() bool {
		return w.one(`SELECT count(*) FROM jobs WHERE kind = 'audit verification' AND state <> 'done'`) == "0"
	})
}
