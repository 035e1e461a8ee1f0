package browser

import (
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hold keeps a key down: the browser repeats it.
func (b *tab) hold(key string, times int) {
	b.Helper()
	for i := range times {
		set(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyDown", Key: key, Text: key,
			AutoRepeat: new(i > 0)})
	}
	set(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyUp", Key: key})
}

// A key that is held marks one student's work; letters in a field are letters; and what
// is typed can be sent from the field.
func TestKeysOfTheDesk(t *testing.T) {
	needed(t)
	s := marking(t)
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(toMark)
	first := given{b.place(), "redo", "cdfr jk 123 ?"}
	b.write(first.comment)
	b.ahead()
	b.hold("r", 5)
	b.moved(first.place)
	second := given{b.place(), "redo", "Sent from the field"}
	b.settled()
	if n := eval[int](b, "document.querySelectorAll('#desk-queue [data-state]').length"); n != 1 {
		t.Errorf("a key that was held marked %d", n)
	}
	b.key("e")
	b.await("document.activeElement.id === 'desk-comment'")
	b.key("Only said")
	b.key(kb.Enter, chromedp.ModifierCtrl)
	b.awaitText("Only said")
	b.settled()
	b.await("document.getElementById('desk-comment').value === ''")
	b.key(second.comment)
	b.key(kb.Enter, chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.moved(second.place)
	b.settled()
	s.compare(t, []given{first, second, {second.place, "redo", "Only said"}})
	third := b.place()
	b.key("k")
	b.shows(second.place)
	eval[bool](b, "history.back(), true")
	b.shows(third)
	b.key("?")
	b.await("document.querySelector('#desk-keys[open] tbody tr')")
	b.key("r")
	b.key(kb.Escape)
	b.await("!document.querySelector('#desk-keys[open]')")
	if b.place() != third {
		t.Error("a key worked behind the list of keys")
	}
	b.key("?")
	b.await("document.querySelector('#desk-keys[open]')")
	b.key(kb.Enter) // closes it, and leads nowhere
	b.await("!document.querySelector('#desk-keys[open]')")
	b.shows(third)
}

// Whoever switched single keys off has none, and the buttons name none.
func TestKeysSwitchedOff(t *testing.T) {
	needed(t)
	s := marking(t)
	set := func(on string) { s.call(t, "aconvenor", "PUT", "/api/preferences", url.Values{"shortcuts": {on}}, nil) }
	set("false")
	defer set("true") // the service is shared
	b := open(t, s, wide)
	b.signIn("aconvenor")
	b.desk(toMark)
	b.ahead()
	at := b.place()
	for _, key := range []string{"j", "n", "c", "r", "u", "?"} {
		b.key(key)
	}
	if b.place() != at || b.has("dialog[open]") || b.has("#desk [aria-keyshortcuts]") || b.has("#desk-queue [data-state]") {
		t.Error("a key worked that was switched off")
	}
}

// What one person typed is there again after a reload, and never for another person at
// the same computer.
func TestDraftsOfTheDesk(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), phone)
	b.signIn("atutor")
	b.desk(toMark)
	at := b.place()
	b.write("half a senten")
	b.desk(toMark + "&at=" + at.Task)
	b.await("document.getElementById('desk-comment').value === 'half a senten'")
	b.signOut()
	b.await("location.pathname === '/sign-in'")
	if left := eval[int](b, "localStorage.length"); left != 0 {
		t.Errorf("%d drafts are left after signing out", left)
	}
	eval[bool](b, "localStorage.setItem('draft 999999 desk task "+at.Task+"', JSON.stringify({comment: 'of another'})), true")
	b.signIn("aconvenor")
	b.desk(toMark + "&at=" + at.Task)
	if text := eval[string](b, "document.getElementById('desk-comment').value"); text != "" {
		t.Errorf("the draft %q is of somebody else", text)
	}
	if left := eval[int](b, "localStorage.length"); left != 0 {
		t.Errorf("%d drafts of somebody else are left", left)
	}
}
