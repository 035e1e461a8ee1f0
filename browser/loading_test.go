package browser

import (
	"strings"
	"testing"
)

// waits waits until what is being read says so, with a skeleton in its place that comes 300 ms
// late, so that what is there sooner never flashes.
func (b *tab) waits(name, selector string) {
	b.Helper()
	at := "getComputedStyle(document.querySelector(" + quote(selector) + "), '::after')"
	b.await("document.querySelector(" + quote(selector) + ")?.ariaBusy === 'true' && " + at + ".content !== 'none' && " +
		at + ".visibility === 'visible'")
	if late := eval[string](b, at+".animation"); !strings.Contains(late, "0.3s") || !strings.Contains(late, "late") {
		b.Errorf("the skeleton of %s comes by %q", name, late)
	}
	if size := eval[int](b, "parseInt("+at+".height)"); size < 90 {
		b.Errorf("the skeleton of %s is %d high", name, size)
	}
	b.asItIs(name)
}

// came waits until nothing of the skeleton is left.
func (b *tab) came(selector, what string) {
	b.Helper()
	b.await("document.querySelector(" + quote(what) + ") && !document.querySelector(" +
		quote(selector+"[aria-busy=true]") + ") && getComputedStyle(document.querySelector(" + quote(selector) + "), '::after').content === 'none'")
}

// What a script reads into a page has a skeleton until it is there, which is free of barriers; and
// nothing on the page moves when it comes.
func TestEveryPageWhileItLoads(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.signIn("atutor")
	t.Run("search", func(t *testing.T) {
		b.T = t
		release := w.hold("search/found")
		b.press(".find")
		b.waits("the search", "#palette-list")
		release()
		b.came("#palette-list", "#palette-list [role=option]")
	})
	t.Run("document", func(t *testing.T) {
		b.T = t
		release := w.hold("document")
		b.visit("/units/1/desk?who=all")
		b.still("the desk before its document")
		b.waits("a document", "document-view")
		b.asIfStill()
		release()
		b.came("document-view", "document-view .sheet")
		b.still("the desk with its document")
	})
	t.Run("next", func(t *testing.T) {
		b.T = t
		release := w.hold("desk/tasks")
		b.desk("/units/1/desk?who=all")
		at := b.place()
		b.press("a[rel=next]")
		b.waits("the next submission", "#desk-task")
		release()
		b.await("document.getElementById('desk-task').dataset.task !== " + quote(at.Task))
		b.came("#desk-task", "#desk-task h1")
	})
}

// A form that is on its way says so on its button.
func TestButtonsAreBusyWhileAFormIsSent(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.visit("/sign-in")
	b.fill("#username", "student_1")
	b.fill("#password", "password")
	release := w.hold("sign-in")
	b.press("main form button")
	b.await("document.querySelector('main form button').ariaBusy === 'true'")
	release()
	b.await("location.pathname === '/home'")
}
