package browser

import (
	"strings"
	"testing"
)

// twice gives two verdicts on one task, one after the other, with the network away.
func twice(b *tab, w *wire) []given {
	b.Helper()
	b.desk(toMark)
	b.ahead()
	w.does.set(isLost)
	at := b.place()
	first, second := given{at, "redo", "At first, of " + at.Task}, given{at, "discuss", "On second thoughts, of " + at.Task}
	b.write(first.comment)
	b.mark(first.status)
	b.key("k")
	b.shows(at)
	b.write(second.comment)
	b.give(second.status)
	b.await("document.querySelectorAll('#desk-refused p').length === 2")
	first.status = second.status // which is the last word
	return []given{first, second}
}

// Two verdicts on one task wait for the network: the second is about what came of the
// first, also when the page is closed between them.
func TestTwoVerdictsOnOneTask(t *testing.T) {
	needed(t)
	s := marking(t)
	w := newWire(t, s)
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.expect("status of 409")
	b.signIn("atutor")
	t.Run("one after the other", func(t *testing.T) {
		both := twice(b, w)
		w.does.set(arrives)
		b.settled()
		s.compare(t, both)
	})
	t.Run("the page closed between them", func(t *testing.T) {
		c := b.another()
		both := twice(c, w)
		w.does.set(once)
		c.await("Object.keys(localStorage).filter((k) => / desk sent /.test(k)).length === 1")
		c.close()
		w.does.set(arrives)
		b.desk(toMark)
		b.settled()
		s.compare(t, both)
	})
	t.Run("somebody else between them", func(t *testing.T) {
		both := twice(b, w)
		at := both[0].place
		two := open(t, s, wide)
		two.signIn("aconvenor")
		two.desk("/units/1/desk?at=" + at.Task)
		two.mark("fix_and_resubmit")
		two.settled()
		w.does.set(arrives)
		b.await("document.querySelectorAll('#desk-refused button').length === 4") // mine, theirs, of both
		for _, g := range both {
			if !strings.Contains(b.text("#desk-refused"), g.comment) {
				t.Errorf("%q does not show %q", b.text("#desk-refused"), g.comment)
			}
		}
		b.press("#desk-refused button")
		b.await("document.querySelectorAll('#desk-refused button').length === 2")
		b.press("#desk-refused button")
		b.settled()
		s.compare(t, both)
	})
}

// Who signs out while a verdict has not arrived is told so, and can send it before.
func TestSigningOutWithVerdictsUnsent(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		w := newWire(t, s)
		b := open(t, w.service, on)
		b.expect("net::ERR_")
		b.signIn("atutor")
		b.desk(toMark)
		b.ahead()
		g := given{b.place(), "redo", "Before I go, on " + on.name}
		w.does.set(isLost)
		b.write(g.comment)
		b.mark(g.status)
		b.await("document.querySelector('#desk-refused p')")
		b.pressSignOut()
		b.await("document.querySelector('dialog[open] li')")
		b.press("dialog[open] button[value=stay]")
		b.await("!document.querySelector('dialog[open]')")
		b.pressSignOut()
		b.await("document.querySelector('dialog[open] li')")
		b.press("dialog[open] button[value=send]") // the network is still away
		b.await("document.querySelector('dialog[open] [role=status]').textContent.includes('Could not be sent')")
		w.does.set(arrives)
		b.press("dialog[open] button[value=send]")
		b.await("location.pathname === '/sign-in'")
		s.compare(t, []given{g})
		if left := eval[int](b, "localStorage.length"); left != 0 {
			t.Errorf("%d drafts are left after signing out", left)
		}
	}, wide, phone)
}

// Who does not want to send what has not arrived signs out all the same, from any page.
func TestSigningOutRemovesWhatIsUnsent(t *testing.T) {
	needed(t)
	w := newWire(t, marking(t))
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.signIn("atutor")
	b.desk(toMark)
	b.ahead()
	w.does.set(isLost)
	b.write("Never said")
	b.mark("redo")
	b.await("document.querySelector('#desk-refused p')")
	w.does.set(postsLost)
	b.visit("/home")
	b.pressSignOut()
	b.await("document.querySelector('dialog[open] li')")
	w.does.set(arrives)
	b.press("dialog[open] button[value=leave]")
	b.await("location.pathname === '/sign-in'")
	if left := eval[int](b, "localStorage.length"); left != 0 {
		t.Errorf("%d drafts are left after signing out", left)
	}
}
