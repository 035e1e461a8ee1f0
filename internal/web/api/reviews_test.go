package api

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const (
	unitReviewsPath = "/api/units/{id}/reviews"
	ownReviews      = ownTask + "/reviews"
)

var _ = rights(
	rightRow{"GET " + taskRoute + "/reviews", ownReviews, readers, nil},
	rightRow{"POST " + taskRoute + "/reviews", ownReviews, "student", `{"reason":"It runs"}`},
	rightRow{"PUT " + taskRoute + "/reviews/{review_id}", ownReviews + "/1", staffA, `{"answer":"It does not"}`},
	rightRow{"GET " + unitReviewsPath, "/api/units/{unitA}/reviews", staffA, nil},
)

var _ = lists(
	listRow{route: "GET " + taskRoute + "/reviews", path: ownReviews, who: "tutor", fill: manyReviews},
	listRow{route: "GET " + unitReviewsPath, path: "/api/units/{unitA}/reviews?answered=true", who: "tutor",
		fill: manyReviews},
)

// manyReviews adds answered reviews of student's first task, each of its own row of the history.
func manyReviews(w *world, from, to int) {
	for range to - from {
		w.reviewOf("review", "student", "{defA1}", "again")
		w.set(`UPDATE reviews SET answered_at = asked_at, answered_by = $1 WHERE answered_at IS NULL`, w.id["tutor"])
	}
}

// reviewOf adds a review that somebody asks of their task, of a row of its history of its own.
func (w *world) reviewOf(name, student, definition, reason string) {
	w.Helper()
	task := w.number(`SELECT t.id FROM tasks t WHERE t.project_id = $1 AND t.task_definition_id = `+w.path(definition),
		w.id["project:"+student])
	given := w.add("", "task_history", row{"task_id": task, "at": clock.At(w.now), "actor_id": w.id["tutor"],
		"from_status": "ready_for_feedback", "to_status": "redo", "assessed": true})
	w.add(name, "reviews", row{"task_id": task, "unit_id": w.number(`SELECT unit_id FROM tasks WHERE id = $1`, task),
		"history_id": given, "user_id": w.id[student], "reason": reason, "asked_at": clock.At(w.now)})
	w.set(`UPDATE tasks SET review_asked_at = $2 WHERE id = $1`, task, clock.At(w.now))
}

// givenBack has student's first task handed in and given back.
func (w *world) givenBack() {
	w.Helper()
	w.move("student", ownTask, "ready_for_feedback")
	w.mark("tutor", form{"trigger": "redo"})
}

// waitingFor are the tasks of the queue and of the two lists of the specification.
func (w *world) waitingFor(as string) string {
	w.Helper()
	var out []string
	for _, path := range []string{"queue", "tasks/inbox", "feedback"} {
		a := w.do(as, "GET /api/units/{unitA}/"+path+"?limit=50", nil).status(200)
		out = append(out, fmt.Sprint(len(a.list()), "/", a.Header().Get("X-Total-Count")))
	}
	return strings.Join(out, " ")
}

func TestAReviewIsAskedForAndAnswered(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+ownReviews, form{"reason": "It runs"}).status(409).says("no member of staff has marked")
		w.givenBack()
		if got := w.waitingFor("tutor"); got != "0/0 0/0 0/0" {
			t.Fatal(got)
		}
		w.do("student", "POST "+ownReviews, form{"reason": "  "}).status(400).says("reason")
		w.do("student", "POST "+ownReviews, form{"reason": strings.Repeat("x", 4096)}).status(400).says("4095")
		o := w.do("student", "POST "+ownReviews, form{"reason": "It runs\nhere"}).status(201).object()
		has(t, "asked", o, map[string]any{"reason": "It runs\nhere", "given_status": "redo", "answered_at": nil,
			"answer": "", "username": "student", "answerer": nil})
		w.id["review"] = int64(o["id"].(float64))
		w.do("student", "POST "+ownReviews, form{"reason": "Again"}).status(409).says("already requested")
		// It waits in our queue, and in neither list of the specification.
		if got := w.waitingFor("tutor"); got != "1/1 0/0 0/0" {
			t.Error(got)
		}
		has(t, "row", w.do("tutor", "GET /api/units/{unitA}/queue", nil).status(200).list()[0],
			map[string]any{"review_asked": true, "status": "redo", "waiting_since": o["asked_at"]})
		if got := w.do("convenor", "GET /api/units/{unitA}/reviews", nil).status(200).list(); len(got) != 1 ||
			got[0]["reason"] != "It runs\nhere" {
			t.Errorf("the convenor sees %v", got)
		}
		w.do("tutor", "PUT "+ownReviews+"/{review}", form{"answer": " "}).status(400).says("answer")
		o = w.do("convenor", "PUT "+ownReviews+"/{review}", form{"answer": "Not on an empty list."}).status(200).object()
		has(t, "answered", o, map[string]any{"answer": "Not on an empty list.", "answered_by": float64(w.id["convenor"])})
		w.do("tutor", "PUT "+ownReviews+"/{review}", form{"answer": "Me too."}).status(409).says("already answered")
		if got := w.waitingFor("tutor"); got != "0/0 0/0 0/0" {
			t.Error(got)
		}
		if got := w.do("student", "GET "+ownReviews, nil).status(200).list(); len(got) != 1 ||
			got[0]["answer"] != "Not on an empty list." {
			t.Errorf("the student sees %v", got)
		}
		w.do("student", "POST "+ownReviews, form{"reason": "Again"}).status(409).says("already requested")
		if n := len(w.do("tutor", "GET /api/units/{unitA}/reviews?answered=true", nil).status(200).list()); n != 1 {
			t.Errorf("%d are answered", n)
		}
		for what, want := range map[string]int64{
			"events WHERE kind = 'review' AND body LIKE '%asked%'":                         1,
			"events WHERE kind = 'review' AND body LIKE '%answered%'":                      1,
			"events WHERE kind = 'review' AND (body LIKE '%runs%' OR body LIKE '%empty%')": 0,
		} {
			if n := w.count(what); n != want {
				t.Errorf("%s: %d, want %d", what, n, want)
			}
		}
	})
}

// A new verdict answers a review and gives the student another to ask for; undone, the review
// is open again. What a review is asked of cannot be undone.
func TestANewVerdictAnswersAReview(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("is_graded = TRUE")
		w.move("student", ownTask, "ready_for_feedback")
		first := w.mark("tutor", form{"trigger": "discuss", "grade": "1"})
		w.id["first"] = int64(first["id"].(float64))
		seen := w.do("student", "POST "+ownReviews, form{"reason": "It runs"}).status(201).object()
		w.do("tutor", "POST /api/verdicts/{first}/undo", nil).status(409).says("has changed since")
		second := w.mark("tutor", form{"trigger": "complete", "grade": "2"})
		w.id["second"] = int64(second["id"].(float64))
		o := w.do("student", "GET "+ownReviews, nil).status(200).list()[0]
		has(t, "answered", o, map[string]any{"answer": "", "answered_by": float64(w.id["tutor"])})
		if got := w.waitingFor("tutor"); got != "0/0 0/0 0/0" {
			t.Error(got)
		}
		w.do("tutor", "POST /api/verdicts/{second}/undo", nil).status(200)
		if got := w.waitingFor("tutor"); got != "1/1 0/0 0/0" {
			t.Errorf("undone, the queues have %s", got)
		}
		has(t, "open again", w.do("student", "GET "+ownReviews, nil).status(200).list()[0],
			map[string]any{"answered_at": nil, "answered_by": nil})
		// A grade alone is a verdict, too.
		w.do("tutor", "PUT "+ownTask, form{"grade": "3"}).status(200)
		if n := w.count("reviews WHERE answered_at IS NOT NULL"); n != 1 {
			t.Error("the grade did not answer")
		}
		// Whoever looked at the old one is told so.
		w.do("student", "POST "+ownReviews, form{"reason": "Still", "verdict_id": fmt.Sprint(seen["verdict_id"])}).
			status(409).says("marked again since you opened")
		w.do("student", "POST "+ownReviews, form{"reason": "Still"}).status(201)
		// What the student does themselves is nothing to review, and answers nothing.
		w.set(`UPDATE reviews SET answered_at = asked_at, answered_by = user_id`)
		w.mark("tutor", form{"trigger": "redo"})
		w.move("student", ownTask, "working_on_it")
		w.do("student", "POST "+ownReviews, form{"reason": "Mine"}).status(409).says("nothing to review")
	})
}

// That work is late is nobody's verdict, until somebody gives it.
func TestLatenessIsNoVerdict(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Day(w.now)
		w.define("start_date = $1, target_date = $1, due_date = $1", today.AddDays(-7))
		if got := w.move("student", ownTask, "ready_for_feedback"); got != "time_exceeded" {
			t.Fatal(got)
		}
		w.do("student", "POST "+ownReviews, form{"reason": "I was ill"}).status(409).says("nothing to review")
	})
}

func TestOfTwoReviewsAtOnceThereIsOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.givenBack()
		w.id["review"] = 1
		var mu sync.Mutex
		var wg sync.WaitGroup
		codes := map[int]int{}
		at := func(as, method, path string, body form) {
			r := w.request(as, method+" "+path, body)
			wg.Go(func() {
				rec := httptest.NewRecorder()
				w.api.ServeHTTP(rec, r)
				mu.Lock()
				defer mu.Unlock()
				codes[rec.Code]++
			})
		}
		for range 6 {
			at("student", "POST", ownReviews, form{"reason": "It runs"})
		}
		wg.Wait()
		if codes[201] != 1 || codes[409] != 5 || w.count("reviews") != 1 {
			t.Errorf("asked: %v", codes)
		}
		codes = map[int]int{}
		w.id["review"] = w.lastID("reviews")
		for i := range 6 {
			at([]string{"tutor", "convenor"}[i%2], "PUT", ownReviews+"/{review}", form{"answer": "No"})
		}
		wg.Wait()
		if codes[200] != 1 || codes[409] != 5 {
			t.Errorf("answered: %v", codes)
		}
	})
}

// A unit may turn reviews off; what was asked before is still answered.
func TestAUnitMayTurnReviewsOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.givenBack()
		w.do("student", "POST "+ownReviews, form{"reason": "It runs"}).status(201)
		w.id["review"] = w.lastID("reviews")
		w.do("convenor", "PUT /api/units/{unitA}", `{"unit":{"allow_review_requests":false}}`).status(200)
		w.do("tutor", "PUT "+ownReviews+"/{review}", form{"answer": "No"}).status(200)
		w.givenBack()
		w.do("student", "POST "+ownReviews, form{"reason": "Again"}).status(409).says("turned off in this unit")
	})
}

// In a group each member asks for themselves; nobody else of the group reads it, and nobody of
// the staff answers in a group they are in.
func TestReviewsInAGroupAreEachMembersOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("group_set_id = $1", w.id["set"])
		w.move("student", ownTask, "ready_for_feedback")
		w.move("tutor", ownTask, "redo")
		const members = memberTask + "/reviews"
		w.do("student", "POST "+ownReviews, form{"reason": "Mine"}).status(201)
		w.id["review"] = w.lastID("reviews")
		w.do("mate", "POST "+members, form{"reason": "And mine"}).status(201)
		w.do("mate", "POST "+members, form{"reason": "Once more"}).status(409)
		w.do("mate", "GET "+ownReviews, nil).status(403)
		if got := w.do("mate", "GET "+members, nil).status(200).list(); len(got) != 1 || got[0]["reason"] != "And mine" {
			t.Errorf("the member sees %v", got)
		}
		if got := w.waitingFor("tutor"); got != "1/1 0/0 0/0" {
			t.Errorf("the group stands %s times", got)
		}
		w.do("tutor", "PUT "+members+"/{review}", form{"answer": "No"}).status(404)
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:both"]})
		w.do("both", "PUT "+ownReviews+"/{review}", form{"answer": "Yes"}).status(403).says("a group you are in")
		w.do("tutor", "PUT "+ownReviews+"/{review}", form{"answer": "No"}).status(200)
		if n := w.count("reviews WHERE answered_at IS NULL"); n != 1 {
			t.Errorf("%d are open", n)
		}
		w.later(time.Second)
		w.move("tutor", ownTask, "complete") // reaches all, and answers the other
		if n := w.count("reviews WHERE answered_at IS NULL"); n != 0 {
			t.Errorf("%d are open after a new status", n)
		}
	})
}
