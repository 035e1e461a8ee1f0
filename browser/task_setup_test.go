package browser

import (
	"strings"
	"testing"
)

// dragTo drags a row of the table of tasks to the week that another row is in.
const dragTo = `((row, to) => {
	const dataTransfer = new DataTransfer();
	const init = { bubbles: true, cancelable: true, dataTransfer };
	row.dispatchEvent(new DragEvent('dragstart', init));
	to.dispatchEvent(new DragEvent('dragover', init));
	to.dispatchEvent(new DragEvent('drop', init));
})`

// A convenor moves a task to the next week by keys, back by Undo, and by a drag to another week.
func TestTasksMoveByKeysAndDrag(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("acain")
	b.visit("/units/1/settings/tasks")
	row := "document.querySelector('.task-table tr[id]')"
	id := eval[string](b, row+".id")
	at := "document.getElementById('" + id + "')"
	week := at + ".closest('tbody').dataset.week"
	was := eval[string](b, week)
	eval[bool](b, at+".querySelector('th a').focus() || true")
	eval[bool](b, at+`.querySelector('th a').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', altKey: true,
		bubbles: true, cancelable: true }))`)
	b.await("location.search.includes('done=moved') && " + week + " !== " + quote(was))
	eval[bool](b, "document.querySelector('.toast button').click() || true")
	ready := " && " + at + ".draggable" // the script of the page ran
	b.await(week + " === " + quote(was) + ready)
	last := "[...document.querySelectorAll('.task-table tbody:not([hidden])')].at(-1)"
	to := eval[string](b, last+".dataset.week")
	eval[bool](b, "("+dragTo+"("+at+", "+last+".querySelector('tr[id]')), true)")
	b.await("location.search.includes('done=moved') && " + week + " === " + quote(strings.TrimSpace(to)) + ready)
	const empty = "document.querySelector('.task-table tbody[hidden]')" // a week without a task
	to = eval[string](b, empty+".dataset.week")
	eval[bool](b, "("+dragTo+"("+at+", "+empty+".querySelector('th')), true)")
	b.await(week + " === " + quote(to))
}
