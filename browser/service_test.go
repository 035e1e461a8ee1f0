package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// An administrator sees at a glance that a job failed, opens the jobs, finds it by kind and state, has it tried
// again, and it needs nobody any more. Then they add a webhook, test it at a receiver that takes it and one
// that does not, read both in its deliveries, narrow them to failures, and make a new secret, which is shown once.
func TestAnAdministratorLooksAfterJobsAndWebhooks(t *testing.T) {
	needed(t)
	var answer atomic.Int64
	answer.Store(http.StatusAccepted)
	receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(int(answer.Load()))
	}))
	defer receiver.Close()
	s := serve(t, "--allow-private-webhooks")
	s.set(t, `INSERT INTO jobs (kind, args, state, attempt, max_attempts, run_at, created_at, finished_at, error)
		SELECT 'tidy', '{}', 'dead', 10, 10, created_at, created_at, created_at, 'The disk was full.' FROM users LIMIT 1`)
	b := open(t, s, wide)
	b.signIn("aadmin")
	b.visit("/admin")
	b.awaitText("1 job failed and needs a person.")
	b.follow("a[href='/admin/jobs']")
	b.awaitText("The disk was full.")
	b.barriers("jobs")
	eval[bool](b, `(document.getElementById('kind').value = 'tidy', document.getElementById('show').value = 'dead', true)`)
	b.follow(".service-filter button")
	b.await("location.search.includes('kind=tidy') && document.querySelector('tbody form button')")
	b.follow("tbody form button")
	b.awaitText("1 job will be tried again.")
	b.visit("/admin")
	b.awaitText("No job needs a person.")

	b.visit("/admin/webhooks")
	b.fill("#url", receiver.URL)
	b.follow("main form .primary")
	b.awaitText("The webhook was added.")
	first := b.text("#secret ~ p code")
	b.follow("form[action$='/test'] button")
	b.awaitText("The receiver took the test delivery.")
	answer.Store(http.StatusTeapot)
	b.follow("form[action$='/test'] button")
	b.awaitText("The test delivery failed.")
	b.follow("a[href$='failed=true']")
	b.await("location.search === '?failed=true' && document.querySelectorAll('tbody tr').length === 1")
	b.awaitText("Answered 418")
	b.barriers("deliveries that failed")
	b.follow("a.chip.on")
	b.await("location.search === '' && document.querySelectorAll('tbody tr').length === 2")
	b.awaitText("Answered 202")
	b.follow("form[action$='/secret'] button")
	b.awaitText("The webhook has a new secret.")
	second := b.text("#secret ~ p code")
	if len(second) < 32 || second == first {
		t.Errorf("the secret was %q and is %q", first, second)
	}
	b.visit("/admin/webhooks")
	b.follow(".hooks a.title")
	b.await("document.querySelectorAll('tbody tr').length === 2")
	if text := b.text("main"); strings.Contains(text, second) || strings.Contains(text, first) {
		t.Error("a secret is shown again")
	}
}
