package api

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/stats"
)

const (
	ownTask  = "/api/projects/{project:student}/task_def_id/{defA1}"
	readersA = "student " + staffA
)

var _ = rights(
	rightRow{"GET /api/tasks", "/api/tasks?unit_id={unitA}", membersA, nil},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{task_def_id}/tasks",
		"/api/units/{unitA}/task_definitions/{defA1}/tasks", staffA, nil},
	rightRow{"PUT /api/projects/{id}/task_def_id/{task_definition_id}", ownTask, readersA,
		`{"trigger":"working_on_it"}`},
	rightRow{"GET /api/projects/{project_id}/refresh_tasks/{task_definition_id}",
		"/api/projects/{project:student}/refresh_tasks/{defA1}", readersA, nil},
	rightRow{"GET /api/projects/{id}/task_def_id/{task_definition_id}/due", ownTask + "/due", readersA, nil},
)

// manyTasks gives each of many new students of unit A a task.
func manyTasks(status string) func(w *world, from, to int) {
	return func(w *world, from, to int) {
		now := w.db.Now()
		w.fill("users", from, to, func(i int) row {
			name := numbered("n", i)
			return row{"username": name, "username_key": name, "email": name, "email_key": name, "first_name": "N",
				"last_name": "N", "nickname": "n",
				"role": 1, "created_at": now, "updated_at": now}
		})
		w.set(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT CAST($1 AS BIGINT), u.id,
			u.created_at, u.created_at
			FROM users u WHERE u.nickname = 'n' AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.user_id = u.id)`,
			w.id["unitA"])
		w.set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at, updated_at)
			SELECT p.id, d.id, p.unit_id, $2, p.created_at, p.created_at FROM projects p
			JOIN users u ON u.id = p.user_id AND u.nickname = 'n'
			JOIN task_definitions d ON d.id = $1 WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.project_id = p.id)`,
			w.id["defA1"], status)
	}
}

var _ = lists(
	listRow{route: "GET /api/tasks", path: "/api/tasks?unit_id={unitA}", who: "tutor", fill: manyTasks("redo")},
	listRow{route: "GET /api/units/{unit_id}/task_definitions/{task_def_id}/tasks",
		path: "/api/units/{unitA}/task_definitions/{defA1}/tasks",
		who:  "tutor", fill: manyTasks("redo")},
)

// move asks for a status of student's first task and tells the status it has.
func (w *world) move(as, path, trigger string) string {
	w.Helper()
	return w.do(as, "PUT "+path, form{"trigger": trigger}).status(200).object()["status"].(string)
}

// define changes the first definition of unit A.
func (w *world) define(set string, args ...any) {
	w.Helper()
	w.set(`UPDATE task_definitions SET `+set+` WHERE id = `+w.path("{defA1}"), args...)
}

// later moves the world's clock on.
func (w *world) later(d time.Duration) { w.now = w.now.Add(d) }

func TestMoveATask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		due := w.monday().AddDays(7).String()
		w.do("student", "PUT "+ownTask, form{"trigger": "Working on it"}).status(200).is(`{"id":«task»,"project_id":«project:student»,
			"task_definition_id":«defA1»,"status":"working_on_it","due_date":"` + due +
			`","submission_date":null,"completion_date":null,
			"extensions":0,"times_assessed":0,"grade":null,"quality_pts":-1,"include_in_portfolio":true,
			"new_stats":"{\"red_pct\":0,\"grey_pct\":1,\"orange_pct\":0,\"blue_pct\":0,\"green_pct\":0,\"order_scale\":0}"}`)
		o := w.do("student", "PUT "+ownTask, form{"trigger": "rtm",
			"include_in_portfolio": "false"}).status(200).object()
		if o["status"] != "ready_for_feedback" || o["submission_date"] == nil || o["include_in_portfolio"] != false {
			t.Errorf("handed in: %v", o)
		}
		if got := statsIn(t, o); got["blue_pct"] != 0.5 || got["grey_pct"] != 0.5 {
			t.Errorf("statistics %v", got)
		}
		o = w.do("tutor", "PUT "+ownTask, form{"trigger": "discuss"}).status(200).object()
		if o["status"] != "discuss" || o["times_assessed"] != 1.0 || o["completion_date"] == nil {
			t.Errorf("marked: %v", o)
		}
		// The end of the week completes what was to be discussed, and nothing else.
		w.do("student", "PUT /api/projects/{project:student}/task_def_id/{defA2}",
			form{"trigger": "need_help"}).status(200)
		w.do("student", "PUT /api/projects/{project:student}", form{"trigger": "trigger_week_end"}).status(403)
		w.do("tutor", "PUT /api/projects/{project:student}", form{"trigger": "nonsense"}).status(400)
		w.do("tutor", "PUT /api/projects/{project:student}", form{"trigger": "trigger_week_end"}).status(200)
		if got := w.statuses("student"); got != "complete need_help" {
			t.Errorf("after the week: %s", got)
		}
		history := w.rows(`SELECT from_status || ' > ' || to_status AS v FROM task_history WHERE task_id = $1
			ORDER BY id`, w.id["task"])
		if got := strings.Join(history, ", "); got != "not_started > working_on_it, working_on_it > "+
			"ready_for_feedback, ready_for_feedback > discuss, discuss > complete" {
			t.Errorf("history %s", got)
		}
		if n := w.count(`events WHERE kind = 'status' AND task_id = $1 AND user_id = $2 AND unit_id = $3`, w.id["task"],
			w.id["student"], w.id["unitA"]); n != 4 {
			t.Errorf("%d events, want 4", n)
		}
		if n := w.count(`task_comments c WHERE c.type = 'status' AND c.task_id = $1 AND 2 = (SELECT count(*)
			FROM comment_reads r WHERE r.task_comment_id = c.id)`, w.id["task"]); n != 4 {
			t.Errorf("%d status comments read by both, want 4", n)
		}
		// The statistics follow the target grade.
		if p := w.do("tutor", "PUT /api/projects/{project:student}",
			form{"target_grade": "0"}).status(200).object(); p["stats"].(map[string]any)["green_pct"] != 1.0 {
			t.Errorf("after another target grade: %v", p["stats"])
		}
	})
}

// statsIn reads the statistics an answer carries as text.
func statsIn(t *testing.T, o map[string]any) (got map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(o["new_stats"].(string)), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// statuses lists those of a student's tasks by definition.
func (w *world) statuses(student string) string {
	w.Helper()
	return strings.Join(w.rows(`SELECT status AS v FROM tasks WHERE project_id = $1 ORDER BY task_definition_id`,
		w.id["project:"+student]), " ")
}

func TestARefusedMoveChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			as, body string
			want     int
			says     string
		}{
			{"student", `{"trigger":"nonsense"}`, 400, "not a task status"},
			{"student", `{"trigger":"complete"}`, 403, "teaching staff"},
			{"student", `{"trigger":"fail"}`, 403, "teaching staff"},
			{"student", `{"trigger":"working_on_it","grade":3}`, 403, "grade"},
			{"student", `{"grade":3}`, 403, "grade"},
			{"student", `{"quality_pts":3}`, 403, "quality"},
			{"student", `{"trigger":"need_help","quality_pts":3}`, 403, "quality"},
			{"tutor", `{"trigger":"discuss","grade":4}`, 400, "grade"},
			{"tutor", `{"grade":"A"}`, 400, "grade"},
			{"tutor", `{"trigger":"complete"}`, 400, "grade"},
			{"tutor", `{"trigger":"complete","grade":2}`, 400, "quality_pts"},
			{"tutor", `{"trigger":"complete","grade":2,"quality_pts":6}`, 400, "quality_pts"},
			{"student", `{"trigger":"ready_for_feedback"}`, 403, "Upload"},
			{"tutor", `{"trigger":"ready_for_feedback"}`, 403, "Upload"},
			{"tutor", `{"quality_pts":6}`, 400, "quality_pts"},
		} {
			w.define(`is_graded = TRUE, max_quality_pts = 5, upload_requirements = '[{"key":"file0","name":"x","type":"code"}]'`)
			w.do(c.as, "PUT "+ownTask, c.body).status(c.want).says(c.says)
		}
		if got := w.statuses("student"); got != "not_started" || w.count(`task_history`)+w.count(`task_comments`)+
			w.count(`events`) != 0 {
			t.Errorf("something was written: %s", got)
		}
		// A closed task is the staff's, and a restricted one once they spoke.
		w.do("tutor", "PUT "+ownTask, `{"trigger":"complete","grade":2,"quality_pts":5}`).status(200)
		w.do("student", "PUT "+ownTask, `{"trigger":"working_on_it"}`).status(409).says("closed")
		w.move("tutor", ownTask, "redo")
		w.define(`restrict_status_updates = TRUE`)
		w.do("student", "PUT "+ownTask, `{"trigger":"working_on_it"}`).status(409).says("only teaching staff")
		w.define(`restrict_status_updates = FALSE`)
		w.move("student", ownTask, "in_progress")

		// A group task needs a group, whoever moves it; nothing is written of a refused one.
		w.define(`group_set_id = $1`, w.id["set"])
		for _, who := range []string{"other", "tutor"} {
			w.do(who, "PUT /api/projects/{project:other}/task_def_id/{defA1}",
				`{"trigger":"need_help"}`).status(403).says("group")
		}
		// An update without anything in it changes nothing.
		if o := w.do("other", "PUT /api/projects/{project:other}/task_def_id/{defA1}",
			`{}`).status(200).object(); o["id"] != nil || o["status"] != "not_started" {
			t.Errorf("an empty update: %v", o)
		}
		if n := w.count(`tasks WHERE project_id = $1`, w.id["project:other"]); n != 0 {
			t.Errorf("%d rows of a task nobody touched", n)
		}
		// Nor does the portfolio of one make rows for the group.
		w.do("student", "PUT "+ownTask, `{"include_in_portfolio":false}`).status(200)
		if n := w.count(`tasks WHERE project_id = $1`, w.id["project:mate"]); n != 0 {
			t.Errorf("%d rows of mate's task", n)
		}
		w.do("student", "PUT /api/projects/{project:student}/task_def_id/{defB1}",
			`{"trigger":"need_help"}`).status(404)
		w.do("student", "PUT /api/projects/{project:student}/task_def_id/x", `{"trigger":"need_help"}`).status(404)
	})
}

func TestNobodyMarksTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		own := "/api/projects/{project:both}/task_def_id/{defA1}"
		w.define(`is_graded = TRUE`)
		for _, body := range []string{`{"trigger":"complete","grade":3}`, `{"grade":3}`, `{"trigger":"discuss"}`,
			`{"trigger":"redo"}`} {
			w.do("both", "PUT "+own, body).status(403)
		}
		w.do("both", "PUT /api/projects/{project:both}", form{"trigger": "trigger_week_end"}).status(403)
		w.move("both", own, "ready_for_feedback")
		w.do("both", "GET /api/units/{unitA}/tasks/inbox", nil).status(200).is(`[]`)

		// Not even through the group: both joins the team of student and mate.
		w.define(`group_set_id = $1`, w.id["set"])
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:both"]})
		w.do("both", "PUT "+ownTask, `{"trigger":"complete","grade":3}`).status(403).says("a group you are in")
		if n := w.count(`tasks WHERE status = 'complete'`); n != 0 {
			t.Errorf("%d tasks of the group are complete", n)
		}
		if n := w.count(`tasks WHERE project_id = $1 AND grade IS NOT NULL`, w.id["project:both"]); n != 0 {
			t.Error("both graded their own task")
		}
		// A colleague may.
		w.do("tutor", "PUT "+own, `{"trigger":"complete","grade":1}`).status(200)
		if got := w.statuses("both"); got != "complete" {
			t.Errorf("both: %s", got)
		}
	})
}

func TestLateWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define(`is_graded = TRUE`)
		due := w.monday().AddDays(7)
		w.now = due.AddDays(1).Add(11*time.Hour + 59*time.Minute) // the due day ends at noon UTC anywhere on earth
		if got := w.move("student", ownTask, "ready_for_feedback"); got != "ready_for_feedback" {
			t.Errorf("in the last minute: %s", got)
		}
		w.later(2 * time.Minute)
		if got := w.move("student", ownTask, "ready_for_feedback"); got != "time_exceeded" {
			t.Errorf("too late: %s", got)
		}
		want := "student:Ready for Feedback>tutor student:Ready for Feedback>tutor tutor:Time Exceeded>student"
		if got := strings.Join(w.rows(`SELECT a.username || ':' || c.comment || '>' || b.username AS v
			FROM task_comments c JOIN users a ON a.id = c.user_id
			JOIN users b ON b.id = c.recipient_id WHERE c.task_id = $1 ORDER BY c.id`, w.id["task"]),
			" "); got != want {
			t.Errorf("comments %s", got)
		}
		if n := w.count(`comment_reads`); n != 6 {
			t.Errorf("%d receipts, want 6", n)
		}
		if n := w.count(`task_history WHERE assessed`); n != 0 {
			t.Errorf("%d assessments by nobody", n)
		}
		if n := w.count(`tasks WHERE id = $1 AND grade = -1 AND failed_for_lateness`, w.id["task"]); n != 1 {
			t.Error("no fail for lateness")
		}
		// A unit may say whose clock counts.
		w.set(`UPDATE units SET time_zone = 'Pacific/Kiritimati'`)
		w.now = due.Add(10*time.Hour + time.Minute)
		if got := w.move("mate", "/api/projects/{project:mate}/task_def_id/{defA1}",
			"ready_for_feedback"); got != "time_exceeded" {
			t.Errorf("a day that has ended in Kiritimati: %s", got)
		}
		w.do("mate", "GET /api/projects/{project:mate}/task_def_id/{defA1}/due", nil).status(200)
	})
}

func TestDueExplained(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		monday := w.monday()
		w.set(`UPDATE tasks SET extensions = 1 WHERE id = $1`, w.id["task"])
		o := w.do("student", "GET "+ownTask+"/due", nil).status(200).object()
		for name, want := range map[string]any{"target_date": monday.AddDays(7).String(), "extensions": 1.0,
			"due_date": monday.AddDays(14).String(),
			"deadline": monday.AddDays(28).String(), "ends_at": monday.AddDays(15).String() + "T11:59:59.000Z",
			"weeks_can_extend": 2.0} {
			if o[name] != want {
				t.Errorf("%s is %v, want %v", name, o[name], want)
			}
		}
		w.do("tutor", "GET /api/projects/{project:student}/refresh_tasks/{defA1}",
			nil).status(200).is(`{"task_definition_id":«defA1»,
			"status":"not_started","due_date":"` + monday.AddDays(14).String() + `T00:00:00.000Z","extensions":1}`)
		// A task nobody has touched is not_started all the same.
		w.do("mate", "GET /api/projects/{project:mate}/refresh_tasks/{defA1}",
			nil).status(200).is(`{"task_definition_id":«defA1»,
			"status":"not_started","due_date":"` + monday.AddDays(7).String() + `T00:00:00.000Z","extensions":0}`)
		if n := w.count(`tasks`); n != 1 {
			t.Errorf("reading made %d rows", n)
		}
	})
}

func TestGroupWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		memberTask := "/api/projects/{project:mate}/task_def_id/{defA1}"
		both := func() string { return w.statuses("student") + " " + w.statuses("mate") }
		w.define(`group_set_id = $1, is_graded = TRUE, max_quality_pts = 5`, w.id["set"])
		w.move("student", ownTask, "need_help")
		if got := both(); got != "need_help not_started" {
			t.Errorf("a cry for help is one's own: %s", got)
		}
		if n := w.count(`tasks WHERE contribution_pct = 50 AND group_submission_id IS NOT NULL`); n != 2 {
			t.Errorf("%d equal shares", n)
		}
		w.set(`UPDATE tasks SET extensions = 2 WHERE project_id = $1`, w.id["project:mate"])
		w.move("student", ownTask, "ready_for_feedback")
		if got := both(); got != "ready_for_feedback ready_for_feedback" || w.count(`tasks WHERE extensions = 2`) != 1 {
			t.Errorf("handed in together: %s", got)
		}
		o := w.do("tutor", "PUT "+memberTask, form{"trigger": "discuss", "grade": "2",
			"quality_pts": "4"}).status(200).object()
		others := o["other_projects"].([]any)
		if len(others) != 1 || others[0].(map[string]any)["id"] != float64(w.id["project:student"]) ||
			statsIn(t, others[0].(map[string]any))["green_pct"] != 0.5 {
			t.Errorf("others %v", others)
		}
		if got := both(); got != "discuss discuss" || w.count(`tasks WHERE grade = 2 AND quality_pts = 4`) != 2 {
			t.Errorf("marked together: %s", got)
		}
		if n := w.count(`task_comments WHERE type = 'status' AND status = 'discuss'`); n != 1 {
			t.Errorf("%d comments on one mark", n)
		}
		if n := w.count(`events WHERE user_id = $1`, w.id["student"]); n != 3 {
			t.Errorf("student hears of %d moves, want 3", n)
		}
		// Who left the team is still marked with it, but no student reaches them.
		w.set(`UPDATE group_memberships SET active = FALSE WHERE project_id = $1`, w.id["project:mate"])
		w.do("tutor", "PUT "+ownTask, form{"trigger": "redo"}).status(200)
		if got := both(); got != "redo redo" {
			t.Errorf("after mate left: %s", got)
		}
		w.move("student", ownTask, "ready_for_feedback")
		if got := both(); got != "ready_for_feedback redo" {
			t.Errorf("a student moved someone who has left: %s", got)
		}
		w.do("mate", "PUT "+memberTask, form{"trigger": "ready_for_feedback"}).status(403)
		// Other joins after the team is done: their work stands alone.
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete"}).status(200)
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:other"]})
		w.move("other", "/api/projects/{project:other}/task_def_id/{defA1}", "ready_for_feedback")
		if got := w.statuses("student") + " " + w.statuses("other"); got != "complete ready_for_feedback" {
			t.Errorf("a late member: %s", got)
		}
		if n := w.count(`tasks WHERE contribution_pct = 100 AND project_id = $1`, w.id["project:other"]); n != 1 {
			t.Error("the late member's work is not their own")
		}
	})
}

func TestTwoMoveAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		t.Run("in a group", func(t *testing.T) {
			w.define(`group_set_id = $1`, w.id["set"])
			moveAtOnce(t, w, ownTask, "/api/projects/{project:mate}/task_def_id/{defA1}")
			if n := w.count(`group_submissions`); n != 1 {
				t.Errorf("%d group submissions", n)
			}
		})
		t.Run("alone, before there is a row", func(t *testing.T) {
			moveAtOnce(t, w, "/api/projects/{project:student}/task_def_id/{defA2}",
				"/api/projects/{project:student}/task_def_id/{defA2}")
		})
	})
}

// moveAtOnce lets staff and the student move tasks that belong together, all at
// the same time: every move counts, and only the student's may come too late.
func moveAtOnce(t *testing.T, w *world, first, second string) {
	before := w.count(`task_comments`)
	moves := []struct{ as, path, word string }{
		{"tutor", first, "discuss"}, {"convenor", first, "redo"}, {"both", second, "fix_and_resubmit"},
		{"admin", second, "complete"}, {"student", first, "ready_for_feedback"},
	}
	var wg sync.WaitGroup
	codes := make([]int, 4*len(moves))
	for i := range codes {
		m := moves[i%len(moves)]
		r := w.request(m.as, "PUT "+m.path, form{"trigger": m.word})
		wg.Go(func() { codes[i] = w.send(r, m.as).Code })
	}
	wg.Wait()
	done := int64(0)
	for i, c := range codes {
		if c == 200 {
			done++
		} else if c != 409 || moves[i%len(moves)].as != "student" {
			t.Errorf("%v answered %d", moves[i%len(moves)], c)
		}
	}
	if n := w.count(`task_comments`) - before; n != done {
		t.Errorf("%d comments of %d moves", n, done)
	}
	// Each history is one chain that ends where the task is.
	if n := w.count(`task_history h WHERE h.from_status <> coalesce((SELECT p.to_status FROM task_history p
		WHERE p.task_id = h.task_id AND p.id < h.id
			ORDER BY p.id DESC LIMIT 1), 'not_started')`); n != 0 {
		t.Errorf("%d breaks in the histories", n)
	}
	if n := w.count(`tasks t WHERE t.status <> (SELECT h.to_status FROM task_history h WHERE h.task_id = t.id
		ORDER BY h.id DESC LIMIT 1)`); n != 0 {
		t.Errorf("%d tasks are not where their history ends", n)
	}
	if err := stats.Check(t.Context(), w.db); err != nil {
		t.Error(err)
	}
}

func TestTaskLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.move("mate", "/api/projects/{project:mate}/task_def_id/{defA1}", "rff")
		w.id["mateTask"] = w.number(`SELECT id AS v FROM tasks WHERE project_id = $1`, w.id["project:mate"])
		// A second class, without a stream, must not show a task twice.
		extra := w.add("", "tutorials", row{"unit_id": w.id["unitA"], "abbreviation": "X", "meeting_day": "Friday",
			"meeting_time": "9:00", "meeting_location": "A"})
		w.add("", "tutorial_enrolments", row{"project_id": w.id["project:mate"], "tutorial_id": extra})
		own := `{"id":«task»,"task_definition_id":«defA1»,"status":"not_started","tutorial_id":«tutorialA»,"tutorial_stream_id":«streamA»}`
		members := `{"id":«mateTask»,"task_definition_id":«defA1»,"status":"ready_for_feedback","tutorial_id":«tutorialA»,"tutorial_stream_id":«streamA»}`
		w.do("student", "GET /api/tasks?unit_id={unitA}", nil).status(200).is(`[` + own + `]`)
		w.do("tutor", "GET /api/tasks?unit_id={unitA}", nil).status(200).is(`[` + own + `,` + members + `]`)
		page := w.do("tutor", "GET /api/tasks?unit_id={unitA}&limit=1&offset=1", nil).status(200).is(`[` + members + `]`)
		if page.Header().Get("X-Total-Count") != "2" {
			t.Errorf("total %q", page.Header().Get("X-Total-Count"))
		}
		w.do("tutor", "GET /api/tasks?unit_id={unitA}&limit=-1", nil).status(400)
		w.do("tutor", "GET /api/tasks", nil).status(400)
		w.do("tutor", "GET /api/tasks?unit_id=99999", nil).status(404)

		w.add("", "task_comments", row{"task_id": w.id["mateTask"], "unit_id": w.id["unitA"], "user_id": w.id["mate"],
			"recipient_id": w.id["tutor"],
			"type":         "extension", "comment": "please", "created_at": w.db.Now(), "extension_weeks": 1})
		submitted := w.rows(`SELECT 'x' AS v FROM tasks WHERE submission_date IS NOT NULL`)
		list := w.do("convenor", "GET /api/units/{unitA}/task_definitions/{defA1}/tasks", nil).status(200).list()
		if len(list) != 2 || len(submitted) != 1 || list[1]["has_extensions"] != 1.0 ||
			list[0]["has_extensions"] != 0.0 || len(list[0]) != 13 {
			t.Errorf("tasks of a definition: %v", list)
		}
		w.do("convenor", "GET /api/units/{unitA}/task_definitions/{defB1}/tasks", nil).status(404)
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:mate"])
		w.do("tutor", "GET /api/tasks?unit_id={unitA}", nil).status(200).is(`[` + own + `]`)
	})
}

// rows gives the texts in the column v of a query.
func (w *world) rows(text string, args ...any) []string {
	w.Helper()
	list, err := db.All[string](context.Background(), w.db.Pool(), text, args...)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// number gives the only value of a query.
func (w *world) number(text string, args ...any) int64 {
	w.Helper()
	n, err := db.One[int64](context.Background(), w.db.Pool(), text, args...)
	if err != nil {
		w.Fatal(err)
	}
	return *n
}
