package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/verdict"
)

// prunedVerdicts forgets old verdicts and tells how many.
func (w *world) prunedVerdicts() (n int64) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(q db.Q) (err error) {
		n, err = verdict.Prune(w.Context(), q)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return n
}

// batchOf gives tasks with their present versions, as JSON.
func (w *world) batchOf(ids ...int64) string {
	w.Helper()
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":%d,"version":%d}`, id,
			w.number(`SELECT version FROM tasks WHERE id = $1`, id)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

type batchRow struct {
	TaskID    int64   `json:"task_id"`
	FirstName string  `json:"first_name"`
	From      string  `json:"from_status"`
	To        string  `json:"to_status"`
	VerdictID *int64  `json:"verdict_id"`
	With      *int64  `json:"with_task_id"`
	Grade     *int    `json:"grade"`
	Quality   *int    `json:"quality_pts"`
	Refused   *string `json:"refused"`
	Needs     []string
}

type batch struct {
	ID            *int64
	Done, Refused int
	Tasks         []batchRow
}

func (w *world) markAll(as string, v form) (b batch) {
	w.Helper()
	w.do(as, "POST /api/units/{unitA}/verdicts", v).status(200).into(&b)
	return b
}

// A batch is planned, given and undone; what cannot be marked says why, and the rest is.
func TestABatchOfVerdicts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ids := []int64{w.id["task"], w.task("mate", "defA1", nil), w.task("other", "defA1", nil),
			w.task("both", "defA1", nil), w.task("withdrawn", "defA1", nil), w.task("other", "defA2", nil)}
		w.set(`UPDATE task_definitions SET is_graded = TRUE WHERE id = $1`, w.id["defA2"])
		v := form{"trigger": "complete", "comment": "Well done, all.", "tasks": w.batchOf(ids...), "key": "b1"}
		w.do("student", "PUT "+ownTask, form{"trigger": "rff"}).status(200) // meanwhile
		w.later(time.Minute)
		before := w.standing()
		v["dry_run"] = "true"
		plan := w.markAll("both", v)
		if diff := cmp.Diff(before, w.standing()); diff != "" || plan.ID != nil || plan.Done != 3 || plan.Refused != 3 {
			t.Errorf("a plan %+v changed something:\n%s", plan, diff)
		}
		v["dry_run"] = "false"
		done := w.markAll("both", v)
		for i, says := range []string{"has changed since you opened", "", "", "your own work", "", "needs a grade"} {
			r := done.Tasks[i]
			switch {
			case r.TaskID != ids[i]:
				t.Errorf("row %d is of %d", i, r.TaskID)
			case says == "" && (r.Refused != nil || r.To != "complete" || r.From != "not_started" || r.VerdictID == nil):
				t.Errorf("%s: %+v", r.FirstName, r)
			case says != "" && (r.Refused == nil || !strings.Contains(*r.Refused, says) || r.VerdictID != nil):
				t.Errorf("%s: %+v does not say %q", r.FirstName, r, says)
			}
			plan.Tasks[i].VerdictID = r.VerdictID
		}
		plan.ID = done.ID
		if diff := cmp.Diff(plan, done); diff != "" {
			t.Errorf("what came differs from the plan:\n%s", diff)
		}
		if n := w.count("task_comments WHERE comment = 'Well done, all.'"); n != 3 {
			t.Errorf("%d comments", n)
		}
		w.countsAreRight()
		if again := w.markAll("both", v); cmp.Diff(done, again) != "" {
			t.Errorf("repeated: %+v, not %+v", again, done)
		}
		v["comment"] = "Well done."
		w.do("both", "POST /api/units/{unitA}/verdicts", v).status(409).says("This key was used")
		w.undoBatch(*done.ID, before, ids)
	})
}

// undoBatch undoes a batch of three, after the student of the first has replied.
func (w *world) undoBatch(id int64, before []string, ids []int64) {
	w.Helper()
	w.later(time.Minute)
	w.do("mate", "POST /api/projects/{project:mate}/task_def_id/{defA1}/comments", form{"comment": "Thanks"}).status(201)
	path := fmt.Sprintf("POST /api/verdict_batches/%d/undo", id)
	w.do("tutor", path, nil).status(403).says("only they can undo it")
	w.do("tutorB", path, nil).status(403)
	var out struct {
		Done, Refused int
		Tasks         []struct {
			TaskID  int64 `json:"task_id"`
			Undone  *struct{ Status, Comment string }
			Refused *string
		}
	}
	first := w.do("both", path, nil).status(200)
	first.into(&out)
	if out.Done != 2 || out.Refused != 1 || out.Tasks[0].TaskID != ids[1] || out.Tasks[0].Refused == nil ||
		!strings.Contains(*out.Tasks[0].Refused, "has replied") || out.Tasks[1].Undone.Status != "not_started" ||
		out.Tasks[1].Undone.Comment != "Well done, all." {
		w.Errorf("undone: %s", first.Body)
	}
	if again := w.do("both", path, nil).status(200); again.Body.String() != first.Body.String() {
		w.Errorf("asked again: %s, not %s", again.Body, first.Body)
	}
	if got := w.statuses("other") + ", " + w.statuses("mate"); got != "not_started not_started, complete" {
		w.Errorf("after the undo: %s", got)
	}
	w.countsAreRight()
}

// The marks of a batch are for the tasks that have a place for them. Where one is missing
// the row names it and says what to do; a grade alone is refused where there is no place.
func TestABatchMarksWhatIsMarked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ids := []int64{w.id["task"], w.task("mate", "defA2", nil)}
		w.set(`UPDATE task_definitions SET is_graded = TRUE, max_quality_pts = 5 WHERE id = $1`, w.id["defA2"])
		plan := func(v form) string {
			v["tasks"], v["dry_run"] = w.batchOf(ids...), "true"
			b := w.markAll("tutor", v)
			var out []string
			for _, r := range b.Tasks {
				text, marks := "done", ""
				if r.Refused != nil {
					text = *r.Refused
				}
				if r.Grade != nil {
					marks += fmt.Sprint(" grade ", *r.Grade)
				}
				if r.Quality != nil {
					marks += fmt.Sprint(" quality ", *r.Quality)
				}
				out = append(out, fmt.Sprint(text, marks, r.Needs))
			}
			return strings.Join(out, " | ")
		}
		const need, range5 = "This task needs a grade. Choose one for the tasks that need it, or mark it on its " +
			"own.", "This task needs quality points from 0 to 5. Set them for the tasks that need them, " +
			"or mark it on its own."
		for _, c := range []struct {
			v    form
			want string
		}{
			{form{"trigger": "complete"}, "done[] | " + need + "[grade quality_pts]"},
			{form{"trigger": "complete", "quality_pts": "3"}, "done[] | " + need + "[grade]"},
			{form{"trigger": "complete", "grade": "2"}, "done[] | " + range5 + "[quality_pts]"},
			{form{"trigger": "complete", "grade": "2", "quality_pts": "6"}, "done[] | " + range5 + "[quality_pts]"},
			{form{"trigger": "complete", "grade": "2", "quality_pts": "4"}, "done[] | done grade 2 quality 4[]"},
			{form{"trigger": "redo", "grade": "1"}, "done[] | done grade 1[]"},
			{form{"grade": "2"}, "This task is not graded. Choose a status as well, or leave this task out.[] | " +
				"done grade 2[]"},
			{form{"quality_pts": "1"}, "This task has no quality points. Choose a status as well, or leave this " +
				"task out.[] | done quality 1[]"},
		} {
			if got := plan(c.v); got != c.want {
				t.Errorf("%v: %s, not %s", c.v, got, c.want)
			}
		}
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "Well done"}).status(201)
		if got := plan(form{"trigger": "redo", "comment": "Well done"}); !strings.HasPrefix(got, "Your last comment "+
			"there already says exactly this. Change the comment, or leave it out.") {
			t.Errorf("said twice: %s", got)
		}
	})
}

// In a group the first task of a batch stands for all it reaches.
func TestABatchReachesAGroupOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("both", "defA1", nil)
		w.membersOfBoth()
		member := w.number(`SELECT id FROM tasks WHERE project_id = $1`, w.id["project:mate"])
		w.later(time.Minute)
		before := w.standing()
		v := form{"trigger": "fix", "comment": "Once.", "tasks": w.batchOf(w.id["task"], member)}
		if refused := w.markAll("both", v); refused.Done != 0 || refused.ID != nil || cmp.Diff(before, w.standing()) != "" {
			t.Errorf("their own group: %+v", refused)
		}
		b := w.markAll("tutor", v)
		if b.Done != 2 || b.Tasks[1].With == nil || *b.Tasks[1].With != w.id["task"] || b.Tasks[1].VerdictID != nil ||
			b.Tasks[1].From != "ready_for_feedback" || b.Tasks[1].To != "fix_and_resubmit" {
			text, _ := json.Marshal(b)
			t.Errorf("%s", text)
		}
		if n := w.count("task_comments WHERE comment = 'Once.'"); n != 1 {
			t.Errorf("%d comments", n)
		}
		w.do("tutor", fmt.Sprintf("POST /api/verdict_batches/%d/undo", *b.ID), nil).status(200)
		if diff := cmp.Diff(before, w.standing()); diff != "" {
			t.Errorf("not as before:\n%s", diff)
		}
	})
}

func TestABatchIsBounded(t *testing.T) {
	w := newWorld(t, "sqlite")
	list := make([]string, 201)
	for i := range list {
		list[i] = fmt.Sprintf(`{"id":%d,"version":1}`, i+1)
	}
	for says, tasks := range map[string]string{"1 to 200": strings.Join(list, ","), "not 0": "",
		"twice": `{"id":1,"version":1},{"id":1,"version":2}`} {
		w.do("tutor", "POST /api/units/{unitA}/verdicts", `{"trigger":"redo","tasks":[`+tasks+`]}`).status(400).says(says)
	}
	w.do("tutor", "POST /api/units/{unitA}/verdicts", `{"trigger":"redo","tasks":[{"id":999999,"version":1}]}`).
		status(404).says("no task 999999")
}

// A batch of two hundred takes as many statements as one of two.
func TestABatchCostsTheSame(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		manyTasks("ready_for_feedback")(w, 1, 60)
		cost := func(n int) int64 {
			rows := w.rows(`SELECT '{"id":' || t.id || ',"version":' || t.version || '}' AS v FROM tasks t
				JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id AND u.nickname = 'n'
				WHERE t.status = 'ready_for_feedback' ORDER BY t.id LIMIT $1`, n)
			r := w.request("tutor", "POST /api/units/{unitA}/verdicts", form{"trigger": "redo", "comment": "Again",
				"tasks": "[" + strings.Join(rows, ",") + "]"})
			ctx, count := db.Counting(r.Context(), nil)
			var b batch
			if w.send(r.WithContext(ctx), "a batch").status(200).into(&b); b.Done != n {
				t.Errorf("%d of %d: %+v", b.Done, n, b.Tasks[0])
			}
			return count.N()
		}
		if few, many := cost(2), cost(50); many != few {
			t.Errorf("%d statements for 2, %d for 50", few, many)
		} else {
			t.Logf("%d statements", few)
		}
	})
}
