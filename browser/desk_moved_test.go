package browser

import (
	"fmt"
	"math"
	"testing"
)

// What a colleague does to the work that is looked at, or to a row of the queue, shows at once: in the
// row, in the header, in the numbers and in a sentence. What is typed stays, and the queue goes on
// behind what they marked.
func TestAColleagueMarksWhatILookAt(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		task, other := s.first(t, "status=ready_for_feedback", 0), s.first(t, "status=ready_for_feedback", 1)
		b := open(t, s, on)
		b.signIn("atutor")
		b.desk(fmt.Sprintf(toMark+"&at=%d", task.ID))
		b.ahead()
		b.write("Half a sentence")
		eval[bool](b, "window.same = true")
		const numbers = "Number(document.getElementById('desk-progress').dataset.mark)"
		waiting := eval[int](b, numbers)
		row := func(w waitingTask) string {
			return fmt.Sprintf("document.querySelector('#desk-queue [data-task=\"%d\"]')", w.ID)
		}
		const says = ".textContent.includes('Redo, by Ana Convenor')"

		s.marked(t, "aconvenor", other, "redo")
		b.await(row(other) + says + " && " + row(other) + ".querySelector('.pill').textContent.trim() === 'Redo'")
		b.await(fmt.Sprint(numbers, " === ", waiting-1))
		if !eval[bool](b, "document.getElementById('desk-notice').hidden") {
			t.Error("a row that is not looked at is told of above the work")
		}

		b.await(readable)
		reading := eval[float64](b, "("+viewer+".pane.scrollTop += 100, "+viewer+".pane.scrollTop)")
		if on == wide { // a phone has no room for it
			b.focus(".viewer-bar [type=search]")
		}
		s.marked(t, "aconvenor", task, "redo")
		b.await("document.getElementById('desk-notice').checkVisibility() && " +
			"document.getElementById('desk-notice').textContent === 'Ana Convenor changed the status to Redo.'")
		b.await("document.querySelector('#desk-task header .pill').textContent.trim() === 'Redo' && " + row(task) + says)
		b.await(fmt.Sprint(numbers, " === ", waiting-2))
		b.await("document.getElementById('desk-said').textContent === 'Ana Convenor changed the status to Redo.'")
		if !eval[bool](b, "window.same && document.getElementById('desk-comment').value === 'Half a sentence'") {
			t.Error("the page was left, or what was typed is gone")
		}
		if now := eval[float64](b, viewer+".pane.scrollTop"); math.Abs(now-reading) > 1 {
			t.Errorf("the reader was at %v of the document, and is at %v", reading, now)
		}
		if on == wide && !eval[bool](b, "document.activeElement.matches('.viewer-bar [type=search]')") {
			t.Error("the search in the document lost the focus")
		}
		b.fill("#desk-comment", " ")
		next := eval[string](b, fmt.Sprintf(`(() => {
			const all = [...document.querySelectorAll('#desk-queue li')];
			const i = all.findIndex((r) => r.dataset.task === "%d");
			return [...all.slice(i + 1), ...all.slice(0, i)].find((r) => !r.dataset.state).dataset.task;
		})()`, task.ID))
		eval[bool](b, "document.querySelector('[data-act=waiting]').click(), true")
		b.shows(place{Task: next})
	}, wide, phone)
}
