package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// enters presses Enter on what has the focus, and waits for the page that follows.
func (b *tab) enters(selector, until string) {
	b.Helper()
	b.tabTo(selector)
	b.key(kb.Enter)
	b.await("document.readyState === 'complete' && " + until)
}

// previews asks by keys for a sample of four works of a task, or of all, and waits for what it would be.
func (b *tab) previews(task string) {
	b.Helper()
	b.visit("/units/1/moderation")
	b.enters("main .actions a[href$='/draw']", "document.getElementById('size')")
	if task != "" {
		b.tabTo("#task")
		b.key(task)
		b.await("document.querySelector('#task').selectedOptions[0].text.startsWith(" + quote(task) + ")")
	}
	b.tabTo("#size")
	b.key("4" + kb.Enter)
	b.await("document.readyState === 'complete' && document.getElementById('planned')")
}

// marksSecond gives a second mark by keys: the best level of each criterion, and Redo.
func (b *tab) marksSecond(criteria int, comment string) {
	b.Helper()
	for i := range criteria {
		b.tabTo(fmt.Sprintf("[name='levels[%d]']", i))
		b.key(kb.ArrowDown) // after the last, which picks none, comes the first
		b.await(fmt.Sprintf("document.querySelector('#level-%d-0').checked", i))
	}
	b.tabTo("[name=status]")
	b.key(" ")
	for range 4 {
		b.key(kb.ArrowDown)
	}
	b.await("document.querySelector('[name=status]:checked').value === 'redo'")
	b.tabTo("#comment")
	b.key(comment)
	b.enters(".second-form .btn.primary", "document.querySelector('.both .differs')")
}

// settles says by keys that the second mark stands.
func (b *tab) settles(reason string) {
	b.Helper()
	b.tabTo("[name=stands]")
	b.key(" " + kb.ArrowDown)
	b.await("document.querySelector('[name=stands]:checked').value === 'second'")
	b.tabTo("#reason")
	b.key(reason)
	b.enters(".decide .btn.primary", "!document.querySelector('.decide')")
	b.awaitText(reason)
	b.awaitText("Second mark stands")
}

// A convenor draws a sample after a preview, marks a work of it and settles the difference, all by the keyboard. A
// tutor marks the next one on a phone.
func TestASampleIsModerated(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		b := open(t, s, wide)
		b.signIn("aconvenor")
		b.previews("")
		b.looked("the preview of a sample")
		b.enters("main form[method=post] .btn.primary", "document.querySelector('.sampled tbody')")
		b.looked("the samples of a unit")
		s.set(t, `UPDATE moderation_works SET first_status = 'discuss', first_levels = NULL WHERE second_at IS NULL`)
		b.enters("main .actions .btn.primary", "document.getElementById('marking')")
		if text := b.text("main"); strings.Contains(text, "First mark") || strings.Contains(text, "Staff notes") {
			t.Errorf("before the second mark the page says %s", text)
		}
		b.looked("a work that is marked a second time")
		b.visitAgain()
		b.marksSecond(0, "The proof is missing.")
		b.looked("both marks of a work")
		b.visitAgain()
		b.settles("It has to be there.")

		tutor := open(t, s, phone)
		tutor.signIn("cliff")
		tutor.visit("/units/1/moderation")
		tutor.press("main .actions .btn.primary")
		tutor.await("document.readyState === 'complete' && document.getElementById('status-redo')")
		tutor.press("#status-redo")
		tutor.press(".second-form .btn.primary")
		tutor.await("document.readyState === 'complete' && document.querySelector('.both .differs')")
		if eval[bool](tutor, "Boolean(document.querySelector('.decide'))") {
			t.Error("a tutor may settle")
		}
		tutor.looked("both marks on a phone")
	})
}

// visitAgain opens the page anew, so that the focus begins at its top.
func (b *tab) visitAgain() {
	b.Helper()
	b.visit(eval[string](b, "location.pathname"))
	b.await(fmt.Sprintf("document.readyState === %q", "complete"))
}
