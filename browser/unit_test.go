package browser

import (
	"strings"
	"testing"
)

// A convenor begins a unit from an earlier one after its plan, and a blank one, is led to the checklist
// of each, moves the dates of the first after seeing what moves, and closes it.
func TestANewUnitByThePages(t *testing.T) {
	needed(t)
	b := open(t, serve(t), wide)
	b.signIn("aconvenor")
	where := func() string { return eval[string](b, "location.pathname") }
	b.visit("/home")
	b.follow("main a[href='/units/new']")
	b.follow("main a[href='/units/1/rollover']")
	b.follow("main form .btn.primary")
	b.awaitText("Nothing is created yet.")
	b.barriers("the plan of a rollover")
	b.follow(".apply-bar .btn.primary")
	b.awaitText("Checklist")
	rolled := where()
	b.visit("/units/new")
	b.follow("main a[href$='blank=true']")
	b.fill("#code", "SIT100")
	b.fill("#name", "Logic and proof")
	b.follow("main form .btn.primary")
	b.awaitText("Checklist")
	if blank := where(); blank == rolled || !strings.HasPrefix(rolled, "/units/") || !strings.HasPrefix(blank, "/units/") {
		t.Errorf("the units are at %s and %s", rolled, blank)
	}
	b.visit(rolled + "/settings")
	eval[bool](b, `document.getElementById('start_date').valueAsNumber += 7 * 864e5, true`)
	b.follow(".apply-bar .btn.primary")
	b.awaitText("Review what moves")
	b.barriers("what a change of dates moves")
	b.follow(".apply-bar .btn.primary")
	b.awaitText("Settings saved.")
	b.press("main a[data-asks]")
	b.await("document.querySelector('dialog[open]')?.textContent.includes('Close this unit?')")
	b.follow("dialog[open] form button")
	b.await("document.querySelector('main form[action$=\"/reopen\"]')")
}
