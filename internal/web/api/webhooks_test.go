package api

import (
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/events"
)

var _ = rights(
	rightRow{"GET /api/admin/webhooks", "", "admin", nil},
	rightRow{"GET /api/admin/webhooks/{id}", "/api/admin/webhooks/1", "admin", nil},
	rightRow{"POST /api/admin/webhooks", "", "admin", `{"url":"https://example.edu/hook"}`},
	rightRow{"PUT /api/admin/webhooks/{id}", "/api/admin/webhooks/1", "admin", `{"active":false}`},
	rightRow{"DELETE /api/admin/webhooks/{id}", "/api/admin/webhooks/1", "admin", nil},
	rightRow{"GET /api/admin/webhooks/{id}/deliveries", "/api/admin/webhooks/4711/deliveries", "admin", nil},
	rightRow{"POST /api/admin/webhooks/{id}/retry", "/api/admin/webhooks/4711/retry", "admin", nil},
	rightRow{"GET /api/admin/event_log", "", "admin", nil},
)

var _ = lists(listRow{route: "GET /api/admin/webhooks", who: "admin",
	fill: fill("webhooks", func(w *world, i int) row {
		return row{"url": numbered("https://example.edu/", i), "secret": "x", "kinds": "[]", "active": false,
			"last_seq":   0,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})},
	listRow{route: "GET /api/admin/webhooks/{id}/deliveries", path: "/api/admin/webhooks/900/deliveries?limit=2000",
		who: "admin", fill: func(w *world, from, to int) {
			at := clock.At(w.now)
			w.set(`INSERT INTO webhooks (id, url, secret, kinds, active, last_seq, created_at, updated_at)
				VALUES (900, 'https://example.edu/', 'x', '[]', FALSE, 0, $1, $1) ON CONFLICT (id) DO NOTHING`, at)
			for i := from; i < to; i++ {
				w.put("webhook_deliveries", row{"webhook_id": 900, "seq": i + 1, "kind": "grade", "attempts": 1,
					"delivered": true, "created_at": at, "tried_at": at, "milliseconds": 7})
			}
		}},
	listRow{route: "GET /api/admin/event_log", path: "/api/admin/event_log?limit=2000", who: "admin",
		fill: fill("events", func(w *world, i int) row {
			return row{"seq": i + 1, "kind": "status", "at": clock.At(w.now), "body": "{}"}
		})})

func TestWebhooks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("admin", "POST /api/admin/webhooks",
			`{"url":"https://example.edu/hook","kinds":["grade","enrolment"]}`).status(201)
		o := made.object()
		w.id["hook"] = int64(o["id"].(float64))
		if made.Header().Get("Location") != w.path("/api/admin/webhooks/{hook}") || len(o["secret"].(string)) < 32 {
			t.Errorf("%v %v", made.Header(), o)
		}
		got := w.do("admin", "GET /api/admin/webhooks/{hook}", nil).status(200).object()
		if got["secret"] != nil || got["active"] != true || got["behind"] != 0.0 || len(got["kinds"].([]any)) != 2 {
			t.Errorf("%v", got)
		}
		if n := w.count("jobs WHERE kind = 'webhook' AND state = 'available'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
		w.do("admin", "PUT /api/admin/webhooks/{hook}", form{"kinds[]": "comment", "active": "false"}).status(200)
		if s := w.do("admin", "PUT /api/admin/webhooks/{hook}",
			`{"secret":"0123456789abcdef"}`).status(200).object()["secret"]; s != "0123456789abcdef" {
			t.Errorf("the secret is %v", s)
		}
		got = w.do("admin", "GET /api/admin/webhooks", nil).status(200).list()[0]
		if got["active"] != false || got["kinds"].([]any)[0] != "comment" {
			t.Errorf("%v", got)
		}
		for _, body := range []string{`{"url":"http://example.edu"}`, `{"url":"https://127.0.0.1/"}`,
			`{"url":"https://[::ffff:10.0.0.1]/"}`, `{"url":"https://e.edu","secret":"short"}`} {
			w.do("admin", "POST /api/admin/webhooks", body).status(422)
		}
		w.do("admin", "POST /api/admin/webhooks", `{"kinds":["x"]}`).status(400).says("url is required")
		w.do("admin", "POST /api/admin/webhooks", `{"url":"https://e.edu","kinds":["gossip"]}`).status(400).says("gossip")
		w.do("admin", "PUT /api/admin/webhooks/999", `{}`).status(404)
		w.do("admin", "DELETE /api/admin/webhooks/{hook}", nil).status(204)
		w.do("admin", "DELETE /api/admin/webhooks/{hook}", nil).status(404)
	})
}

// What was sent to a webhook is listed, the newest first, narrowed to failures and in parts; what its receiver
// did not take is sent again at once by whoever may change webhooks.
func TestDeliveriesOfAWebhook(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := clock.At(w.now)
		w.add("hook", "webhooks", row{"url": "https://example.org/h", "secret": "quokka", "kinds": "[]", "active": true,
			"last_seq": 0, "failures": 3, "next_try_at": clock.At(w.now.AddDate(1, 0, 0)), "created_at": at, "updated_at": at})
		for i, r := range []row{{"seq": 1, "kind": "grade", "delivered": true, "status": 204},
			{"seq": nil, "kind": "test", "delivered": false, "error": "the receiver answered 500", "status": 500},
			{"seq": 2, "kind": "comment", "delivered": false, "error": "the receiver refused the connection"}} {
			r["webhook_id"], r["attempts"], r["created_at"], r["tried_at"], r["milliseconds"] = w.id["hook"], i+1, at, at, 12
			w.put("webhook_deliveries", r)
		}
		const path = "GET /api/admin/webhooks/{hook}/deliveries"
		got := w.do("admin", path, nil).status(200)
		list := got.list()
		if got.Header().Get("X-Total-Count") != "3" || len(list) != 3 || strings.Contains(got.Body.String(), "quokka") {
			t.Fatalf("all: %v", list)
		}
		has(t, "the newest", list[0], map[string]any{"event": 2.0, "kind": "comment", "attempts": 3.0, "delivered": false,
			"status": nil, "error": "the receiver refused the connection", "milliseconds": 12.0})
		has(t, "a test", list[1], map[string]any{"event": nil, "kind": "test", "status": 500.0})
		has(t, "the oldest", list[2], map[string]any{"event": 1.0, "delivered": true, "error": nil})
		failed := w.do("admin", path+"?failed=true&limit=1&offset=1", nil).status(200)
		if failed.Header().Get("X-Total-Count") != "2" || failed.list()[0]["kind"] != "test" {
			t.Errorf("what failed: %s", failed.Body)
		}
		w.do("admin", path+"?limit=-1", nil).status(400)
		w.do("admin", "GET /api/admin/webhooks/4711/deliveries", nil).status(404).says("webhook")
		const retry = "POST /api/admin/webhooks/{hook}/retry"
		if got := w.do("admin", retry, nil).status(200).object(); got["next_try_at"] != nil || got["failures"] != 3.0 {
			t.Errorf("it is not tried now: %v", got)
		}
		if n := w.count("jobs WHERE kind = 'webhook' AND state = 'available'"); n != 1 {
			t.Errorf("%d jobs deliver", n)
		}
		w.do("convenor", retry, nil).status(403)
		w.set(`UPDATE webhooks SET active = FALSE`)
		w.do("admin", retry, nil).status(409).says("paused")
		w.set(`UPDATE webhooks SET active = TRUE, failures = 0`)
		w.do("admin", retry, nil).status(409).says("Nothing")
		w.do("admin", "POST /api/admin/webhooks/4711/retry", nil).status(404)
	})
}

func TestWebhooksMayAskForEveryKindOfEvent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		all := []string{"status", "submission", "comment", "enrolment", "grade", "extension", "review", "document", "portfolio",
			"marked_copy", "assessment", "deletion", "announcement"}
		for _, kind := range all {
			got := w.do("admin", "POST /api/admin/webhooks", map[string]any{"url": "https://example.edu/hook",
				"kinds": []string{kind}}).status(201).object()["kinds"].([]any)
			if len(got) != 1 || got[0] != kind {
				t.Errorf("asked for %s, got %v", kind, got)
			}
		}
		if n := len(events.Kinds()); n != len(all) {
			t.Errorf("there are %d kinds of events, and %d are tested", n, len(all))
		}
		document := w.do("", "GET /api/openapi.json", nil).status(200).Body.String()
		if list := `"enum":["` + strings.Join(all, `","`) + `"]`; !strings.Contains(document, list) {
			t.Errorf("the API's document does not list %s", list)
		}
	})
}

func TestEventLogTellsOfEnrolmentsAndGrades(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("convenor", "POST /api/projects", map[string]any{"unit_id": w.id["unitA"],
			"student_num": "outsider", "campus_id": -1}).status(201).object()
		w.do("convenor", "POST /api/projects", map[string]any{"unit_id": w.id["unitA"], "student_num": "outsider",
			"campus_id": -1}).status(201) // again: nothing happens
		if made["id"] == nil {
			t.Fatal(made)
		}
		w.do("convenor", "PUT /api/projects/{project:student}", `{"enrolled":false}`).status(200)
		w.do("convenor", "PUT /api/projects/{project:mate}",
			`{"grade":80,"old_grade":0,"grade_rationale":"good"}`).status(200)
		w.do("convenor", "PUT /api/projects/{project:mate}", `{"target_grade":1}`).status(200) // as it is
		w.do("convenor", "PUT /api/projects/{project:other}", `{"target_grade":3}`).status(200)
		if err := events.Relay(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		list := w.do("admin", "GET /api/admin/event_log", nil).status(200).list()
		var kinds []string
		for i, e := range list {
			kinds = append(kinds, e["kind"].(string))
			if e["seq"] != float64(i+1) || e["actor_id"] != float64(w.id["convenor"]) ||
				e["unit_id"] != float64(w.id["unitA"]) {
				t.Errorf("event %d: %v", i, e)
			}
		}
		if len(kinds) != 4 || kinds[0] != "enrolment" || kinds[1] != "enrolment" || kinds[2] != "grade" ||
			kinds[3] != "grade" {
			t.Fatalf("%v", list)
		}
		if list[1]["body"].(map[string]any)["enrolled"] != false || list[2]["body"].(map[string]any)["grade"] != 80.0 ||
			list[2]["user_id"] != nil {
			t.Errorf("%v", list)
		}
		after := w.do("admin", "GET /api/admin/event_log?after=2&limit=1", nil).status(200).list()
		if len(after) != 1 || after[0]["seq"] != 3.0 {
			t.Errorf("%v", after)
		}
		w.do("admin", "GET /api/admin/event_log?after=-1", nil).status(400)
		w.do("admin", "GET /api/admin/event_log?after=x", nil).status(400)
	})
}
