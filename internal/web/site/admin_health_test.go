package site_test

import (
	"context"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/health"
	"lectern/internal/usecase"
)

func init() {
	pages["GET /admin"] = [4]int{303, 403, 403, 403}
	pages["POST /admin/jobs/{id}/retry"] = [4]int{401, 403, 403, 403}
}

// administrator signs an administrator in.
func (w *world) administrator() *world {
	w.person("ada", policy.Admin)
	return w.as("ada")
}

// job adds a job and gives its number.
func (w *world) job(kind, state, failure string, due time.Duration) string {
	w.Helper()
	now := w.db.Now()
	var ended, why any
	if state == "dead" || state == "done" {
		ended = now
	}
	if failure != "" {
		why = failure
	}
	w.exec(`INSERT INTO jobs (kind, args, state, attempt, max_attempts, run_at, created_at, finished_at, error)
		VALUES ($1, '{}', $2, 5, 5, $3, $4, $5, $6)`, kind, state, clock.At(now.Add(due)), now, ended, why)
	return w.one(`SELECT max(id) FROM jobs`)
}

// An administrator sees at a glance what is wrong and what to do, and everybody else nothing.
func TestServiceHealth(t *testing.T) {
	each(t, func(w *world) {
		ada := w.administrator()
		var down atomic.Bool
		var hours atomic.Int64 // that pass between any two looks
		now := func() time.Time { return time.Unix(3600*hours.Add(1), 0) }
		w.uses.Program = usecase.Program{Version: "9.8.7", Started: time.Now().Add(-3 * time.Hour),
			Disk: func() (*usecase.Disk, error) { return &usecase.Disk{Free: 40 << 30, Total: 100 << 30}, nil }}
		w.uses.Checks = health.New(now, health.Check{Name: "mail",
			Look: func(context.Context) []health.Finding {
				if down.Load() {
					return []health.Finding{{What: "mail", Saw: "mail.example.edu: <refused>", Advice: "Start the server.",
						Bad: true}}
				}
				return []health.Finding{{What: "mail", Saw: "mail.example.edu takes emails"}}
			}}, health.Check{Name: "quokkas", Look: func(context.Context) []health.Finding {
			return []health.Finding{{What: "quokkas", Saw: "there are three", Advice: "Feed them.", Names: []string{"Bo"}}}
		}})
		ada.do("/admin", nil).status(200).says("Lectern 9.8.7").says("Up 3 hours").says("Schema ").says("60 <small>%").
			says("Email server").says("takes emails").says("No job needs a person").says("Feed them.").says("<bdi>Bo</bdi>").
			says("quokkas").lacks("Start the server.").says("1 of 2 OK")
		down.Store(true)
		ada.do("/admin?again=true", nil).status(200).says("&lt;refused&gt;").says("Start the server.").says("0 of 2 OK").
			lacks("<refused>")
		ada.do("/admin", nil).lacks("erasure")
		w.exec(`INSERT INTO erasures (user_id, asked_by, job_id, with_files, asked_at, due_at)
			SELECT u.id, a.id, 1, FALSE, $1, $1 FROM users u, users a WHERE u.username = 'ann' AND a.username = 'ada'`,
			w.db.Now())
		leaves, at := w.who("ann")
		ada.do("/admin", nil).says("1 erasure waits and can be cancelled.").says(`href="` + at + `"`).
			says("Will be erased on")
		w.exec(`DELETE FROM erasures WHERE user_id = ` + leaves)
		id := w.job("document", "dead", "no <room>", 0)
		w.job("similarity", "available", "", -time.Hour)
		w.job("oddity", "dead", "", 0)
		ada.do("/admin", nil).says("2 jobs failed and need a person.").says("1 job is stuck").says("Make document").
			says("no &lt;room&gt;").says("<bdi>oddity</bdi>").says("Stuck")
		ada.do("/admin/jobs/"+id+"/retry", url.Values{"back": {"health"}}).status(303).
			leadsTo("/admin?retried=true")
		ada.do("/admin?retried=true", nil).says("The job will be tried again.").says("1 job failed")
		ada.do("/admin/jobs/"+id+"/retry", url.Values{}).status(409)
	})
}
