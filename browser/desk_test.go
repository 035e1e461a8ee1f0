package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lectern/internal/ground/waittest"
)

// marking is the one service of all tests that mark work: there is enough of it.
func marking(t *testing.T) *service {
	t.Helper()
	s, err := sharedMarking()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sharedMarking = sync.OnceValues(func() (s *service, err error) {
	s, stopMarking, err = startService(filepath.Join(scratch, "marking"))
	return s, err
})

var stopMarking = func() {}

// toMark is the desk with work that waits for a verdict.
const toMark = "/units/1/desk?status=ready_for_feedback"

// key presses keys one after the other, and lets go of each. What a key types comes with
// the press, so that a page that takes the key for itself is typed nothing.
func (b *tab) key(keys string, with ...chromedp.Modifier) {
	b.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		for _, e := range events {
			chromedp.KeyModifiers(with...)(e)
			if e.Type == kb.KeyDown && len(with) == 0 && len(events) == 3 {
				e.Text, e.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			if e.Type != kb.KeyChar {
				set(b, input.DispatchKeyEvent, *e)
			}
		}
	}
}

// desk opens the desk and waits until its script runs.
func (b *tab) desk(path string) {
	b.Helper()
	b.visit(path)
	b.await("document.querySelector('#desk[data-ahead]')")
}

// ahead waits until the next tasks are prepared.
func (b *tab) ahead() {
	b.Helper()
	b.await("document.getElementById('desk').dataset.ahead.split(' ').length >= 2")
}

// place is a task as the desk shows it.
type place struct{ Task, Project, Definition string }

func (b *tab) place() place {
	b.Helper()
	return eval[place](b, "(({task, project, definition}) => ({Task: task, Project: project, Definition: definition}))"+
		"(document.getElementById('desk-task').dataset)")
}

// moved waits until another task is in view.
func (b *tab) moved(from place) {
	b.Helper()
	b.await("document.getElementById('desk-task').dataset.task !== " + quote(from.Task))
	b.drawn()
}

// shows waits until a task is in view.
func (b *tab) shows(p place) {
	b.Helper()
	b.await("document.getElementById('desk-task').dataset.task === " + quote(p.Task))
	b.drawn()
}

// drawn waits until what came into view can be seen: a person presses nothing sooner, and with that picture
// a small screen goes to the heading.
func (b *tab) drawn() {
	b.Helper()
	eval[bool](b, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// write puts a comment into the form, by keys or by touch.
func (b *tab) write(text string) {
	b.Helper()
	b.comment()
	b.key(text)
	if !b.on.touch {
		b.key(kb.Escape)
		b.await("document.activeElement.id !== 'desk-comment'")
	}
}

// comment puts the focus into the comment, by its key or by touch.
func (b *tab) comment() {
	b.Helper()
	if b.on.touch {
		b.tap("desk-comment")
		return
	}
	b.key("e")
	b.await("document.activeElement.id === 'desk-comment'")
}

// tap puts the focus into a field by touch. A finger that comes down while a notice above
// the field goes away misses it, and taps again.
func (b *tab) tap(id string) {
	b.Helper()
	for range 5 {
		b.press("#" + id)
		if waittest.Within(time.Second, func() bool {
			return eval[bool](b, "document.activeElement.id === "+quote(id))
		}) {
			return
		}
	}
	b.Fatalf("%s, at %s: %s never got the focus", b.on.name, b.where(), id)
}

// mark presses a verdict, gives the marks it asks for, and waits for the next task.
func (b *tab) mark(status string) {
	b.Helper()
	from := b.place()
	b.give(status)
	b.moved(from)
}

// give presses a verdict, and gives the marks it asks for.
func (b *tab) give(status string) {
	b.Helper()
	from := b.place()
	const asked = "(document.activeElement.closest('.desk-marks') && document.activeElement.value === '' && " +
		"document.activeElement.form.dataset.chosen)" // none once it is sent
	gone := "(document.getElementById('desk-task').dataset.task !== " + quote(from.Task) +
		" || Object.entries(localStorage).some(([k, v]) => / desk sent /.test(k) && JSON.parse(v).task === " +
		quote(from.Task) + "))"
	b.verdict(status)
	for range 2 { // a grade, and points
		b.await(gone + " || " + asked)
		if !eval[bool](b, "!!"+asked) {
			break
		}
		if eval[bool](b, "document.activeElement.tagName === 'SELECT'") {
			eval[bool](b, "document.activeElement.selectedIndex = 1, document.activeElement.dispatchEvent("+
				"new Event('change', {bubbles: true}))")
		} else {
			b.key("1")
		}
		if b.on.touch {
			b.verdict(status)
		} else {
			b.key(kb.Enter)
		}
	}
}

func (b *tab) verdict(status string) {
	b.Helper()
	button := "#desk-verdict button[value=" + status + "]"
	if b.on.touch {
		b.press(button)
		return
	}
	b.key(eval[string](b, "document.querySelector("+quote(button)+").getAttribute('aria-keyshortcuts')"))
}

// settled waits until every verdict has arrived.
func (b *tab) settled() {
	b.Helper()
	b.await("!Object.keys(localStorage).some((k) => / desk sent /.test(k)) && " +
		"!document.querySelector('#desk-refused').hasChildNodes()")
}

// given is what a tutor means to have said of a task.
type given struct {
	place
	status, comment string
}

// ask reads something as a tutor of the demo.
func (s *service) ask(t *testing.T, path string, into any) {
	t.Helper()
	s.call(t, "atutor", "GET", path, nil, into)
}

// compare looks up what the service has of verdicts.
func (s *service) compare(t *testing.T, all []given) {
	t.Helper()
	for _, g := range all {
		var project struct {
			Tasks []struct {
				DefinitionID int64  `json:"task_definition_id"`
				Status       string `json:"status"`
			} `json:"tasks"`
		}
		s.ask(t, "/api/projects/"+g.Project, &project)
		for _, task := range project.Tasks {
			if fmt.Sprint(task.DefinitionID) == g.Definition && task.Status != g.status {
				t.Errorf("task %s is %s, not %s", g.Task, task.Status, g.status)
			}
		}
		var said []struct {
			Comment string `json:"comment"`
		}
		s.ask(t, "/api/projects/"+g.Project+"/task_def_id/"+g.Definition+"/comments", &said)
		n := 0
		for _, c := range said {
			if c.Comment == g.comment {
				n++
			}
		}
		if n != 1 {
			t.Errorf("task %s has the comment %q %d times, of %v", g.Task, g.comment, n, said)
		}
	}
}

// A tutor marks ten, one after the other, by keys alone or by touch, takes one verdict
// back, and loses the network for two: everything that was typed has arrived, once.
func TestTutorMarksTen(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		w := newWire(t, s)
		b := open(t, w.service, on)
		b.expect("net::ERR_")
		b.signIn("atutor")
		b.desk(toMark)
		var all []given
		for i, status := range strings.Fields("complete discuss fix_and_resubmit redo complete demonstrate discuss " +
			"redo complete fix_and_resubmit") {
			g := given{b.place(), status, fmt.Sprintf("Number %d, on %s", i, on.name)}
			b.write(g.comment)
			switch i {
			case 3:
				b.ahead() // the two next are here
				w.does.set(isLost)
			case 5:
				b.await("document.querySelectorAll('#desk-refused p').length === 2")
				w.does.set(arrives)
				b.settled()
			case 7:
				b.mark("complete") // by mistake
				b.settled()
				b.undo()
				b.shows(g.place)
				b.await("document.getElementById('desk-comment').value === " + quote(g.comment))
			}
			b.mark(g.status)
			all = append(all, g)
		}
		b.settled()
		s.compare(t, all)
		places := map[place]bool{}
		for _, g := range all {
			places[g.place] = true
		}
		if len(places) != 10 {
			t.Errorf("%d tasks were marked", len(places))
		}
		if left := eval[[]string](b, "Object.keys(localStorage)"); len(left) != 0 {
			t.Errorf("the browser still keeps %q", left)
		}
	}, wide, phone)
}

func (b *tab) undo() {
	b.Helper()
	if b.on.touch {
		b.press("#desk-undo button")
	} else {
		b.key("u")
	}
}

// On the tram the network comes and goes: three tasks are marked without it, and are
// saved when it is back.
func TestMarkingOnTheTram(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		w := newWire(t, s)
		b := open(t, w.service, on)
		b.expect("net::ERR_")
		b.signIn("atutor")
		b.desk(toMark)
		b.ahead()
		w.does.set(isLost)
		var all []given
		for i, status := range []string{"discuss", "redo", "complete"} {
			g := given{b.place(), status, fmt.Sprintf("From the tram %d, on %s", i, on.name)}
			b.write(g.comment)
			if i == 2 { // nothing is prepared any more: the tunnel ends
				b.give(status)
				b.await("document.querySelectorAll('#desk-refused p').length === 3")
				w.does.set(arrives)
				b.moved(g.place)
			} else {
				b.mark(status)
			}
			all = append(all, g)
		}
		b.settled()
		s.compare(t, all)
	}, wide, phone)
}

// Of two tutors on one task the second is told of the first, sees both verdicts, and
// chooses; the words of both stay.
func TestTwoTutorsOnOneTask(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := marking(t)
		one, two := open(t, s, on), open(t, s, on)
		one.signIn("atutor")
		two.signIn("aconvenor")
		two.expect("status of 409")
		one.desk(toMark)
		at := one.place()
		two.desk("/units/1/desk?at=" + at.Task)
		first := given{at, "redo", "Once more, please, on " + on.name}
		second := given{at, "discuss", "Let us talk, on " + on.name}
		two.write(second.comment)
		one.write(first.comment)
		one.mark(first.status)
		one.settled()
		two.give(second.status)
		two.await("document.querySelector('#desk-refused').innerText.includes(" + quote(first.comment) + ")")
		for _, part := range []string{"Redo", "Discuss", second.comment} {
			if !strings.Contains(two.text("#desk-refused"), part) {
				t.Errorf("%q does not say %q", two.text("#desk-refused"), part)
			}
		}
		if eval[bool](two, "!document.getElementById('desk-undo').hidden") {
			t.Error("what was not saved is offered to be undone")
		}
		two.press("#desk-refused button")
		two.settled()
		first.status = second.status
		s.compare(t, []given{first, second})
	}, wide, phone)
}
