package api

import (
	"fmt"
	"strings"
	"testing"

	"lectern/internal/platform/events"
)

var _ = rights(
	rightRow{"GET /api/news", "", "users", nil},
	rightRow{"GET /api/news/unread", "", "users", nil},
	rightRow{"POST /api/news/read", "", "users", nil},
	rightRow{"GET /api/preferences", "", "users", nil},
	rightRow{"PUT /api/preferences", "", "users", nil},
	rightRow{"GET /api/home", "", "users", nil},
)

var _ = lists(
	listRow{route: "GET /api/news", who: "student", most: usualNews, fill: fill("events", func(w *world, i int) row {
		return row{"seq": 1000 + i, "kind": "status", "at": w.db.Now(), "actor_id": w.id["tutor"],
			"user_id": w.id["student"], "project_id": w.id["project:student"], "news": true, "body": "{}"}
	})},
)

// relay numbers the events that happened.
func (w *world) relay() {
	w.Helper()
	if err := events.Relay(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
}

// told lists news as kind, task and whether they are new, the newest first.
func (w *world) told(who, query string) string {
	w.Helper()
	w.relay()
	var out []string
	for _, n := range w.do(who, "GET /api/news"+query, nil).status(200).list() {
		out = append(out, fmt.Sprintf("%v %v %v", n["kind"], n["abbreviation"], n["new"]))
	}
	return strings.Join(out, ", ")
}

func (w *world) toldIs(who, want string) {
	w.Helper()
	if got := w.told(who, ""); got != want {
		w.Errorf("%s is told %q, want %q", who, got, want)
	}
}

func (w *world) unread(who string, want int) {
	w.Helper()
	w.relay()
	if got := w.do(who, "GET /api/news/unread", nil).status(200).object()["unread"]; got != float64(want) {
		w.Errorf("%s has %v unread, want %d", who, got, want)
	}
}

func TestNews(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.comment("c", "student", ownTask, "How?")
		w.ask("e", "student", ownTask, "1")
		w.toldIs("student", "") // what one did oneself is not new
		w.toldIs("tutor", "extension 1.1P true, comment 1.1P true")
		w.toldIs("tutorB", "")
		w.toldIs("mate", "")
		w.comment("d", "tutor", ownTask, "So.")
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{e}",
			form{"granted": "true"}).status(200)
		w.move("tutor", ownTask, "fix_and_resubmit")
		w.toldIs("student", "status 1.1P true, extension 1.1P true, comment 1.1P true")
		w.toldIs("tutor", "extension 1.1P true, comment 1.1P true")
		w.toldIs("convenor", "extension 1.1P true, comment 1.1P true") // staff hear of students, not of each other
		w.unread("student", 3)
		first := w.do("student", "GET /api/news?limit=1", nil).status(200)
		if n := first.Header().Get("X-Total-Count"); n != "3" {
			t.Errorf("%s in all", n)
		}
		has(t, "the newest", first.list()[0], map[string]any{"mine": true, "student": "Student Person",
			"actor": "Tutor Person", "path": fmt.Sprintf("/projects/%d/tasks/%d", w.id["project:student"], w.id["defA1"])})
		middle := w.do("student", "GET /api/news?limit=1&offset=1", nil).status(200).list()[0]
		w.do("student", "POST /api/news/read", form{"up_to": fmt.Sprintf("%.0f", middle["seq"])}).status(204)
		w.toldIs("student", "status 1.1P true, extension 1.1P false, comment 1.1P false")
		w.unread("student", 1)
		w.do("student", "POST /api/news/read", form{"up_to": "1"}).status(204) // what was read stays read
		w.unread("student", 1)
		w.do("student", "POST /api/news/read", nil).status(204)
		w.unread("student", 0)
		w.unread("tutor", 2)
		w.do("student", "POST /api/news/read", form{"up_to": "-1"}).status(400)
		w.do("student", "GET /api/news?limit=-1", nil).status(400)
	})
}

// What was never read cannot be marked as read before it happens.
func TestNewsOfTheFutureStayNew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST /api/news/read", form{"up_to": "1000000"}).status(204)
		w.comment("c", "tutor", ownTask, "Hello")
		w.unread("student", 1)
	})
}

// Whoever loses a role is told no more of the unit, and whose project is gone
// nothing of it; a deleted comment or a step on the way is no news.
func TestNewsFollowRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("c", "student", ownTask, "How?")
		w.do("student", "DELETE "+ownTask+"/comments/{c}", nil).status(204)
		w.toldIs("tutor", "comment 1.1P true")
		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		w.toldIs("student", "document 1.1P true")
		w.toldIs("tutor", "submission 1.1P true, comment 1.1P true")
		w.do("convenor", "PUT /api/projects/{project:student}", form{"grade": "80", "grade_rationale": "Good"})
		w.toldIs("student", "document 1.1P true") // a final grade is the staff's
		w.set(`UPDATE tutorials SET unit_role_id = NULL WHERE unit_role_id = $1`, w.id["role:tutor"])
		w.set(`DELETE FROM unit_roles WHERE id = $1`, w.id["role:tutor"])
		w.toldIs("tutor", "")
		w.unread("tutor", 0)
	})
}

func TestPreferences(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		read := func(who, want string) {
			t.Helper()
			o := w.do(who, "GET /api/preferences", nil).status(200).object()
			if got := fmt.Sprintf("%v %v %v", o["theme"], o["shortcuts"], o["time_zone"]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		read("student", "system true <nil>")
		w.do("student", "PUT /api/preferences", form{"theme": "dark"}).status(200)
		w.do("student", "PUT /api/preferences", `{"shortcuts": false}`).status(200)
		w.do("student", "PUT /api/preferences", form{"time_zone": "Asia/Kolkata"}).status(200)
		read("student", "dark false Asia/Kolkata")
		read("mate", "system true <nil>")
		w.do("student", "PUT /api/preferences", form{"theme": "pink"}).status(400)
		for _, zone := range []string{"Local", "Mars/Base", "../UTC"} {
			w.do("student", "PUT /api/preferences", form{"time_zone": zone}).status(400)
		}
		read("student", "dark false Asia/Kolkata")
		w.do("student", "PUT /api/preferences", `{"time_zone": null}`).status(200)
		read("student", "dark false <nil>")
		for _, who := range []string{"tutor", "convenor", "admin"} {
			w.do(who, "PUT /api/preferences", form{"time_zone": "Europe/Berlin"}).status(200)
			read(who, "system true Europe/Berlin")
		}
		w.do("", "PUT /api/preferences", form{"time_zone": "Europe/Berlin"}).status(401)
	})
}

func TestHomeOverTheAPI(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.comment("c", "tutor", ownTask, "Hello")
		w.comment("c", "student", ownTask, "Hi")
		w.asks("code")
		w.handIn("student", "defA1")
		o := w.do("student", "GET /api/home", nil).status(200).object()
		study := o["studies"].([]any)[0].(map[string]any)
		has(t, "a unit of the student", study, map[string]any{"project_id": float64(w.id["project:student"]),
			"new_comments": 1.0})
		if len(o["teaches"].([]any)) != 0 {
			t.Errorf("teaches %v", o["teaches"])
		}
		o = w.do("tutor", "GET /api/home", nil).status(200).object()
		has(t, "a unit of the tutor", o["teaches"].([]any)[0].(map[string]any), map[string]any{
			"unit_id": float64(w.id["unitA"]), "waiting": 1.0})
	})
}
