package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// moment is how far somebody is with a verdict when it happens.
type moment struct {
	name  string
	does  fate // what the network does from then on
	until func(b *tab, g given)
	sent  bool // the verdict was given
}

// leftField is a moment that only keys have: by touch the field keeps the focus until a
// verdict is given.
const leftField = "typed"

// moments are the steps of a verdict, in their order.
var moments = []moment{
	{"half typed", arrives, func(b *tab, g given) {
		b.comment()
		b.key(g.comment)
	}, false},
	{leftField, arrives, func(b *tab, g given) { b.write(g.comment) }, false},
	{"given, before it arrives", isLost, sendOff, true},
	{"given, before the answer", answerLost, sendOff, true},
	{"saved", arrives, func(b *tab, g given) {
		b.write(g.comment)
		b.mark(g.status)
		b.settled()
	}, true},
}

// sendOff gives a verdict that the network does something to.
func sendOff(b *tab, g given) {
	b.write(g.comment)
	b.verdict(g.status)
	b.await("document.querySelector('#desk-refused p')")
}

// disasters are what happens between two steps. Each gives the tab to go on in.
var disasters = map[string]func(c *chaos, b *tab) *tab{
	"the network is cut": func(c *chaos, b *tab) *tab {
		c.does.set(isLost)
		eval[bool](b, "fetch('/help').then(() => false, () => true)")
		return b
	},
	"the server is killed": func(c *chaos, b *tab) *tab {
		c.restart()
		return b
	},
	"the page is closed": func(c *chaos, b *tab) *tab {
		b.close()
		return c.base.another()
	},
}

// chaos is a service that can be killed, behind a network that can be cut.
type chaos struct {
	*testing.T
	*wire
	run  *service
	base *tab // keeps the profile of the browser
	stop func()
}

// restart kills the program, as a power cut does, and starts it on what it left.
func (c *chaos) restart() {
	c.Helper()
	c.run.kill()
	c.start()
}

func (c *chaos) start() {
	c.Helper()
	var err error
	if c.run, c.stop, err = startService(c.data); err != nil {
		c.Fatal(err)
	}
	if c.wire != nil {
		c.lead(c.T, c.run)
	}
}

// What is typed is never lost: between any two steps of a verdict the network is cut,
// the server is killed, or the page is closed. What the service has in the
// end is what was typed, once.
func TestWhatIsTypedIsNeverLost(t *testing.T) {
	needed(t)
	c := &chaos{T: t, wire: &wire{service: &service{data: t.TempDir()}}}
	c.start()
	t.Cleanup(func() { c.stop() })
	c.wire = newWire(t, c.run)
	onScreens(t, func(t *testing.T, on screen) {
		c.base = open(t, c.service, on)
		c.base.expect("net::ERR_")
		c.base.expect("status of 50")
		c.base.signIn("atutor")
		for _, m := range moments {
			if on.touch && m.name == leftField {
				continue
			}
			for name, happens := range disasters {
				t.Run(m.name+", "+name, func(t *testing.T) { c.between(t, m, name, happens) })
			}
		}
	}, wide, phone)
}

// between gives a verdict up to a moment at which something happens, and finishes it.
func (c *chaos) between(t *testing.T, m moment, name string, happens func(c *chaos, b *tab) *tab) {
	b := c.base.another()
	b.T = t
	g := given{status: "redo", comment: "Said when " + m.name + " and " + name + ", on " + b.on.name}
	b.desk(toMark)
	g.place = b.place()
	c.does.set(m.does)
	m.until(b, g)
	b = happens(c, b)
	b.T = t
	c.does.set(arrives)
	b.goOn(g, m.sent)
	c.run.compare(t, []given{g})
	b.close()
}

// goOn finishes a verdict after something happened, in the same window or in a new one.
func (b *tab) goOn(g given, sent bool) {
	b.Helper()
	if !b.has("#desk") {
		b.desk(fmt.Sprintf("/units/1/desk?at=%s", g.Task))
	}
	if !sent {
		b.await("document.getElementById('desk-comment').value === " + quote(g.comment))
		if !b.on.touch {
			b.key(kb.Escape)
			b.await("document.activeElement.id !== 'desk-comment'")
		}
		b.mark(g.status)
	}
	b.settled()
}
