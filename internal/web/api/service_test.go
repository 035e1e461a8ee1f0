package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/clock"
	"lectern/internal/platform/audit"
)

var _ = rights(
	rightRow{"GET /api/admin/jobs/retry", "/api/admin/jobs/retry?kind=paint", "admin", nil},
	rightRow{"POST /api/admin/jobs/retry", "", "admin", map[string]any{"kind": "paint"}},
	rightRow{"GET /api/admin/audit/verification", "", "admin", nil},
	rightRow{"POST /api/admin/audit/verification", "", "admin", nil},
	rightRow{"POST /api/admin/webhooks/{id}/test", "/api/admin/webhooks/4711/test", "admin", nil},
)

// All dead jobs of a kind are retried after a plan that tells why they failed; of several for one purpose
// the newest, and none whose purpose is served already.
func TestManyJobsAreRetried(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := clock.At(w.now)
		w.set(`INSERT INTO jobs (kind, args, state, unique_key, max_attempts, run_at, created_at, error, unit_key) VALUES
			('paint', '{}', 'dead', NULL, 1, $1, $1, 'no brush', 7), ('paint', '{}', 'dead', NULL, 1, $1, $1, 'no brush', 0),
			('paint', '{}', 'dead', 'a', 1, $1, $1, 'no wall', 0), ('paint', '{}', 'dead', 'a', 1, $1, $1, 'no wall', 0),
			('paint', '{}', 'dead', 'b', 1, $1, $1, NULL, 0), ('paint', '{}', 'available', 'b', 1, $1, $1, NULL, 0),
			('other', '{}', 'dead', NULL, 1, $1, $1, NULL, 7)`, at)
		plan := w.do("admin", "GET /api/admin/jobs/retry?kind=paint", nil).status(200).object()
		reasons := plan["reasons"].([]any)
		if plan["jobs"] != 5.0 || len(reasons) != 3 || reasons[0].(map[string]any)["error"] != "no brush" ||
			reasons[0].(map[string]any)["jobs"] != 2.0 {
			t.Errorf("the plan: %v", plan)
		}
		if got := w.do("admin", "POST /api/admin/jobs/retry", `{"kind": "paint", "unit_id": 7}`).status(200).object(); got["jobs"] != 1.0 {
			t.Errorf("of the unit: %v", got)
		}
		if got := w.do("admin", "POST /api/admin/jobs/retry", `{"kind": "paint"}`).status(200).object(); got["jobs"] != 2.0 {
			t.Errorf("of all: %v", got)
		}
		w.do("admin", "POST /api/admin/jobs/retry", `{}`).status(400).says("kind")
		dead := w.do("admin", "GET /api/admin/jobs?state=dead&kind=paint", nil).status(200).list()
		if len(dead) != 2 {
			t.Errorf("%d are dead still: %v", len(dead), dead)
		}
		if n := w.do("admin", "GET /api/admin/jobs?unit_id=7", nil).status(200).Header().Get("X-Total-Count"); n != "2" {
			t.Errorf("the unit has %s jobs", n)
		}
		if n := w.do("admin", "GET /api/admin/jobs?attention=true", nil).status(200).Header().Get("X-Total-Count"); n != "3" {
			t.Errorf("%s need a person", n)
		}
	})
}

// The verification of the audit log is asked for once, whoever asks again.
func TestTheAuditLogIsVerified(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if got := w.do("admin", "GET /api/admin/audit/verification", nil).status(200).object(); got["asked_at"] != nil {
			t.Errorf("before: %v", got)
		}
		first := w.do("admin", "POST /api/admin/audit/verification", nil).status(200).object()
		again := w.do("admin", "POST /api/admin/audit/verification", nil).status(200).object()
		if first["asked_at"] == nil || first["finished_at"] != nil || again["asked_at"] != first["asked_at"] {
			t.Errorf("%v, then %v", first, again)
		}
		if _, err := audit.Relay(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		list := w.do("admin", "GET /api/admin/audit?kind=job", nil).status(200).list()
		if len(list) != 1 {
			t.Errorf("%d entries: %v", len(list), list)
		}
		seq := int64(list[0]["seq"].(float64))
		w.id["last"] = seq
		if got := w.do("admin", "GET /api/admin/audit?kind=job&before={last}", nil).status(200).list(); len(got) != 0 {
			t.Errorf("before the first: %v", got)
		}
	})
}

// A test delivery is signed, tells of nothing, and moves nothing; what went wrong is told in words.
func TestAWebhookIsTested(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var answer atomic.Int64
		answer.Store(204)
		receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Lectern-Event") != "test" || !strings.HasPrefix(r.Header.Get("X-Lectern-Id"), "test-") {
				t.Errorf("the receiver got %v", r.Header)
			}
			out.WriteHeader(int(answer.Load()))
		}))
		defer receiver.Close()
		w.set(`INSERT INTO webhooks (url, secret, kinds, active, last_seq, created_at, updated_at)
			VALUES ($2, 'x', '[]', FALSE, 0, $1, $1)`, clock.At(w.now), receiver.URL)
		hook := w.do("admin", "GET /api/admin/webhooks", nil).status(200).list()[0]
		w.id["hook"] = int64(hook["id"].(float64))
		try := "POST /api/admin/webhooks/{hook}/test"
		if got := w.do("admin", try, nil).status(200).object(); got["delivered"] != false ||
			!strings.Contains(got["error"].(string), "public internet") {
			t.Errorf("an inner address: %v", got)
		}
		w.api.usecases.Hooks = webhook.Guard{AllowPrivate: true}
		if got := w.do("admin", try, nil).status(200).object(); got["delivered"] != true || got["error"] != "" {
			t.Errorf("taken: %v", got)
		}
		answer.Store(500)
		if got := w.do("admin", try, nil).status(200).object(); got["delivered"] != false || got["error"] != "the receiver answered 500" {
			t.Errorf("refused: %v", got)
		}
		if after := w.do("admin", "GET /api/admin/webhooks/{hook}", nil).status(200).object(); after["failures"] != 0.0 ||
			after["last_tried_at"] != nil {
			t.Errorf("the test is noted: %v", after)
		}
		tests := w.do("admin", "GET /api/admin/webhooks/{hook}/deliveries", nil).status(200).list()
		if len(tests) != 3 {
			t.Fatalf("tests are listed: %v", tests)
		}
		has(t, "refused", tests[0], map[string]any{"kind": "test", "event": nil, "status": 500.0, "delivered": false})
		has(t, "taken", tests[1], map[string]any{"status": 204.0, "delivered": true, "error": nil, "attempts": 1.0})
		w.set(`INSERT INTO installation (name, value) VALUES ('paused', 'a copy')`)
		w.do("admin", try, nil).status(503)
	})
}

// The newest events come first, narrowed by kind and number.
func TestTheNewestEvents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`INSERT INTO events (seq, kind, at, body, news) VALUES (900001, 'grade', $1, '{}', FALSE),
			(900002, 'status', $1, '{}', FALSE)`, clock.At(w.now))
		list := w.do("admin", "GET /api/admin/event_log?newest=true", nil).status(200).list()
		if list[0]["seq"] != 900002.0 || list[1]["seq"] != 900001.0 {
			t.Errorf("the newest: %v", list[:2])
		}
		list = w.do("admin", "GET /api/admin/event_log?newest=true&kind=grade&before=900002&limit=1", nil).status(200).list()
		if len(list) != 1 || list[0]["seq"] != 900001.0 {
			t.Errorf("narrowed: %v", list)
		}
		w.do("admin", "GET /api/admin/event_log?newest=true&kind=quokka", nil).status(400)
	})
}
