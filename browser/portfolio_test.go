package browser

import (
	"strings"
	"testing"
)

// A portfolio grows from nothing to a document: grade, summary, a file, compiling.
func TestPortfolio(t *testing.T) {
	needed(t)
	s := serve(t)
	people := []string{"student_3", "student_7", "student_9"}
	for i, on := range []screen{wide, phone, phone.withoutScript()} {
		t.Run(on.name, func(t *testing.T) {
			b := open(t, s, on)
			b.signIn(people[i])
			b.follow("main .unit-card a")
			if on.touch {
				b.press("#more")
			}
			b.follow("#side a[href$='/portfolio']")
			if on.touch { // one of the steps and the step at a time
				b.follow("main a.primary")
			}
			b.follow("form[action$='/grade'] button")
			b.await("location.search.includes('summary')")
			b.fill("#text", "# What I learned\n\nTo repeat, to choose, and to ask.")
			b.follow("form[action$='/summary'] button")
			b.await("location.search.includes('files')")
			b.choose("#file0", b.file("extra.png", aPicture()))
			b.follow("form[action$='/files'] button")
			b.awaitText("extra")
			path := eval[string](b, "location.pathname")
			b.visit(path + "?step=compile")
			b.follow("form[action$='/compile'] button")
			ready := "document.querySelector(\"main a.btn[href$='/portfolio/document']\")"
			if on.noScript {
				b.reloadUntil(ready)
			}
			b.await(ready)
			if !on.noScript { // it is shown in place
				b.await("document.querySelector('document-view canvas')")
			}
			if kind, body := b.get(path + "/document"); kind != "application/pdf" || !strings.HasPrefix(body, "%PDF") {
				t.Errorf("the portfolio is %s: %.40q", kind, body)
			}
			b.withdrawsNot(on, path)
		})
	}
}

// withdrawsNot asks to withdraw the portfolio, and then does not.
func (b *tab) withdrawsNot(on screen, path string) {
	b.Helper()
	b.visit(path + "?step=compile")
	if on.noScript {
		b.follow("main a[href$='/withdraw']")
		b.awaitText("Withdraw the portfolio?")
		b.follow("#ask a.btn")
	} else {
		b.press("main a[href$='/withdraw']")
		b.await("document.querySelector('dialog[open]')?.textContent.includes('Withdraw the portfolio?')")
		b.press("dialog[open] footer a")
		b.await("!document.querySelector('dialog.dialog')")
	}
	if kind, _ := b.get(path + "/document"); kind != "application/pdf" {
		b.Errorf("the portfolio is gone: %s", kind)
	}
}
