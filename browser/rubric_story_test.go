package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// redraws presses Enter on a button that draws the fields again, and waits until a field has the focus.
func (b *tab) redraws(selector, focus string) {
	b.Helper()
	b.tabTo(selector)
	eval[bool](b, "window.leaving = true")
	b.key(kb.Enter)
	b.await("!window.leaving && document.readyState === 'complete' && document.activeElement.id === " + quote(focus))
}

// sums waits until the best levels of the rubric that is written add up to this.
func (b *tab) sums(text string) {
	b.Helper()
	b.await("document.getElementById('rubric-sum').textContent.trim() === " + quote(text))
}

// types writes into the fields with these ids, which come one after the other, by keys alone.
func (b *tab) types(texts ...string) {
	b.Helper()
	for i := 0; i+1 < len(texts); i += 2 {
		b.tabTo("#" + texts[i])
		b.key(texts[i+1])
	}
}

// writesARubric has a convenor write five criteria for a task without a rubric, from the settings of the unit and by
// keys alone: one criterion is removed, one moved, and so is a level.
func (b *tab) writesARubric(task string) {
	b.Helper()
	b.visit("/units/1/settings/tasks")
	b.tabTo("#task-" + task + " button[popovertarget]")
	b.key(kb.Enter)
	b.enters("#more-"+task+" a[href$='/rubric']", "document.getElementById('rubric-add')")
	b.redraws("#rubric-add", "c0-title")
	b.key("Design")
	b.types("c0-description", "How it is built.")
	b.redraws("[value='remove-0-3']", "c0-l2-name")
	b.tabBack("#c0-l0-points")
	b.key("2")
	b.sums("2 of 5 quality points")
	b.types("c0-l0-text", "Every part has one purpose.", "c0-l1-points", "1", "c0-l2-points", "0")
	for i, title := range []string{"Tests", "Report", "Extra", "Style", "Names"} {
		b.redraws("#rubric-add", fmt.Sprintf("c%d-title", i+1))
		b.key(title)
	}
	b.sums("12 of 5 quality points")
	b.tabBack("[value='remove-3']")
	b.redraws("[value='remove-3']", "c3-title")
	b.sums("10 of 5 quality points")
	b.redraws("#c4-up", "c3-up")
	b.redraws("[value='add-3']", "c3-l3-name")
	b.key("Poor")
	b.types("c3-l3-points", "0")
	b.redraws("#c3-l3-up", "c3-l2-up")
	b.redraws("#c3-l2-up", "c3-l1-up")
	b.redraws("#c3-l1-up", "c3-l0-down") // it is the first, and its other button leads no further
	b.redraws("#c3-l0-down", "c3-l1-down")
	b.tabTo("#fit")
	b.key(" ")
	b.tabTo(".card-foot .btn.primary")
	eval[bool](b, "window.leaving = true")
	b.key(kb.Enter)
	b.await("!window.leaving && document.readyState === 'complete'")
	b.awaitText("The rubric is saved.")
	b.sums("10 of 10 quality points")
}

// criteriaOf are the criteria of a task, as the service has them.
func (s *service) criteriaOf(t *testing.T, task string) (out []string) {
	t.Helper()
	var rubric struct {
		Criteria []struct {
			Title  string `json:"title"`
			Levels []struct {
				Name   string `json:"name"`
				Points int    `json:"points"`
			} `json:"levels"`
		} `json:"criteria"`
	}
	s.call(t, "aconvenor", "GET", "/api/units/1/task_definitions/"+task+"/rubric", nil, &rubric)
	for _, c := range rubric.Criteria {
		text := c.Title + ":"
		for _, l := range c.Levels {
			text += fmt.Sprintf(" %s %d", l.Name, l.Points)
		}
		out = append(out, text)
	}
	return out
}

// readsWhy has the student of a work read on a phone by which levels it was marked.
func (s *service) readsWhy(t *testing.T, of place, whose, sum string, levels ...string) {
	t.Helper()
	b := open(t, s, phone)
	b.signIn(whose)
	b.visit("/projects/" + of.Project + "/tasks/" + of.Definition)
	b.awaitText("How your work was marked")
	b.awaitText(sum + " points")
	got := eval[[]string](b, "[...document.querySelectorAll('#rubric .got strong')].map((e) => e.textContent)")
	if !slices.Equal(got, levels) {
		t.Errorf("%s reads %q, not %q", whose, got, levels)
	}
	b.asItIs("why, on a phone")
}

// A convenor writes a rubric of five criteria, a tutor marks ten works by it, a student reads why, and a sample of them
// is marked a second time and settled: all by keys, and the student on a phone.
func TestARubricFromItsFirstWordToModeration(t *testing.T) {
	needed(t)
	s := serve(t)
	const task = "18"
	b := open(t, s, wide)
	b.signIn("aconvenor")
	b.writesARubric(task)
	const three = ": Excellent 2 Good 1 Developing 0"
	if got, want := s.criteriaOf(t, task), []string{"Design" + three, "Tests" + three, "Report" + three,
		"Names: Excellent 2 Poor 0 Good 1 Developing 0", "Style" + three}; !slices.Equal(got, want) {
		t.Fatalf("the rubric is %q", got)
	}

	var waiting []waitingTask
	s.ask(t, "/api/units/1/queue?status=ready_for_feedback&task_definition_id="+task, &waiting)
	whose := map[string]string{}
	for _, w := range waiting {
		whose[fmt.Sprint(w.ID)] = w.Username
	}
	tutor := open(t, s, wide)
	tutor.signIn("atutor")
	tutor.desk(sixth)
	tutor.await("document.querySelectorAll('#desk-rubric .rub').length === 5 && " + rubricRead)
	var marked []place
	for i := range 10 {
		marked = append(marked, tutor.marksBy([]string{"11111", "12341", "33322"}[i%3]))
	}
	tutor.settled()
	for i, at := range marked {
		s.hasLevels(t, at, []int{10, 5, 1}[i%3], false)
	}
	s.readsWhy(t, marked[1], whose[marked[1].Task], "5 of 10", "Excellent", "Good", "Developing", "Developing",
		"Excellent")

	s.set(t, `DELETE FROM moderation_works`)
	b.previews("6.3HD")
	b.awaitText("4 of 10")
	b.enters("main form[method=post] .btn.primary", "document.querySelector('.sampled tbody')")
	b.enters("main .actions .btn.primary", "document.getElementById('marking')")
	if text := b.text("#mark"); !strings.Contains(text, "Names") || strings.Contains(text, "First mark") {
		t.Errorf("the second marker reads %s", text)
	}
	b.visitAgain()
	b.marksSecond(5, "Another look.")
	b.visitAgain()
	b.settles("Both parts are there.")
}

// On a phone a rubric is written by touch.
func TestWritingARubricOnAPhone(t *testing.T) {
	needed(t)
	s := serve(t)
	const task = "18"
	b := open(t, s, phone)
	b.signIn("aconvenor")
	b.visit("/units/1/settings/tasks/" + task + "/rubric")
	b.follow("#rubric-add")
	b.await("document.activeElement.id === 'c0-title'")
	b.fill("#c0-title", "Design")
	b.fill("#c0-l0-points", "3")
	b.follow("[value='remove-0-3']")
	b.fill("#c0-l1-points", "1")
	b.fill("#c0-l2-points", "0")
	b.follow("#rubric-add")
	b.fill("#c1-title", "Tests")
	b.sums("6 of 5 quality points")
	b.follow("#c1-up")
	b.await("document.activeElement.id === 'c0-down'")
	b.press("#fit")
	b.asItIs("a rubric that is written on a phone")
	b.follow(".card-foot .btn.primary")
	b.awaitText("The rubric is saved.")
	const three = ": Excellent 3 Good 1 Developing 0"
	if got, want := s.criteriaOf(t, task), []string{"Tests" + three, "Design" + three}; !slices.Equal(got, want) {
		t.Errorf("the rubric is %q", got)
	}
}
