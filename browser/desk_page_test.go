package browser

import "testing"

const viewer = "document.querySelector('#desk-task document-view')"

// A student's work opens behind its cover, which is above it for whoever wants it; and
// on a phone most of the screen is the work's.
func TestTheWorkOpensBehindItsCover(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("atutor")
		b.desk(toMark)
		const (
			atWork = viewer + "?.at === 2 && " + viewer + ".querySelector('.sheet.drawn[data-page=\"2\"]') && " +
				viewer + ".pane.scrollTop > 100"
			atCover = viewer + ".at === 1 && " + viewer + ".querySelector('.sheet.drawn[data-page=\"1\"]')"
		)
		b.await(atWork)
		if top := eval[float64](b, viewer+".pane.getBoundingClientRect().top"); top > 300 {
			t.Errorf("the work begins %v px from the top", top)
		}
		b.ahead()
		from := b.place()
		b.press("#desk-task a[rel=next]")
		b.moved(from)
		b.await(atWork)
		eval[bool](b, viewer+".pane.scrollTop = 0, true")
		b.await(atCover)
		second := b.place()
		b.press("#desk-task a[rel=prev]")
		b.shows(from)
		b.await(atWork)
		b.press("#desk-task a[rel=next]")
		b.shows(second)
		b.await(atCover) // as it was left
	}, wide, phone)
}

// The widths somebody gave the columns stay for the next task, and for the next time.
func TestColumnsKeepTheirWidths(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	b.signIn("atutor")
	b.desk(toMark)
	b.ahead()
	eval[bool](b, "document.querySelector('.desk-work').style.width = '420px', "+
		"document.getElementById('desk-queue').style.width = '300px', true")
	b.await("localStorage.getItem('desk columns')?.includes('420px')")
	const kept = "document.querySelector('#desk-task .desk-work').offsetWidth === 420 && " +
		"document.getElementById('desk-queue').offsetWidth === 300"
	for range 2 {
		from := b.place()
		b.key("j")
		b.moved(from)
		b.await(kept)
		b.desk(toMark)
		b.await(kept)
	}
}

// Keys that do not work are on no button: without script the desk names none.
func TestKeysWithoutScript(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		b := open(t, quiet(t), on)
		b.signIn("atutor")
		b.visit(toMark)
		if eval[bool](b, "document.querySelector('#desk-verdict kbd').checkVisibility()") == on.noScript {
			t.Errorf("%s: the keys are shown wrongly", on.name)
		}
	}, wide, wide.withoutScript())
}
