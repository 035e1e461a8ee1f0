package site_test

import (
	"fmt"
	"net/url"
	"testing"

	"lectern/internal/teaching/rubric"
)

// twoByARubric lets two works of one task wait, which is marked by two criteria of five points together.
func (w *world) twoByARubric() (ids []string, r *rubric.Rubric) {
	w.Helper()
	w.waiting()
	w.exec(`UPDATE task_definitions SET is_graded = FALSE`)
	w.exec(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, created_at, updated_at)
		SELECT p.id, t.task_definition_id, t.unit_id, t.status, t.submission_date, t.created_at, t.updated_at
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id JOIN projects p ON p.unit_id = t.unit_id
		JOIN users u ON u.id = p.user_id WHERE u.username = 'bea' AND d.max_quality_pts = 5`)
	for _, extreme := range []string{"min", "max"} {
		ids = append(ids, w.one(`SELECT CAST(`+extreme+`(t.id) AS TEXT) FROM tasks t
			JOIN task_definitions d ON d.id = t.task_definition_id WHERE d.max_quality_pts = 5`))
	}
	return ids, w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("<i>Tests</i>", 2, 0))
}

// levelsOf are the levels that tasks have, as the database keeps them.
func (w *world) levelsOf() string {
	w.Helper()
	return w.one(`SELECT CAST(count(*) AS TEXT) FROM rubric_marks WHERE present AND levels <> '[]'`)
}

// both begins with a status for both works, as it is set in the inbox.
func (r *reader) both(word string) *reader {
	r.Helper()
	return r.open(r.path("/units/{id}/inbox")).does(act{form: "/inbox/plan", fill: map[string]string{"verdict": word},
		tick: []string{"ann <b>Person</b> 2", "bea <b>Person</b> 2"}})
}

// level is how the form says which level of a criterion is picked.
func level(r *rubric.Rubric, criterion, at int) (name, value string) {
	return fmt.Sprintf("levels[%d]", criterion), fmt.Sprint(r.Criteria[criterion].Levels[at].ID)
}

// Without script, several submissions of one task get levels with their status: what each gets is shown before it is
// applied, and one undo takes back the status, the levels and the points of all.
func TestABatchGetsLevels(t *testing.T) {
	each(t, func(w *world) {
		_, by := w.twoByARubric()
		tom := w.reader("tom")
		design, good := level(by, 0, 0)
		tests, none := level(by, 1, 1)
		tom.both("complete").sees("2 cannot be changed").sees("Each submission gets the levels you select here").
			sees("Level &lt;1&gt;").sees("&lt;i&gt;Tests&lt;/i&gt;").sees(`max="5"`).lacks("Rubric levels can be set when")
		tom.does(act{form: "/inbox/plan", press: "Review changes", fill: map[string]string{design: good, tests: none}}).
			sees("2 submissions will change").sees("quality 3").sees("<bdi>Design</bdi>:").
			sees("<strong><bdi>Level &lt;1&gt;</bdi></strong>").
			sees(`name="summed" value="3"`).sees(`id="batch-by-hand" class="badge orange" hidden`)
		if got := tom.last.picked(); len(got) != 2 || w.levelsOf() != "0" {
			t.Fatalf("the plan has %v, and %s tasks have levels", got, w.levelsOf())
		}
		tom.sound("the plan with levels", tom.last)
		tom.does(act{form: "/inbox/plan", press: "Apply to 2"}).sees("2 updated").sees("quality 3").sees("<bdi>Design</bdi>:")
		if got := w.one(`SELECT CAST(min(quality_pts) + max(quality_pts) AS TEXT) FROM tasks
			WHERE status = 'complete'`); got != "6" || w.levelsOf() != "2" {
			t.Fatalf("together they have %s points, and %s have levels", got, w.levelsOf())
		}
		tom.does(act{form: "/inbox/undo"}).sees("2 undone")
		if got := w.one(`SELECT CAST(count(*) AS TEXT) FROM tasks
			WHERE status = 'complete' OR quality_pts >= 0`); got != "0" ||
			w.levelsOf() != "0" {
			t.Errorf("after the undo %s are marked, and %s have levels", got, w.levelsOf())
		}
	})
}

// Points that are typed stay and are told of; what is changed after the review is reviewed again, and nothing is
// applied before.
func TestPointsByHandInABatch(t *testing.T) {
	each(t, func(w *world) {
		_, by := w.twoByARubric()
		tom := w.reader("tom")
		design, good := level(by, 0, 0)
		tests, all := level(by, 1, 0)
		tom.both("redo").sees("2 submissions will change").sees("<details open")
		picked := map[string]string{design: good, tests: all, "quality": "4"}
		tom.does(act{form: "/inbox/plan", press: "Apply to 2", fill: picked}).sees("nothing is applied yet").
			sees("2 submissions will change").sees("quality 4").sees(`<span class="badge orange">Set by hand</span>`).
			sees(`name="summed" value=""`).lacks(`id="batch-by-hand" class="badge orange" hidden`).lacks("<details open")
		if w.levelsOf() != "0" {
			t.Fatal("levels that nobody reviewed are applied")
		}
		tom.does(act{form: "/inbox/plan", press: "Apply to 2"}).sees("2 updated").sees("Set by hand")
		if got := w.one(`SELECT CAST(count(*) AS TEXT) FROM tasks WHERE status = 'redo' AND quality_pts = 4`); got != "2" ||
			w.levelsOf() != "2" {
			t.Errorf("%s have the points, %s the levels", got, w.levelsOf())
		}
		// The points that stood there as the sum are nobody's own: other levels are another sum.
		w.exec(`UPDATE tasks SET status = 'ready_for_feedback'`)
		design, good = level(by, 0, 2)
		tom.both("redo").does(act{form: "/inbox/plan", press: "Review", fill: map[string]string{design: good, tests: all}}).
			sees(`name="summed" value="2"`)
		design, good = level(by, 0, 1)
		tom.does(act{form: "/inbox/plan", press: "Review", fill: map[string]string{design: good}}).sees("quality 3").
			lacks("Set by hand</span></td>")
		// None picked leaves what a task has.
		tom.both("fix_and_resubmit").does(act{form: "/inbox/plan", press: "Apply to 2"}).sees("2 updated")
		if w.levelsOf() != "2" {
			t.Errorf("%s still have levels", w.levelsOf())
		}
	})
}

// Levels alone are enough to say. A rubric that changed meanwhile keeps everything back and shows the present one.
func TestARubricChangesUnderABatch(t *testing.T) {
	each(t, func(w *world) {
		_, by := w.twoByARubric()
		tom := w.reader("tom")
		inbox := w.path("/units/{id}/inbox")
		form := tom.both("complete").forms()[0].values
		for _, f := range tom.forms() {
			if f.values.Has("planned") {
				form = f.values
			}
		}
		for criterion, at := range []int{0, 1} {
			name, value := level(by, criterion, at)
			form.Set(name, value)
		}
		form.Del("planned")
		only := url.Values{"tasks": form["tasks"], "rubric": form["rubric"], "levels[0]": form["levels[0]"]}
		w.as("tom").do(inbox+"/plan", only).status(200).says("2 submissions will change")
		kept := by.Criteria[0]
		kept.Levels[0].Text = "Another text"
		w.rubric(kept, criterionOf("Proofs", 2, 1))
		for _, path := range []string{"/plan", "/verdicts"} {
			again := w.as("tom").do(inbox+path, form).status(409).says("The rubric has changed since you opened it").
				says("Proofs").says("Another text").lacks("Apply to")
			if got := again.picked(); len(got) != 1 || w.levelsOf() != "0" {
				t.Errorf("%s: %v are picked, %s have levels", path, got, w.levelsOf())
			}
		}
		w.exec(`UPDATE rubrics SET current = FALSE`)
		w.as("tom").do(inbox+"/verdicts", form).status(409).says("This task has no rubric").lacks("batch-rubric")
		w.as("ann").do(inbox+"/plan", form).status(403)
	})
}

// Submissions of several tasks get no levels, and the page says where they do. Without any rubric it says nothing.
func TestLevelsAreForOneTask(t *testing.T) {
	each(t, func(w *world) {
		w.twoByARubric()
		tom := w.reader("tom")
		several := act{form: "/inbox/plan", fill: map[string]string{"verdict": "redo"},
			tick: []string{"ann <b>Person</b> 2", "ann <b>Person</b> <b>1</b>"}}
		inbox := w.path("/units/{id}/inbox")
		tom.open(inbox).does(several).sees("2 submissions will change").lacks("batch-rubric").
			sees("Rubric levels can be set when all selected submissions are of one task.")
		w.exec(`UPDATE rubrics SET current = FALSE`)
		tom.open(inbox).does(several).sees("2 submissions will change").lacks("Rubric levels").lacks("rubric")
		tom.both("redo").sees("2 submissions will change").sees("Change the status, grade or comment").lacks("rubric")
	})
}
