package browser

import (
	"fmt"
	"testing"
)

// A document that cannot be read says so in its place, with a button to try again, and comes by itself
// when the network is back. So does a submission that cannot be read.
func TestTheDeskWithoutANetwork(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		w := newWire(t, quiet(t))
		b := open(t, w.service, on)
		b.expect("net::ERR_")
		b.signIn("atutor")
		const sentence = viewer + "?.querySelector('.empty p[role=status]')"
		lost := sentence + "?.checkVisibility() && " + sentence +
			".textContent === 'You are offline. The document opens when you are connected.' && " + viewer + ".lost"
		w.does.set(documentsLost)
		b.desk(toMark)
		b.await(lost)
		b.asItIs("a document without a network")
		tries := eval[int](b, viewer+".tries")
		b.press("#desk-task document-view .empty button")
		b.await(lost + " && " + viewer + ".tries > " + fmt.Sprint(tries))
		w.does.set(arrives)
		b.await(readable + " && !" + sentence) // by itself

		b.ahead()
		w.does.set(isLost)
		for range 2 { // they are prepared
			from := b.place()
			eval[bool](b, "document.querySelector('#desk-task a[rel=next]').click(), true")
			b.moved(from)
		}
		from := b.place()
		eval[bool](b, "document.querySelector('#desk-task a[rel=next]').click(), true")
		b.await("document.getElementById('desk-notice').checkVisibility() && " +
			"document.getElementById('desk-notice').textContent.includes('you are offline')")
		b.asItIs("a submission without a network")
		b.shows(from)
		w.does.set(arrives)
		b.press("#desk-notice button")
		b.moved(from)
		b.await(readable + " && document.getElementById('desk-notice').hidden")
	}, wide, phone)
}
