package api

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"lectern/internal/platform/events"
	"lectern/internal/teaching/presence"
)

const presenceOfStudent = ownTask + "/presence"

var _ = rights(
	rightRow{"PUT " + presencePath, presenceOfStudent, staffA, nil},
	rightRow{"DELETE " + presencePath, presenceOfStudent, staffA, nil},
)

// looks says that a person looks at a task, and checks who else does.
func (w *world) looks(as, path string, others ...string) {
	w.Helper()
	list := w.do(as, "PUT "+path, nil).status(200).object()["others"].([]any)
	got := make([]string, len(list))
	for i, o := range list {
		got[i] = o.(map[string]any)["name"].(string)
	}
	if fmt.Sprint(got) != fmt.Sprint(others) {
		w.Errorf("%s at %s sees %q, want %q", as, path, got, others)
	}
}

func TestPresence(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.looks("tutor", presenceOfStudent)
		w.looks("tutor", presenceOfStudent)
		arrived := w.db.Now()
		w.later(5 * time.Second)
		w.do("convenor", "PUT "+presenceOfStudent, nil).status(200).is(`{"others":[{"user_id":«tutor»,
			"name":"Tutor Person","since":"` + arrived.String() + `"}],"renew":15}`)
		w.looks("tutor", presenceOfStudent, "Convenor Person")
		if w.count("presences WHERE user_id = $1 AND seen_at = $2", w.id["tutor"], arrived) != 1 {
			t.Error("what was said a moment ago was written again")
		}
		w.later(40 * time.Second)
		w.looks("tutor", presenceOfStudent, "Convenor Person") // 45 s after the first time
		w.later(6 * time.Second)
		w.looks("convenor", presenceOfStudent, "Tutor Person")
		if w.count("presences WHERE user_id = $1 AND since = $2", w.id["tutor"], arrived) != 0 {
			t.Error("who was away for 45 s is said to have been there")
		}
		w.looks("admin", "/api/projects/{project:student}/task_def_id/{defA2}/presence") // another task, without a row
		w.do("tutor", "DELETE "+presenceOfStudent, nil).status(204)
		w.do("tutor", "DELETE "+presenceOfStudent, nil).status(204)
		w.looks("convenor", presenceOfStudent)
		w.later(11 * time.Minute)
		w.looks("convenor", presenceOfStudent)
		if n := w.count("presences"); n != 1 {
			t.Errorf("%d rows are kept", n)
		}
	})
}

// Whoever looks at the work of a group looks at that of all its members.
func TestPresenceAtAGroupsWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.otherTasks()
		w.id["submission"] = w.add("", "group_submissions", row{"unit_group_id": w.id["group"],
			"task_definition_id": w.id["defA1"], "submitted_by_project_id": w.id["project:student"],
			"created_at": w.db.Now()})
		w.set(`UPDATE tasks SET group_submission_id = $1 WHERE id IN ($2, $3)`, w.id["submission"], w.id["task"],
			w.id["task:mate"])
		w.looks("tutor", presenceOfStudent)
		w.looks("convenor", memberTask+"/presence", "Tutor Person")
		w.looks("tutor", memberTask+"/presence", "Convenor Person")
		w.looks("both", "/api/projects/{project:withdrawn}/task_def_id/{defA1}/presence")
		of, err := presence.Of(t.Context(), w.db.Pool(), w.id["convenor"], []int64{w.id["task"], w.id["task:mate"],
			w.id["task:withdrawn"], w.id["task:both"], 4711})
		if err != nil {
			t.Fatal(err)
		}
		for task, want := range map[string]int64{"task": w.id["tutor"], "task:mate": w.id["tutor"],
			"task:withdrawn": w.id["both"]} {
			if list := of[w.id[task]]; len(list) != 1 || list[0].UserID != want {
				t.Errorf("%s is looked at by %v", task, list)
			}
		}
		if len(of) != 3 {
			t.Errorf("%v", of)
		}
	})
}

// Others on the staff hear of arriving and leaving, wherever they are connected;
// nobody else does, and nothing of it is kept.
func TestPresenceIsHeardByTheStaff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.otherTasks()
		one, two := w.instance(t, time.Minute), w.instance(t, time.Minute)
		staff := []*client{w.connect(t, one, "convenor", "", ""), w.connect(t, two, "both", "", "")}
		rest := []*client{w.connect(t, one, "student", "", ""), w.connect(t, two, "mate", "", ""),
			w.connect(t, two, "tutorB", "", "")}
		for _, c := range append(staff, rest...) {
			c.expect("ready")
		}
		kept := w.count("events")
		said := func(c *client, action string) {
			t.Helper()
			var e struct {
				events.Event
				Body struct {
					Action, Name string
					DefinitionID int64 `json:"task_definition_id"`
				} `json:"body"`
			}
			h := c.expect("presence")
			if err := json.Unmarshal([]byte(h.data), &e); err != nil || e.Body.Action != action ||
				e.Body.Name != "Tutor Person" || e.ActorID != w.id["tutor"] || e.TaskID != w.id["task"] ||
				e.Body.DefinitionID != w.id["defA1"] || e.UserID != 0 {
				t.Errorf("heard %s, want %s: %v", h.data, action, err)
			}
		}
		// Of what concerns one of them as a student, only the other hears.
		w.looks("tutor", "/api/projects/{project:both}/task_def_id/{defA1}/presence")
		staff[0].expect("presence")
		w.looks("tutor", presenceOfStudent)
		for _, c := range staff {
			said(c, "arrived")
		}
		w.looks("tutor", presenceOfStudent)
		w.do("tutor", "DELETE "+presenceOfStudent, nil).status(204)
		for _, c := range staff {
			said(c, "left")
		}
		if n := w.count("events"); n != kept {
			t.Errorf("%d events are kept of it", n-kept)
		}
		w.comment("c", "tutor", ownTask, "Hello")
		w.comment("m", "mate", memberTask, "Mine")
		w.comment("b", "studentB", "/api/projects/{project:studentB}/task_def_id/{defB1}", "Mine")
		for _, c := range rest {
			c.expect("comment")
		}
	})
}

// Who is not heard of for 45 s has left.
func TestPresenceEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		source := presence.Source(w.db)
		expect := func(want ...string) {
			t.Helper()
			list, err := source(t.Context())
			if err != nil || len(list) != len(want) {
				t.Fatalf("%+v %v, want %v", list, err, want)
			}
			for i, e := range list {
				if got := fmt.Sprintf("%+v", e.Body); got[:len(want[i])] != want[i] || e.HiddenFrom != w.id["student"] {
					t.Errorf("%s of %d, want %s", got, e.HiddenFrom, want[i])
				}
			}
		}
		expect()
		w.looks("tutor", presenceOfStudent)
		expect("{Action:arrived")
		if list, err := presence.Source(w.db)(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("of who came before the first look is told: %+v %v", list, err)
		}
		w.later(44 * time.Second)
		expect()
		w.later(2 * time.Second)
		expect("{Action:left")
		expect()
	})
}

// A heartbeat makes no answer stale that clients poll.
func TestPresenceLeavesTheInboxAsItIs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const inbox = "/api/units/{unitA}/tasks/inbox"
		tag := w.poll("tutor", inbox, "").status(200).Header().Get("ETag")
		if tag == "" {
			t.Fatal("no ETag")
		}
		w.looks("tutor", presenceOfStudent)
		w.later(20 * time.Second)
		w.looks("tutor", presenceOfStudent)
		w.poll("tutor", inbox, tag).status(304)
	})
}
