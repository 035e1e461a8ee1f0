package browser

import (
	"fmt"
	"testing"
)

// What the desk refuses beside the verdict is told where its form stands, without leaving:
// a decision on more time that is none, and a note that is too long. What is typed stays.
func TestRefusedInPlace(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := another(t)
		b := open(t, s, on)
		b.expect("status of 40")
		b.signIn("atutor")
		var asked []struct {
			TaskID int64 `json:"task_id"`
		}
		s.ask(t, "/api/units/1/extensions?decided=false", &asked)
		if len(asked) == 0 {
			t.Fatal("nobody asks for more time")
		}
		b.desk(fmt.Sprintf("/units/1/desk?at=%d", asked[0].TaskID))
		b.write("Half a sentence")
		eval[bool](b, "window.same = true, document.querySelector('[name=extension]').value = '999999999', true")
		b.press(".desk-card button[value=true]")
		b.await("document.querySelector('.desk-card .desk-why')")
		b.asItIs("a decision that was refused")
		const kept = "window.same && document.getElementById('desk-comment').value === 'Half a sentence'"
		if !eval[bool](b, kept) {
			t.Error("the page was left, or the comment is gone")
		}
		b.press("a[data-panel=desk-notes]")
		eval[bool](b, `(document.getElementById('desk-note').value = 'x'.repeat(4096),
			document.getElementById('desk-note-flag').click(), true)`)
		b.press("form[action*='/note'] button")
		b.await("document.querySelector('#desk-notes .desk-why')")
		if !eval[bool](b, kept+" && document.getElementById('desk-note').value.length === 4096 && "+
			"document.getElementById('desk-note-flag').checked && document.querySelectorAll('.desk-why').length === 1") {
			t.Errorf("what was typed is gone: %s", b.text(".desk-talk"))
		}
	}, wide, phone)
}
