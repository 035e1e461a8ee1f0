package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const ownVerdict = ownTask + "/verdict"

var _ = rights(
	rightRow{"POST /api/projects/{project_id}/task_def_id/{task_definition_id}/verdict", ownVerdict, staffA,
		`{"trigger":"complete","version":1,"comment":"Well done"}`},
	rightRow{"POST /api/verdicts/{id}/undo", "/api/verdicts/{verdict}/undo", "tutor", nil},
	rightRow{"POST /api/units/{id}/verdicts", "/api/units/{unitA}/verdicts", staffA,
		`{"trigger":"complete","tasks":[{"id":1,"version":1}]}`},
	rightRow{"POST /api/verdict_batches/{id}/undo", "/api/verdict_batches/{batch}/undo", "tutor", nil},
)

// version is that of a task.
func (w *world) version(name string) string {
	w.Helper()
	return w.rows(`SELECT CAST(version AS TEXT) AS v FROM tasks WHERE id = $1`, w.id[name])[0]
}

// mark gives a verdict on student's first task at the version it has.
func (w *world) mark(as string, v form) map[string]any {
	w.Helper()
	v["version"] = w.version("task")
	return w.do(as, "POST "+ownVerdict, v).status(200).object()
}

// written counts what verdicts leave behind.
func (w *world) written() string {
	w.Helper()
	return fmt.Sprint(w.count("task_history"), w.count("task_comments"), w.count("events"), w.count("verdicts"),
		w.count("comment_reads"), w.count("task_comments WHERE staff_read_at IS NOT NULL"),
		w.number(`SELECT CAST(coalesce(sum(uses), 0) AS BIGINT) FROM snippet_uses`),
		w.rows(`SELECT id || ' ' || status || ' ' || version || ' ' || new_to_student || ' ' || new_to_staff AS v
			FROM tasks ORDER BY id`))
}

func TestAVerdictIsOnePiece(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("is_graded = TRUE, max_quality_pts = 5")
		w.move("student", ownTask, "rff")
		before := w.written()
		for _, c := range []struct {
			as, body string
			want     int
			says     string
		}{
			{"tutor", `{"trigger":"complete","version":2,"comment":"Good"}`, 400, "grade is required"},
			{"tutor", `{"trigger":"complete","version":2,"comment":"Good","grade":2}`, 400, "quality_pts is required"},
			{"tutor", `{"trigger":"complete","version":2,"comment":"Good","grade":2,"quality_pts":6}`, 400, "0 to 5"},
			{"tutor", `{"trigger":"nonsense","version":2,"comment":"Good"}`, 400, "not a task status"},
			{"tutor", `{"version":2,"comment":"Good"}`, 400, "comment on the task"},
			{"tutor", `{"trigger":"  ","version":2,"comment":"Good"}`, 400, "trigger"},
			{"tutor", `{"trigger":"redo","comment":"Good"}`, 400, "version is required"},
			{"tutor", `{"trigger":"redo","version":2,"comment":"` + strings.Repeat("x", 4096) + `"}`, 400, "4095"},
			{"tutor", `{"trigger":"redo","version":2,"key":"` + strings.Repeat("x", 256) + `"}`, 400, "255"},
			{"tutor", `{"trigger":"redo","version":1,"comment":"Good"}`, 409, "has changed since"},
			{"student", `{"trigger":"need_help","version":2}`, 403, "grade this task"},
			{"tutorB", `{"trigger":"redo","version":2}`, 403, "grade this task"},
		} {
			w.do(c.as, "POST "+ownVerdict, c.body).status(c.want).says(c.says)
		}
		if now := w.written(); now != before {
			t.Errorf("a refused verdict left something: %s became %s", before, now)
		}
		w.later(time.Second)
		o := w.mark("tutor", form{"trigger": "complete", "grade": "2", "quality_pts": "4", "comment": " Good work.\n"})
		task := o["task"].(map[string]any)
		if o["from_status"] != "ready_for_feedback" || o["version"] != 3.0 || task["status"] != "complete" ||
			task["grade"] != 2.0 || task["quality_pts"] != 4.0 || task["times_assessed"] != 1.0 || o["comment_id"] == nil {
			t.Errorf("given: %v", o)
		}
		if got := statsIn(t, task); got["green_pct"] != 0.5 {
			t.Errorf("statistics %v", got)
		}
		said := w.rows(`SELECT type || ' ' || comment AS v FROM task_comments WHERE user_id = $1 ORDER BY id`, w.id["tutor"])
		if got := strings.Join(said, ", "); got != "text Good work., status Complete" {
			t.Errorf("said %s", got)
		}
		// A mark alone is a verdict, too, and a task without a row has no version yet.
		if o := w.mark("convenor", form{"quality_pts": "5"}); o["task"].(map[string]any)["quality_pts"] != 5.0 {
			t.Errorf("quality alone: %v", o)
		}
		w.do("tutor", "POST /api/projects/{project:other}/task_def_id/{defA2}/verdict", form{"trigger": "fix",
			"version": "0", "comment": "Where is it?"}).status(200)
		w.countsAreRight()
	})
}

// countsAreRight compares the numbers of new comments with the comments.
func (w *world) countsAreRight() {
	w.Helper()
	if wrong := w.rows(`SELECT t.id || ' student ' || t.new_to_student || ' staff ' || t.new_to_staff AS v FROM tasks t
		JOIN projects p ON p.id = t.project_id
		WHERE t.new_to_student <> (SELECT count(*) FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status'
			AND NOT EXISTS (SELECT 1 FROM comment_reads r WHERE r.task_comment_id = c.id AND r.user_id = p.user_id))
		OR t.new_to_staff <> (SELECT count(*) FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status'
			AND c.staff_read_at IS NULL)`); len(wrong) > 0 {
		w.Errorf("what is new is counted wrongly: %v", wrong)
	}
}

func TestARepeatedVerdictIsTheSame(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.move("student", ownTask, "rff")
		v := form{"trigger": "fix", "comment": "Read chapter 3.", "version": "2", "key": "k-1"}
		var wg sync.WaitGroup
		answers := make([]string, 6)
		for i := range answers {
			wg.Go(func() { answers[i] = w.do("tutor", "POST "+ownVerdict, v).status(200).Body.String() })
		}
		wg.Wait()
		v["version"] = "3" // the page was opened again meanwhile
		w.later(time.Hour)
		answers = append(answers, w.do("tutor", "POST "+ownVerdict, v).status(200).Body.String())
		for _, a := range answers {
			if a != answers[0] {
				t.Errorf("%s and %s", answers[0], a)
			}
		}
		if n := w.count("verdicts WHERE key IS NOT NULL"); n != 1 {
			t.Errorf("%d verdicts", n)
		}
		if n := w.count("task_comments WHERE type = 'text'"); n != 1 {
			t.Errorf("%d comments", n)
		}
		if n := w.count("task_history WHERE to_status = 'fix_and_resubmit'"); n != 1 {
			t.Errorf("%d rows of history", n)
		}
		for field, other := range map[string]string{"trigger": "redo", "comment": "Read chapter 4."} {
			w.do("tutor", "POST "+ownVerdict, form{"trigger": "fix", "comment": "Read chapter 3.", "version": "3",
				"key": "k-1", field: other}).status(409).says("This key was used")
		}
		w.do("tutor", "POST /api/projects/{project:mate}/task_def_id/{defA1}/verdict", v).status(409).
			says("This key was used")
		// A key is its user's own, and a verdict that was refused has not used it.
		w.do("convenor", "POST "+ownVerdict, form{"trigger": "redo", "version": "2", "key": "k-1"}).status(409)
		w.do("convenor", "POST "+ownVerdict, form{"trigger": "redo", "version": "3", "key": "k-1"}).status(200)
	})
}

// Of two verdicts on what both saw, one stands and the other is told of it; sent again
// with its eyes open, it stands, too.
func TestTwoTutorsOnOneTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.move("student", ownTask, "rff")
		people := []string{"tutor", "convenor"}
		verdicts := []form{{"trigger": "complete", "comment": "Lovely.", "version": "2", "key": "a"},
			{"trigger": "redo", "comment": "Not yet.", "version": "2", "key": "b"}}
		var wg sync.WaitGroup
		answers := make([]*answered, 2)
		for i := range 2 {
			wg.Go(func() { answers[i] = w.do(people[i], "POST "+ownVerdict, verdicts[i]) })
		}
		wg.Wait()
		won, lost := 0, 1
		if answers[0].Code != http.StatusOK {
			won, lost = 1, 0
		}
		answers[won].status(200)
		problem := answers[lost].status(409).says("has changed since").object()
		stands := problem["stands"].(map[string]any)
		given := answers[won].object()
		if stands["status"] != given["task"].(map[string]any)["status"] || stands["comment"] != verdicts[won]["comment"] ||
			stands["user_id"] != float64(w.id[people[won]]) || stands["version"] != 3.0 || stands["date"] != given["date"] ||
			problem["code"] != "overtaken" {
			t.Errorf("%v is said to stand, %v does", stands, given)
		}
		w.later(time.Minute)
		verdicts[lost]["version"] = fmt.Sprint(stands["version"])
		w.do(people[lost], "POST "+ownVerdict, verdicts[lost]).status(200)
		history := w.rows(`SELECT CAST(actor_id AS TEXT) AS v FROM task_history WHERE assessed ORDER BY id`)
		if want := []string{fmt.Sprint(w.id[people[won]]), fmt.Sprint(w.id[people[lost]])}; fmt.Sprint(history) !=
			fmt.Sprint(want) {
			t.Errorf("marked by %v, want %v", history, want)
		}
		if n := w.count("task_comments WHERE type = 'text'"); n != 2 {
			t.Errorf("%d comments, want both", n)
		}
	})
}

// A verdict reaches a group as a move does, and is heard by its members.
func TestAVerdictOnAGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.membersOfBoth()
		w.do("both", "POST "+ownVerdict, form{"trigger": "redo", "version": w.version("task")}).status(403).
			says("a group you are in")
		w.do("both", "POST /api/projects/{project:both}/task_def_id/{defA1}/verdict",
			form{"trigger": "redo", "version": "0"}).status(403).says("own work")
		o := w.mark("tutor", form{"trigger": "discuss", "grade": "3", "quality_pts": "5", "comment": "Talk to me."})
		if got := w.statuses("mate"); got != "discuss" || len(o["task"].(map[string]any)["other_projects"].([]any)) != 1 {
			t.Errorf("mate is %s: %v", got, o)
		}
		mine := w.do("mate", "GET /api/projects/{project:mate}/task_def_id/{defA1}/comments", nil).status(200)
		if !strings.Contains(mine.Body.String(), "Talk to me.") {
			t.Errorf("mate reads %s", mine.Body)
		}
		if n := w.count("events WHERE kind = 'comment' AND user_id = $1", w.id["mate"]); n != 1 {
			t.Errorf("mate heard of %d comments", n)
		}
		w.countsAreRight()
	})
}
