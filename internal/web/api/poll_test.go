package api

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// polled are the answers that clients ask for again and again, by who asks.
var polled = map[string][]string{
	"/api/units/{unitA}":                     {"admin", "convenor", "tutor", "student", "both"},
	"/api/projects/{project:student}":        {"convenor", "tutor", "student"},
	"/api/units/{unitA}/tasks/inbox":         {"convenor", "tutor", "both"},
	"/api/units/{unitA}/tasks/inbox?limit=1": {"convenor", "tutor"},
	"/api/projects/{project:both}":           {"tutor", "both"},
}

// poll asks with a tag, which may be empty.
func (w *world) poll(as, path, tag string) *answered {
	w.Helper()
	return w.do(as, "GET "+path, nil, "If-None-Match", tag)
}

// shown is what an answer tells, with how many rows there are in all.
func shown(a *answered) string { return a.Header().Get("X-Total-Count") + a.Body.String() }

// changes are what the polled answers show, changed one at a time, and what they
// depend on without showing it.
var changes = []string{
	`UPDATE units SET name = 'Another'`, `UPDATE units SET description = 'More'`, `UPDATE units SET active = FALSE`,
	`UPDATE units SET active = TRUE`, `UPDATE units SET allow_student_extension_requests = FALSE`,
	`UPDATE units SET send_notifications = NOT send_notifications`,
	`UPDATE users SET first_name = 'Changed' WHERE username = 'tutor'`,
	`UPDATE users SET nickname = 'Nick' WHERE username = 'student'`,
	`UPDATE tutorials SET meeting_location = 'Elsewhere'`, `UPDATE tutorials SET capacity = 3`,
	`UPDATE tutorial_streams SET name = 'Seminar'`, `UPDATE task_definitions SET description = 'Now do that'`,
	`UPDATE task_definitions SET target_date = due_date WHERE due_date IS NOT NULL`,
	`UPDATE task_definitions SET weighting = 9`, `UPDATE learning_outcomes SET description = 'To know'`,
	`UPDATE group_sets SET locked = TRUE`, `UPDATE unit_groups SET name = 'The Others'`,
	`UPDATE group_memberships SET active = FALSE`, `UPDATE projects SET target_grade = 3`,
	`UPDATE projects SET submitted_grade = 2`, `UPDATE projects SET grade = 77, grade_rationale = 'Good'`,
	`UPDATE projects SET red_pct = 0.5, order_scale = 3`, `UPDATE projects SET compile_portfolio = TRUE`,
	`UPDATE tasks SET status = 'ready_for_feedback'`, `UPDATE tasks SET times_assessed = 4`,
	`UPDATE tasks SET extensions = 1`, `UPDATE tasks SET quality_pts = 2`, `UPDATE tasks SET grade = 1`,
	`UPDATE tasks SET submission_date = updated_at`, `UPDATE tasks SET new_to_staff = 5`,
	`UPDATE tasks SET new_to_student = 2`, `UPDATE tasks SET include_in_portfolio = FALSE`,
	`INSERT INTO task_pins (task_id, user_id) SELECT t.id, u.id FROM tasks t, users u WHERE u.username = 'tutor'`,
	`DELETE FROM task_pins`, `DELETE FROM tutorial_enrolments`,
	`UPDATE unit_roles SET role = 3 WHERE user_id = (SELECT id FROM users WHERE username = 'tutor')`,
	`UPDATE users SET role = 3 WHERE username = 'tutor'`, `UPDATE campuses SET active = NOT active`,
	`UPDATE tasks SET status = 'complete'`, `UPDATE tasks SET new_to_staff = 0`, `UPDATE mails SET subject = subject`,
}

// A client that polls is told at once of everything that is shown to it, and
// only of that.
func TestPolledAnswersAreNeverStale(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
		tags, bodies := map[string]string{}, map[string]string{}
		look := func(after string) (changed int) {
			for path, people := range polled {
				for _, who := range people {
					key := who + path
					full, again := w.poll(who, path, ""), w.poll(who, path, tags[key])
					body, tag := shown(full), full.Header().Get("ETag")
					switch {
					case full.Code != 200 || tag == "" || full.Header().Get("Cache-Control") != "private, no-cache":
						t.Fatalf("%s %s: %d, %v", who, path, full.Code, full.Header())
					case body == bodies[key] && (again.Code != 304 || again.Body.Len() > 0 || tag != tags[key]):
						t.Errorf("after %s, %s has %s already, but: %d", after, who, path, again.Code)
					case body != bodies[key] && (again.Code != 200 || shown(again) != body || tag == tags[key]):
						t.Errorf("after %s, %s is not told of what is new at %s: %d", after, who, path, again.Code)
					case body != bodies[key]:
						changed++
					}
					// Twice, the second time with nothing written in between.
					for range 2 {
						if a := w.poll(who, path, `"x", `+tag); a.Code != 304 || a.Header().Get("ETag") != tag {
							t.Errorf("after %s, %s asks again for %s: %d", after, who, path, a.Code)
						}
					}
					tags[key], bodies[key] = tag, body
				}
			}
			return changed
		}
		look("nothing")
		seen := 0
		for _, text := range changes {
			w.set(text)
			if look(text) > 0 {
				seen++
			}
		}
		if seen < len(changes)*3/4 {
			t.Errorf("only %d of %d changes were shown to anybody", seen, len(changes))
		}
	})
}

// Who may no longer see an answer is not told that it is the one they have.
func TestPollingAsksForTheRight(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/units/{unitA}/tasks/inbox"
		tag := w.poll("tutor", path, "").Header().Get("ETag")
		if a := w.poll("tutor", path, tag); a.Code != 304 {
			t.Fatalf("got %d", a.Code)
		}
		if a := w.poll("convenor", path, tag); a.Code != 200 {
			t.Errorf("another's tag: %d", a.Code)
		}
		if a := w.poll("student", path, tag); a.Code != 403 || a.Header().Get("ETag") != "" {
			t.Errorf("a student with the tag: %d", a.Code)
		}
		w.set(`UPDATE tutorials SET unit_role_id = NULL`)
		w.set(`DELETE FROM unit_roles WHERE user_id = $1`, w.id["tutor"])
		if a := w.poll("tutor", path, tag); a.Code != 403 {
			t.Errorf("no longer a tutor: %d", a.Code)
		}
		w.set(`DELETE FROM sessions`)
		if a := w.poll("convenor", path, tag); a.Code != 401 {
			t.Errorf("signed out: %d", a.Code)
		}
	})
}

// A page of the inbox that stays as it is, is another one all the same when the inbox
// has become longer.
func TestPolledPagesTellTheirTotal(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
		w.set(`UPDATE tasks SET status = 'not_started', new_to_staff = 0`)
		const path = "/api/units/{unitA}/tasks/inbox?limit=1&offset=100"
		before := w.poll("tutor", path, "").status(200)
		tag := before.Header().Get("ETag")
		w.poll("tutor", path, tag).status(304)
		w.set(`UPDATE tasks SET status = 'ready_for_feedback'`)
		after := w.poll("tutor", path, tag).status(200)
		if was, is := before.Header().Get("X-Total-Count"), after.Header().Get("X-Total-Count"); was != "0" || is == "0" ||
			after.Body.String() != before.Body.String() {
			t.Errorf("%s tasks, then %s: %s", was, is, after.Body)
		}
		w.poll("tutor", path, after.Header().Get("ETag")).status(304)
	})
}

// Who has the answer already costs the check and one statement more: of a unit, which
// is kept, two.
func TestNotModifiedIsCheap(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for path, people := range polled {
			want := int64(2)
			if path == "/api/units/{unitA}" {
				want = 3
			}
			for _, who := range people {
				tag := w.poll(who, path, "").status(200).Header().Get("ETag")
				w.poll(who, path, tag).status(304) // the first with a tag learns the version
				r := w.request(who, "GET "+path, nil)
				r.Header.Set("If-None-Match", tag)
				ctx, n := db.Counting(r.Context(), nil)
				w.send(r.WithContext(ctx), who+" "+path).status(304)
				if n.N() > want {
					t.Errorf("%s gets 304 of %s for %d statements", who, path, n.N())
				}
			}
		}
	})
}

func TestLargeAnswersAreCompressed(t *testing.T) {
	w := newWorld(t, "sqlite")
	fillUsers(policy.Student)(w, 0, 300)
	plain := w.do("admin", "GET /api/users", nil)
	for accept, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "br": false} {
		a := w.do("admin", "GET /api/users", nil, "Accept-Encoding", accept)
		if got := a.Header().Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%s: compressed %v", accept, got)
			continue
		}
		body := a.Body.String()
		if packed {
			z, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(z)
			if err != nil || len(body) > len(b)/2 {
				t.Errorf("%d bytes became %d: %v", len(b), len(body), err)
			}
			body = string(b)
		}
		if body != plain.Body.String() || !strings.Contains(a.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: another answer, %v", accept, a.Header())
		}
	}
	if a := w.do("admin", "GET /api/campuses", nil, "Accept-Encoding", "gzip"); a.Code != 200 ||
		a.Header().Get("Content-Encoding") != "" {
		t.Errorf("a small answer: %v", a.Header())
	}
}
