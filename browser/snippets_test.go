package browser

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// offered waits for the suggestions to be these.
func (b *tab) offered(texts ...string) {
	b.Helper()
	list := "[...document.querySelectorAll('#desk-offers [role=option]')].map((o) => o.textContent).join('|')"
	want := ""
	for i, text := range texts {
		if i > 0 {
			want += "|"
		}
		want += text
	}
	b.await(list + " === " + quote(want))
}

// Reusable comments that begin as the line that is being typed are offered below it, the
// unit's and one's own, and are chosen by the arrow keys or by touch.
func TestSuggestions(t *testing.T) {
	needed(t)
	s := another(t)
	s.call(t, "atutor", "POST", "/api/units/1/snippets", url.Values{"text": {"Nameless things are hard to find."}}, nil)
	const units, own = "Name your tests after what they show.", "Nameless things are hard to find."
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(toMark)
	g := given{b.place(), "redo", "Dear all\n" + units}
	b.key("e")
	b.await("document.activeElement.id === 'desk-comment'")
	b.key("Dear all")
	b.offered()
	b.key(kb.Enter + "n")
	b.offered() // one letter is none
	b.key("AME")
	b.await("document.querySelectorAll('#desk-offers [role=option]').length === 2")
	b.key("l")
	b.offered(own)
	b.key(kb.Escape)
	b.offered()
	b.await("document.activeElement.id === 'desk-comment'") // that closed the list alone
	b.key(kb.Backspace)
	b.await("document.querySelectorAll('#desk-offers [role=option]').length === 2")
	b.chooseOffer(units)
	b.key(kb.Enter)
	b.await("document.getElementById('desk-comment').value === " + quote(g.comment))
	b.offered()
	b.key(kb.Escape)
	b.mark(g.status)
	b.settled()
	s.compare(t, []given{g})

	other := open(t, s, phone)
	other.signIn("aconvenor")
	other.desk(toMark)
	g = given{other.place(), "discuss", units}
	other.press("#desk-comment")
	other.key("name")
	other.offered(units) // what is atutor's own is not the convenor's
	other.press("#desk-offers li")
	other.await("document.getElementById('desk-comment').value === " + quote(units))
	other.mark(g.status)
	other.settled()
	s.compare(t, []given{g})
}

// chooseOffer goes down the list until a text is chosen, and sees that it is told to those
// who hear the page.
func (b *tab) chooseOffer(text string) {
	b.Helper()
	const chosen = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))`
	for range 2 {
		b.key(kb.ArrowDown)
		b.await(chosen + "?.getAttribute('aria-selected') === 'true'")
		if eval[string](b, chosen+".textContent") == text {
			return
		}
	}
	b.Fatalf("%q is not chosen", text)
}
