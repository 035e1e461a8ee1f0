package api

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"POST " + taskRoute + "/request_extension", ownTask + "/request_extension", readers,
		`{"comment":"I was ill","weeks_requested":1}`},
	rightRow{"PUT " + taskRoute + "/assess_extension/{task_comment_id}", ownTask + "/assess_extension/1", staffA,
		`{"granted":true}`},
)

// ask asks for weeks and remembers the request by name.
func (w *world) ask(name, as, path, weeks string) map[string]any {
	w.Helper()
	o := w.do(as, "POST "+path+"/request_extension", form{"comment": "I was ill",
		"weeks_requested": weeks}).status(201).object()
	w.id[name] = int64(o["id"].(float64))
	return o
}

// byHand makes the staff of unit A decide on extensions.
func (w *world) byHand() {
	w.Helper()
	w.set(`UPDATE units SET auto_apply_extension_before_deadline = FALSE WHERE id = $1`, w.id["unitA"])
}

// has fails the test unless an object holds these values.
func has(t *testing.T, about string, o map[string]any, want map[string]any) {
	t.Helper()
	for name, v := range want {
		if o[name] != v {
			t.Errorf("%s: %s is %v, want %v", about, name, o[name], v)
		}
	}
}

func TestExtensionsAreGrantedByTheUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		day := w.monday().AddDays(14)
		o := w.ask("e", "student", ownTask, "1")
		has(t, "granted", o, map[string]any{"type": "extension", "comment": "I was ill", "granted": true,
			"assessed": true, "weeks_requested": 1.0,
			"extension_response": "Time extended to " + day.Format("Mon 2 Jan"), "task_status": "not_started",
			"extensions": 1.0, "due_date": day.String(), "is_new": false})
		if o["date_assessed"] == nil || o["recipient"].(map[string]any)["id"] != float64(w.id["tutor"]) {
			t.Errorf("%v", o)
		}
		// Three weeks fit in all: a wish for five is cut, the next refused.
		has(t, "cut", w.ask("e", "student", ownTask, "5"), map[string]any{"weeks_requested": 2.0, "extensions": 3.0})
		w.do("student", "POST "+ownTask+"/request_extension",
			form{"comment": "More", "weeks_requested": "5"}).status(409).says("deadline")
		if n := w.count("task_comments"); n != 2 {
			t.Errorf("%d comments", n)
		}
		if n := w.count("events WHERE kind = 'extension' AND user_id = $1 AND unit_id = $2", w.id["student"],
			w.id["unitA"]); n != 2 {
			t.Errorf("%d events", n)
		}
		// A last part of a week counts as one.
		w.define("target_date = $1, due_date = $2, start_date = $1", clock.Day(w.now).AddDays(-1),
			clock.Day(w.now).AddDays(1))
		has(t, "part of a week", w.ask("m", "mate", memberTask, "1"), map[string]any{"weeks_requested": 1.0,
			"due_date": clock.Day(w.now).AddDays(1).String()})
	})
}

func TestExtensionsWhereStudentsMayNotAsk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.set(`UPDATE units SET allow_student_extension_requests = FALSE WHERE id = $1`, w.id["unitA"])
		w.do("student", "POST "+ownTask+"/request_extension",
			form{"comment": "Ill", "weeks_requested": "1"}).status(403)
		o := w.ask("e", "tutor", ownTask, "1")
		has(t, "by the tutor", o, map[string]any{"granted": true, "assessed": true,
			"extension_response": "Extension granted to " + w.monday().AddDays(14).Format("Mon 2 Jan")})
		if got := w.news("student", ownTask); got != "I was ill" {
			t.Errorf("new for the student: %q", got)
		}
	})
}

func TestBadExtensions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ comment, weeks string }{
			{"x", "-1"}, {"x", "0"}, {"x", "1000000000"}, {"x", "99999999999999999999"}, {"x", "53"}, {"x", "abc"},
			{"x", ""}, {"  ", "1"},
			{strings.Repeat("a", 4096), "1"}, {strings.Repeat("a", 1<<20), "1"},
		} {
			w.do("student", "POST "+ownTask+"/request_extension", form{"comment": c.comment,
				"weeks_requested": c.weeks}).status(400)
		}
		w.do("student", "POST "+ownTask+"/request_extension", form{}).status(400).says("comment", "weeks_requested")
		w.comment("text", "student", ownTask, "No request")
		w.byHand()
		w.ask("other", "other", "/api/projects/{project:other}/task_def_id/{defA1}", "1")
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{text}",
			form{"granted": "true"}).status(404).says("not an extension request")
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{other}", form{"granted": "true"}).status(404)
		w.do("tutor", "PUT "+ownTask+"/assess_extension/999999", form{"granted": "true"}).status(404)
		w.do("tutor", "PUT /api/projects/{project:other}/task_def_id/{defA1}/assess_extension/{other}",
			form{}).status(400)
		if n := w.count("task_comments WHERE extension_assessed_at IS NOT NULL"); n != 0 {
			t.Errorf("%d were decided", n)
		}
	})
}

func TestAssessExtensions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		o := w.ask("e", "student", ownTask, "2")
		has(t, "asked", o, map[string]any{"granted": false, "assessed": false, "date_assessed": nil,
			"extension_response": nil, "extensions": 0.0})
		// It stays new for the tutor who must decide, not for others who saw it.
		if got := w.news("tutor", ownTask) + "|" + w.news("tutor", ownTask) + "|" + w.news("convenor", ownTask) + "|" +
			w.news("convenor", ownTask) + "|" + w.news("student", ownTask); got != "I was ill|I was ill|I was ill||" {
			t.Errorf("new: %s", got)
		}
		if l := w.do("tutor", "GET /api/units/{unitA}/tasks/inbox", nil).status(200).list(); len(l) != 1 ||
			l[0]["has_extensions"] != 1.0 {
			t.Errorf("inbox %v", l)
		}
		day := w.monday().AddDays(21)
		o = w.do("convenor", "PUT "+ownTask+"/assess_extension/{e}", form{"granted": "true"}).status(200).object()
		has(t, "granted", o, map[string]any{"assessment_result": "granted", "message": "Extension granted to " +
			day.Format("Mon 2 Jan"), "id": float64(w.id["e"]),
			"granted": true, "assessed": true, "extensions": 2.0, "due_date": day.String(), "weeks_requested": 2.0,
			"type": "extension"})
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{e}",
			form{"granted": "false"}).status(409).says("already decided")
		if got := w.news("tutor", ownTask) + w.news("both", ownTask); got != "" {
			t.Errorf("still new: %s", got)
		}
		w.ask("e2", "student", ownTask, "1")
		o = w.do("tutor", "PUT "+ownTask+"/assess_extension/{e2}", form{"granted": "false"}).status(200).object()
		has(t, "rejected", o, map[string]any{"assessment_result": "rejected", "message": "Extension rejected",
			"granted": false, "assessed": true, "extensions": 2.0})
		// Two that each fit, but not together.
		w.ask("e3", "student", ownTask, "1")
		w.ask("e4", "student", ownTask, "1")
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{e3}", form{"granted": "true"}).status(200)
		o = w.do("tutor", "PUT "+ownTask+"/assess_extension/{e4}", form{"granted": "true"}).status(200).object()
		has(t, "no room", o, map[string]any{"assessment_result": "rejected", "granted": false, "assessed": true,
			"extensions": 3.0})
		if !strings.Contains(o["message"].(string), "deadline") {
			t.Errorf("%v", o)
		}
		if n := w.count("events WHERE kind = 'extension' AND body LIKE '%assessed%'"); n != 4 {
			t.Errorf("%d decisions were told", n)
		}
	})
}

func TestOneDecisionWins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("e", "student", ownTask, "1")
		var mu sync.Mutex
		var wg sync.WaitGroup
		codes := map[int]int{}
		for i := range 8 {
			r := w.request([]string{"tutor", "convenor"}[i%2], "PUT "+ownTask+"/assess_extension/{e}",
				form{"granted": "true"})
			wg.Go(func() {
				rec := httptest.NewRecorder()
				w.api.ServeHTTP(rec, r)
				mu.Lock()
				defer mu.Unlock()
				codes[rec.Code]++
			})
		}
		wg.Wait()
		if codes[200] != 1 || codes[409] != 7 || w.number("SELECT extensions FROM tasks WHERE id = $1",
			w.id["task"]) != 1 {
			t.Errorf("%v", codes)
		}
	})
}

func TestAnExtensionBringsLateWorkBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Day(w.now)
		w.define("start_date = $1, target_date = $1, due_date = $2, is_graded = TRUE", today.AddDays(-7),
			today.AddDays(7))
		if got := w.move("student", ownTask, "ready_for_feedback"); got != "time_exceeded" {
			t.Fatalf("late work is %s", got)
		}
		if n := w.count("tasks WHERE grade = -1"); n != 1 {
			t.Error("no grade for lateness")
		}
		has(t, "back", w.ask("e", "student", ownTask, "2"), map[string]any{"granted": true,
			"task_status": "ready_for_feedback", "extensions": 2.0, "due_date": today.AddDays(7).String()})
		has(t, "due", w.do("student", "GET "+ownTask+"/due", nil).status(200).object(),
			map[string]any{"weeks_can_extend": 0.0, "can_apply_for_extension": false})
		if got := w.statuses("student"); got != "ready_for_feedback" || w.count("tasks WHERE grade IS NULL AND "+
			"extensions = 2") != 1 {
			t.Errorf("task %s", got)
		}
		if n := w.count("events WHERE kind = 'status'"); n != 2 {
			t.Errorf("%d moves were told", n)
		}
		if n := w.count("task_comments WHERE type = 'status' AND status = 'ready_for_feedback' AND user_id = $1",
			w.id["tutor"]); n != 1 {
			t.Errorf("%d comments say so in the name of the tutor", n)
		}
		if n := w.count("projects WHERE id = $1 AND blue_pct = 0.5", w.id["project:student"]); n != 1 {
			t.Error("the statistics do not follow")
		}
	})
}

// The clock of the unit decides whether work was late.
func TestExtensionsFollowTheUnitsClock(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE units SET time_zone = 'Pacific/Kiritimati' WHERE id = $1`, w.id["unitA"])
		w.now = w.monday().Add(12 * time.Hour) // in UTC; there it is Tuesday
		monday := clock.Day(w.now)
		w.define("start_date = $1, target_date = $2, due_date = $3", monday.AddDays(-14), monday.AddDays(-7), monday)
		if got := w.move("student", ownTask, "ready_for_feedback"); got != "time_exceeded" {
			t.Fatalf("late work is %s", got)
		}
		has(t, "too late even so", w.ask("e", "student", ownTask, "1"), map[string]any{"granted": true,
			"task_status": "time_exceeded"})
		w.set(`UPDATE units SET time_zone = NULL WHERE id = $1`, w.id["unitA"])
		w.set(`UPDATE tasks SET extensions = 0`)
		has(t, "in time anywhere on earth", w.ask("e", "student", ownTask, "1"), map[string]any{"granted": true,
			"task_status": "ready_for_feedback"})
	})
}

// A group shares one conversation, but not why one of its members needs more time.
func TestTheReasonOfAGroupMembersExtensionIsTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.define(`group_set_id = $1`, w.id["set"])
		w.comment("c", "student", ownTask, "We are in this together")
		w.ask("s", "student", ownTask, "2")
		for _, reader := range []struct{ who, task, reason string }{
			{"student", ownTask, "I was ill"}, {"mate", memberTask, ""}, {"tutor", ownTask, "I was ill"},
			{"tutor", memberTask, "I was ill"}, {"convenor", memberTask, "I was ill"},
			{"admin", memberTask, "I was ill"}} {
			list := w.do(reader.who, "GET "+reader.task+"/comments", nil).status(200).list()
			if len(list) != 2 {
				t.Fatalf("%s reads %v", reader.who, list)
			}
			has(t, reader.who, list[1], map[string]any{"type": "extension", "comment": reader.reason,
				"weeks_requested": 2.0, "granted": false, "assessed": false})
			has(t, reader.who, list[0], map[string]any{"comment": "We are in this together"})
		}
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{s}", form{"granted": "true"}).status(200)
		has(t, "decided", w.do("mate", "GET "+memberTask+"/comments", nil).status(200).list()[1],
			map[string]any{"comment": "", "granted": true, "assessed": true})
	})
}

func TestExtensionsInAGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.define(`group_set_id = $1`, w.id["set"])
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:both"]})
		w.comment("c", "student", ownTask, "We are in this together")
		w.ask("s", "student", ownTask, "2")
		w.ask("b", "both", "/api/projects/{project:both}/task_def_id/{defA1}", "1")
		// A teacher decides from any task of the group, but not one who is in it.
		w.do("both", "PUT "+ownTask+"/assess_extension/{b}", form{"granted": "true"}).status(403).says("own work")
		w.do("both", "PUT "+memberTask+"/assess_extension/{s}", form{"granted": "true"}).status(403).says("a group you are in")
		has(t, "by way of a mate", w.do("tutor", "PUT "+memberTask+"/assess_extension/{s}",
			form{"granted": "true"}).status(200).object(), map[string]any{"extensions": 2.0})
		if n, m := w.count("tasks WHERE extensions = 2"), w.count("tasks WHERE extensions = 0"); n != 1 || m != 2 {
			t.Errorf("%d with two weeks, %d with none", n, m)
		}
		w.move("student", ownTask, "ready_for_feedback")
		if n := w.count("tasks WHERE extensions = 2 AND status = 'ready_for_feedback'"); n != 3 {
			t.Errorf("%d share the extension after a shared move", n)
		}
	})
}
