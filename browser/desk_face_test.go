package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// On a phone most of the screen is the work's, also where it has a grade and points; the queue is
// a sheet that leads on; and what was opened beside one work does not stand over the next.
func TestThePhoneShowsTheWork(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), phone)
	b.signIn("atutor")
	b.visit("/units/1/inbox?status=ready_for_feedback")
	b.desk("/units/1/desk?at=" + eval[string](b, "document.querySelector('#inbox tr[data-marks]').dataset.task"))
	b.await(viewer + "?.querySelector('.sheet.drawn') && document.querySelector('.desk-marks')")
	const seen = "document.getElementById('desk-verdict').getBoundingClientRect().top - " +
		viewer + ".pane.getBoundingClientRect().top"
	if room := eval[float64](b, seen); room < 300 {
		t.Errorf("%.0f px of the document are seen", room)
	}
	const opened = "document.querySelector('#desk-line:popover-open')"
	b.press(".desk-open")
	b.await(opened + " && document.querySelector('#desk-queue [aria-current]').checkVisibility()")
	from := b.place()
	beside := "document.querySelector('[data-beside=\"1\"]')"
	name := eval[string](b, beside+".querySelector('bdi').textContent")
	b.press("[data-beside='1']")
	b.moved(from)
	b.await("!" + opened)
	if h1 := b.text("#desk-name"); name == "" || !strings.Contains(h1, name) {
		t.Errorf("%q leads to %q", name, h1)
	}
	b.press("a[data-panel=desk-notes]")
	b.await("document.getElementById('desk-note').checkVisibility()")
	from = b.place()
	b.press("#desk-task a[rel=next]")
	b.moved(from)
	if eval[bool](b, "document.getElementById('desk-note').checkVisibility()") {
		t.Error("the notes are open on the next work")
	}
	b.press(".desk-open")
	b.await(opened)
	b.asItIs("the queue as a sheet")
}

// The last status can be undone also where nothing waits any more.
func TestUndoAtTheEndOfTheQueue(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, another(t), on)
		b.signIn("atutor")
		b.desk(toMark)
		name := eval[string](b, "document.querySelector('#desk-name > bdi').textContent")
		b.desk(toMark + "&task=" + b.place().Definition + "&text=" + url.QueryEscape(name))
		at := b.place()
		b.write("The last one")
		b.give("redo")
		b.await("document.querySelector('.desk-empty')")
		b.undo()
		b.shows(at)
		b.await("document.getElementById('desk-comment').value === 'The last one'")
	}, wide, phone)
}

// What stands beside the work is a tab each, with script in place and without it by an address.
func TestTabsBesideTheWork(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("atutor")
		b.visit(toMark)
		for _, panel := range []string{"notes", "history", "feedback"} {
			at := b.place()
			if on.noScript {
				b.follow("a[data-panel=desk-" + panel + "]")
			} else {
				b.press("a[data-panel=desk-" + panel + "]")
			}
			b.await("[...document.querySelectorAll('.desk-panel')].filter((p) => p.checkVisibility())" +
				".map((p) => p.id).join() === 'desk-" + panel + "'")
			b.await("document.querySelector('a[data-panel][aria-current]').dataset.panel === 'desk-" + panel + "'")
			if b.place() != at {
				t.Errorf("%s is of another task", panel)
			}
		}
	}, wide, wide.withoutScript())
}

// A tutor says something by voice without leaving the work: it is heard first, and goes with the
// status that is given.
func TestVoiceAtTheDesk(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := another(t)
		b := open(t, s, on)
		b.signIn("atutor")
		b.desk(toMark)
		b.ahead()
		g := given{b.place(), "redo", "As I said, on " + on.name}
		b.fill("#desk-comment", g.comment)
		b.press("[data-attach=voice]")
		b.await("/0:0[1-9]/.test(document.querySelector('#desk-attach .recorder [role=status]')?.innerText)")
		b.asItIs("a recording at the desk")
		b.press("#desk-attach .recorder button:not([hidden])")
		b.await("document.querySelector('#desk-attach audio:not([hidden])')?.readyState > 0")
		b.press("#desk-verdict button[value=redo]")
		b.moved(g.place)
		b.settled()
		s.compare(t, []given{g})
		var said []struct {
			Type string `json:"type"`
		}
		s.ask(t, fmt.Sprintf("/api/projects/%s/task_def_id/%s/comments", g.Project, g.Definition), &said)
		heard := 0
		for _, c := range said {
			if c.Type == "audio" {
				heard++
			}
		}
		if heard != 1 {
			t.Errorf("the voice arrived %d times, of %v", heard, said)
		}
	}, wide, phone)
}
