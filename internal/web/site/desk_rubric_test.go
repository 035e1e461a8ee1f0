package site_test

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// criterionOf is one with a level for each number of points.
func criterionOf(title string, points ...int64) rubric.Criterion {
	c := rubric.Criterion{Title: title}
	for i, n := range points {
		c.Levels = append(c.Levels, rubric.Level{Name: fmt.Sprintf("Level <%d>", i+1), Text: fmt.Sprintf("%s is %d", title, n),
			Points: &n})
	}
	return c
}

// rubric gives the graded task of waiting criteria, of five points together.
func (w *world) rubric(list ...rubric.Criterion) (r *rubric.Rubric) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		id, err := db.One[int64](ctx, q, `SELECT id FROM task_definitions WHERE max_quality_pts = 5`)
		if err != nil {
			return err
		}
		author, err := db.One[int64](ctx, q, `SELECT id FROM users WHERE username = 'tom'`)
		if err != nil {
			return err
		}
		r, err = rubric.Save(ctx, q, *id, rubric.Change{Criteria: list, UserID: *author})
		return err
	})
	return r
}

// pickedOn are the levels that are picked on a page.
var pickedOn = regexp.MustCompile(`name="levels\[\d\]" value="(\d+)"(?: data-points="\d+")? checked`)

func (a *answer) picked() (ids []string) {
	for _, m := range pickedOn.FindAllStringSubmatch(a.Body.String(), -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// picks adds levels to the form of the desk, as radio buttons do.
func picks(form url.Values, r *rubric.Rubric, at ...int) url.Values {
	form.Set("rubric", fmt.Sprint(r.ID))
	for i, n := range at {
		form.Set(fmt.Sprintf("levels[%d]", i), fmt.Sprint(r.Criteria[i].Levels[n].ID))
	}
	return form
}

// quality is what a task has of them, and whether they were given by hand.
func (w *world) quality(id int64) (points int64, byHand bool) {
	w.Helper()
	n, err := db.One[int64](w.Context(), w.db.Pool(), `SELECT quality_pts FROM tasks WHERE id = $1`, id)
	if err != nil {
		w.Fatal(err)
	}
	all, err := rubric.MarksOf(w.Context(), w.db.Pool(), id)
	if err != nil {
		w.Fatal(err)
	}
	return *n, all[id].ByHand
}

// Without script levels are radio buttons of the verdict: they add up to the points, points that are typed stay and
// are told of, and an undo puts the levels back into the form.
func TestMarkingByARubricOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		id, tom := ids[2], w.as("tom")
		at := fmt.Sprintf("%s?at=%d", w.path(aDesk), id)
		tom.do(at, nil).status(200).lacks(`id="desk-rubric"`).lacks("desk-rubric.css").lacks(`aria-keyshortcuts="b"`)
		r := w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("<i>Tests</i>", 2, 0))
		page := tom.do(at+"&tab=rubric", nil).status(200).says("Level &lt;1&gt;").says("&lt;i&gt;Tests&lt;/i&gt;").
			says("Design is 3").says(`aria-keyshortcuts="b"`).says(`desk-rubric.css`)
		tom.sound(at, tom.do(at+"&tab=rubric", nil))
		if strings.Contains(page.Body.String(), `id="desk-rubric" hidden`) || len(page.picked()) != 0 {
			t.Errorf("the rubric is not open, or picked: %v", page.picked())
		}
		part := tom.do(fmt.Sprintf("%s/tasks/%d", w.path(aDesk), id), nil).status(200)
		if !strings.Contains(part.Body.String(), `id="desk-rubric" hidden`) {
			t.Error("the part that is fetched ahead has no rubric")
		}
		// A level of another rubric, and two of one criterion, keep everything back.
		form := picks(page.marks("complete", "Kept."), r, 0, 0)
		form.Set("levels[1]", "999")
		tom.do(w.onTask(id, "verdict"), form).status(422).says("Kept.")
		form = picks(page.marks("complete", "Kept."), r, 0, 0)
		form.Set("grade", "2")
		form.Set("levels[1]", fmt.Sprint(r.Criteria[0].Levels[1].ID))
		tom.do(w.onTask(id, "verdict"), form).status(422).says("pick one").says("Kept.")
		// Levels that were picked stay picked where something else is wrong.
		form = picks(page.marks("sublime", ""), r, 1, 0)
		if again := tom.do(w.onTask(id, "verdict"), form).status(400).picked(); len(again) != 2 {
			t.Errorf("of two levels %v stay", again)
		}
		form = picks(page.marks("complete", "Well."), r, 1, 0)
		form.Set("grade", "2")
		done := tom.do(w.onTask(id, "verdict"), form).status(303).Header().Get("Location")
		if n, byHand := w.quality(id); n != 3 || byHand {
			t.Errorf("%d points, by hand: %v", n, byHand)
		}
		w.undoesLevels(done, id, 2)
		w.byHand(id, at, r)
	})
}

// undoesLevels takes a verdict back: its levels are in the form again.
func (w *world) undoesLevels(done string, id int64, levels int) {
	w.Helper()
	tom := w.as("tom")
	u, err := url.Parse(done)
	if err != nil {
		w.Fatal(err)
	}
	undo := url.Values{"verdict": {u.Query().Get("undo")}}
	back := tom.do(w.onTask(id, "undo"), undo).status(200).says(">Well.</textarea>")
	if got := back.picked(); len(got) != levels {
		w.Errorf("after the undo the form has %v", got)
	}
	if n, _ := w.quality(id); n >= 0 {
		w.Errorf("after the undo it has %d points", n)
	}
}

// byHand gives points that are not the sum, then the sum again, and takes the levels back.
func (w *world) byHand(id int64, at string, r *rubric.Rubric) {
	w.Helper()
	tom := w.as("tom")
	form := picks(tom.do(at, nil).marks("complete", ""), r, 0, 0)
	form.Set("grade", "2")
	form.Set("quality", "4")
	tom.do(w.onTask(id, "verdict"), form).status(303)
	if n, byHand := w.quality(id); n != 4 || !byHand {
		w.Errorf("%d points, by hand: %v", n, byHand)
	}
	page := tom.do(at, nil).says(`class="badge orange">Set by hand`).lacks(`name="summed"`)
	if got := page.picked(); len(got) != 2 {
		w.Errorf("the page has %v", got)
	}
	form = picks(page.marks("complete", ""), r, 0, 0)
	form.Set("grade", "2")
	tom.do(w.onTask(id, "verdict"), form).status(303)
	page = tom.do(at, nil).says(`name="summed" value="5"`)
	// What stood in the field of points was not typed: other levels are another sum.
	form = picks(page.marks("complete", ""), r, 2, 0)
	form.Set("grade", "2")
	form.Set("quality", "5")
	form.Set("summed", "5")
	tom.do(w.onTask(id, "verdict"), form).status(303)
	if n, byHand := w.quality(id); n != 2 || byHand {
		w.Errorf("%d points, by hand: %v", n, byHand)
	}
	form = tom.do(at, nil).marks("discuss", "")
	form.Set("rubric", fmt.Sprint(r.ID))
	form.Set("levels[0]", "0")
	form.Set("levels[1]", "0")
	tom.do(w.onTask(id, "verdict"), form).status(303)
	if got := tom.do(at, nil).picked(); len(got) != 0 {
		w.Errorf("the levels were taken back, and the page has %v", got)
	}
}

// A rubric that was changed while somebody marked is told of, and the present one is shown with what is the same.
func TestARubricChangedWhileMarkingOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		id, tom := ids[2], w.as("tom")
		at := fmt.Sprintf("%s?at=%d", w.path(aDesk), id)
		old := w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("Tests", 2, 0))
		page := tom.do(at, nil).status(200)
		form := picks(page.marks("complete", "Well."), old, 0, 0)
		form.Set("grade", "2")
		design := old.Criteria[0]
		design.Levels[0].Text = "Another text"
		now := w.rubric(design, criterionOf("Proofs", 2, 1, 0))
		changed := tom.do(w.onTask(id, "verdict"), form).status(409).says("The rubric has changed since you opened it").
			says("Proofs").says("Another text").says("Well.").lacks("Save mine as well")
		if got := changed.picked(); len(got) != 1 || got[0] != fmt.Sprint(design.Levels[0].ID) {
			t.Errorf("picked are %v", got)
		}
		tom.do(w.onTask(id, "verdict"), form, "Accept", "application/json").status(409).says(`"rubric_changed"`)
		if s := w.statusOf(id); s != "ready_for_feedback" {
			t.Error(s)
		}
		form = picks(changed.marks("complete", "Well."), now, 0, 1)
		form.Set("grade", "2")
		tom.do(w.onTask(id, "verdict"), form).status(303)
		// What was marked keeps its own, and the desk tells of it beside the present one.
		w.rubric(criterionOf("Style", 5, 0))
		later := tom.do(at+"&tab=rubric", nil).says("Given with version").says("Proofs").says("Style").
			lacks(`name="summed"`)
		if got := later.picked(); len(got) != 0 {
			t.Errorf("of the present rubric %v are picked", got)
		}
		w.as("ann").do(at, nil).status(403)
	})
}

// mostRubric is how many bytes a rubric of five criteria may add to what a browser loads for the desk.
const mostRubric = 1_200

// A rubric of five criteria, each with four levels that have a text, adds little to the desk: its script and its style
// come later.
func TestARubricAddsLittleToTheDesk(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.waiting()
	at := fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[2])
	loaded := func() (total int) {
		l := load{world: w.as("tom"), sizes: map[string]int{}}
		l.page(at)
		for address, n := range l.sizes {
			total += n
			if strings.Contains(address, "rubric") {
				t.Errorf("the desk waits for %s", address)
			}
		}
		return total
	}
	before := loaded()
	var list []rubric.Criterion
	for _, title := range strings.Fields("Design Tests Report Style Names") {
		list = append(list, criterionOf(title, 1, 0, 0, 0))
	}
	w.rubric(list...)
	w.as("tom").do(at, nil).says(`id="desk-rubric"`)
	after := loaded()
	t.Logf("%d bytes without, %d with", before, after)
	if after-before > mostRubric {
		t.Errorf("a rubric adds %d bytes", after-before)
	}
}

// A student sees what a task is marked by before they submit, and what their work got: the levels of the version it was
// marked with, what they add up to, and points that were set by hand. Nobody else's, and nothing where there is none.
func TestAStudentReadsWhyByARubric(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		id, tom := ids[2], w.as("tom")
		own := w.one(fmt.Sprintf(`SELECT '/projects/' || CAST(project_id AS TEXT) || '/tasks/' || CAST(task_definition_id AS TEXT)
			FROM tasks WHERE id = %d`, id))
		owner := w.as(w.one(fmt.Sprintf(`SELECT u.username FROM tasks t JOIN projects p ON p.id = t.project_id
			JOIN users u ON u.id = p.user_id WHERE t.id = %d`, id)))
		owner.do(own, nil).status(200).lacks("How this task is marked").lacks("task-rubric.css")
		r := w.rubric(criterionOf("Design", 3, 1, 0), criterionOf("<i>Tests</i>", 2, 0))
		owner.do(own, nil).status(200).says("How this task is marked").says("2 criteria, 5 points").says("Design is 3").
			says("&lt;i&gt;Tests&lt;/i&gt;").lacks("Picked:").says("task-rubric.css")
		form := picks(tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), id), nil).marks("redo", ""), r, 1, 0)
		form.Set("grade", "2")
		form.Set("quality", "4")
		tom.do(w.onTask(id, "verdict"), form).status(303)
		read := owner.do(own, nil).status(200).says("How your work was marked").says("3 of 5 points").says("1 of 3 points").
			says("2 of 2 points").says("The quality points were set by hand: 4.").lacks("which has changed since")
		if n := strings.Count(read.Body.String(), `class="got"`); n != 2 {
			t.Errorf("%d levels are picked", n)
		}
		w.rubric(criterionOf("Style", 5, 0))
		owner.do(own, nil).status(200).says("Marked with version 1 of the rubric, which has changed since.").says("Design is 1").
			says("What is marked from now on: version 2 of the rubric").says("Style")
		tom.do(own, nil).status(200).says("How your work was marked")
		w.as("eve").do(own, nil).status(403)
	})
}
