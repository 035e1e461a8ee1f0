package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/teaching/work"
)

var _ = rights(
	rightRow{"GET /api/units/{id}/tasks/inbox", "/api/units/{unitA}/tasks/inbox", staffA, nil},
	rightRow{"GET /api/units/{id}/feedback", "/api/units/{unitA}/feedback", staffA, nil},
	rightRow{"POST /api/tasks/{id}/pin", "/api/tasks/{task}/pin", staffA, nil},
	rightRow{"DELETE /api/tasks/{id}/pin", "/api/tasks/{task}/pin", staffA, nil},
)

var _ = lists(
	listRow{route: "GET /api/units/{id}/tasks/inbox", path: "/api/units/{unitA}/tasks/inbox", who: "tutor",
		fill: manyTasks("need_help")},
	listRow{route: "GET /api/units/{id}/feedback", path: "/api/units/{unitA}/feedback", who: "tutor",
		fill: manyTasks("need_help")},
)

// say adds a comment to student's task, read by its author.
func (w *world) say(name, as, kind string) {
	w.Helper()
	w.add(name, "task_comments", row{"task_id": w.id["task"], "unit_id": w.id["unitA"], "user_id": w.id[as],
		"recipient_id": w.id["tutor"],
		"type":         kind, "comment": "hello", "created_at": w.db.Now()})
	w.read(name, as)
}

func (w *world) read(comment, as string) {
	w.Helper()
	w.set(`INSERT INTO comment_reads (task_comment_id, user_id, read_at) VALUES ($1, $2, $3)`, w.id[comment], w.id[as],
		w.db.Now())
	w.countNews()
}

// countNews counts what a test has written past the service.
func (w *world) countNews() {
	w.Helper()
	if err := work.CheckNews(w.Context(), w.db); err != nil && !errors.Is(err, work.ErrNews) {
		w.Fatal(err)
	}
}

func TestInbox(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		inbox := func(as, more string) string {
			t.Helper()
			var out []string
			for _, o := range w.do(as, "GET /api/units/{unitA}/tasks/inbox"+more, nil).status(200).list() {
				out = append(out, w.rows(`SELECT u.username AS v FROM projects p JOIN users u ON u.id = p.user_id
					WHERE p.id = $1`, int64(o["project_id"].(float64)))...)
			}
			return strings.Join(out, " ")
		}
		expect := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		expect("nothing waits", inbox("tutor", ""), "")
		w.say("c1", "student", "text")
		w.say("c2", "student", "text")
		w.say("c3", "student", "status")
		w.do("tutor", "GET /api/units/{unitA}/tasks/inbox",
			nil).status(200).is(`[{"id":«task»,"project_id":«project:student»,"task_definition_id":«defA1»,
			"tutorial_id":«tutorialA»,"status":"not_started","completion_date":null,"submission_date":null,"times_assessed":0,"grade":null,
			"quality_pts":-1,"num_new_comments":2,"similarity_flag":false,"pinned":0,"has_extensions":0,"members":[]}]`)
		w.read("c1", "tutor")
		w.read("c2", "tutor")
		expect("all read", inbox("tutor", ""), "")
		expect("read by another", inbox("convenor", ""), "student")
		w.set(`UPDATE task_comments SET staff_read_at = $1`, w.db.Now())
		w.countNews()
		expect("read by the student's tutor", inbox("convenor", ""), "")
		if o := w.do("student", "GET /api/projects/{project:student}",
			nil).object()["tasks"].([]any)[0].(map[string]any); o["num_new_comments"] != 0.0 {
			t.Errorf("the author has %v new comments", o["num_new_comments"])
		}
		w.say("c4", "tutor", "text")
		w.set(`UPDATE task_comments SET staff_read_at = $1`, w.db.Now())
		w.countNews()
		for who, want := range map[string]float64{"student": 1, "tutor": 0, "convenor": 0} {
			if o := w.do(who, "GET /api/projects/{project:student}",
				nil).object()["tasks"].([]any)[0].(map[string]any); o["num_new_comments"] != want {
				t.Errorf("%s has %v new comments, want %v", who, o["num_new_comments"], want)
			}
		}

		w.do("mate", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		w.later(time.Minute)
		w.do("other", "PUT /api/projects/{project:other}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		w.do("student", "PUT "+ownTask, form{"trigger": "need_help"}).status(200)
		expect("oldest first", inbox("tutor", ""), "mate other student")
		w.do("tutor", "POST /api/tasks/{task}/pin", nil).status(201).is(`{"message":"The task is pinned.","task_id":«task»,"user_id":«tutor»}`)
		w.do("tutor", "POST /api/tasks/{task}/pin", nil).status(201)
		expect("pinned first", inbox("tutor", ""), "student mate other")
		expect("for who pinned", inbox("convenor", ""), "mate other student")
		page := w.do("tutor", "GET /api/units/{unitA}/tasks/inbox?limit=1&offset=1", nil).status(200)
		if len(page.list()) != 1 || page.Header().Get("X-Total-Count") != "3" {
			t.Errorf("a page: %s of %s", page.Body, page.Header().Get("X-Total-Count"))
		}
		expect("own classes", inbox("tutor", "?mine=true"), "student mate other")
		expect("no classes", inbox("convenor", "?mine=true"), "")
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete"}).status(200)
		expect("pinned, though done", inbox("tutor", ""), "student mate other")
		if list := w.do("tutor", "GET /api/units/{unitA}/feedback", nil).status(200).list(); len(list) != 2 ||
			list[0]["project_id"] != float64(w.id["project:mate"]) {
			t.Errorf("awaiting feedback: %v", list)
		}
		w.do("tutor", "DELETE /api/tasks/{task}/pin", nil).status(204)
		w.do("tutor", "DELETE /api/tasks/{task}/pin", nil).status(404)
		w.do("tutor", "POST /api/tasks/99999/pin", nil).status(404)
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:mate"])
		expect("withdrawn", inbox("tutor", ""), "other")
		w.do("tutorB", "GET /api/units/{unitB}/tasks/inbox", nil).status(200).is(`[]`)
	})
}

// T10: what a group handed in stands in the inbox once, as the row of who handed it
// in, for the tutor of any member.
func TestAGroupsSubmissionStandsInTheInboxOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE task_definitions SET group_set_id = $1 WHERE id = $2`, w.id["set"], w.id["defA1"])
		w.do("mate", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		w.do("other", "PUT /api/projects/{project:other}/task_def_id/{defA2}", form{"trigger": "rff"}).status(200)
		w.taskOf("mate")
		w.taskOf("student")
		inbox := func(as, more string) []map[string]any {
			t.Helper()
			return w.do(as, "GET /api/units/{unitA}/tasks/inbox"+more, nil).status(200).list()
		}
		whose := func(what string, list []map[string]any, want ...string) {
			t.Helper()
			var got, wanted []int64
			for _, o := range list {
				got = append(got, int64(o["project_id"].(float64)))
			}
			for _, name := range want {
				wanted = append(wanted, w.id["project:"+name])
			}
			if !slices.Equal(got, wanted) {
				t.Errorf("%s: %v, want %v", what, got, wanted)
			}
		}
		list := inbox("tutor", "")
		whose("the submitter's row", list, "mate", "other")
		for i, want := range []string{fmt.Sprintf("[%s %s]", w.pair("student"), w.pair("mate")), "[]"} {
			if got := fmt.Sprint(list[i]["members"]); got != want {
				t.Errorf("the members are %s, want %s", got, want)
			}
		}
		page := w.do("tutor", "GET /api/units/{unitA}/tasks/inbox?limit=1", nil).status(200)
		if page.Header().Get("X-Total-Count") != "2" {
			t.Errorf("the count is %s", page.Header().Get("X-Total-Count"))
		}
		whose("awaiting feedback", w.do("tutor", "GET /api/units/{unitA}/feedback", nil).status(200).list(), "mate", "other")

		// The student's class is the convenor's; the mate's is the tutor's.
		w.tutorial("LA2", "streamA", "", 5)
		w.set(`UPDATE tutorials SET unit_role_id = $1 WHERE id = $2`, w.id["role:convenor"], w.id["LA2"])
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1 WHERE project_id = $2`, w.id["LA2"],
			w.id["project:student"])
		whose("mine, by the mate", inbox("tutor", "?mine=true"), "mate", "other")
		whose("mine, by the student", inbox("convenor", "?mine=true"), "mate")

		// What is said or asked on any member's task is told at the one row, which a pin
		// on any of them lifts, and which comes down as a whole.
		w.do("tutor", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"trigger": "complete"}).status(200)
		whose("marked", inbox("convenor", ""), "other")
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Thank you"}).status(201)
		w.do("tutor", "POST /api/tasks/{task:student}/pin", nil).status(201)
		list = inbox("tutor", "")
		whose("a word by the student", list, "mate", "other")
		has(t, "the group's row", list[0], map[string]any{"num_new_comments": 1.0, "pinned": 1.0})
		w.do("tutor", "DELETE /api/tasks/{task:mate}/pin", nil).status(204)
		has(t, "the group's row", inbox("tutor", "")[0], map[string]any{"pinned": 0.0, "num_new_comments": 1.0})

		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:mate"])
		whose("the submitter withdrew", inbox("tutor", "")[:1], "student")
	})
}

// pair is a member of a group as the inbox has it.
func (w *world) pair(name string) string {
	return w.path(fmt.Sprintf("map[project_id:{project:%[1]s} task_id:{task:%[1]s}]", name))
}
