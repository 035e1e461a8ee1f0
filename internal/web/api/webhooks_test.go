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
	rightRow{"GET /api/admin/event_log", "", "admin", nil},
)

var _ = lists(listRow{route: "GET /api/admin/webhooks", who: "admin",
	fill: fill("webhooks", func(w *world, i int) row {
		return row{"url": numbered("https://example.edu/", i), "secret": "x", "kinds": "[]", "active": false,
			"last_seq":   0,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})},
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
