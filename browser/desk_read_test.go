package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

const (
	readable = viewer + "?.pane && " + viewer + ".querySelector('.sheet.drawn')"
	atTheEnd = viewer + ".pane.scrollTop + " + viewer + ".pane.clientHeight >= " + viewer + ".pane.scrollHeight - 2"
)

// A tutor reads twenty works to their last page and marks each, and never leaves the keyboard.
func TestTwentyWorksAreReadByKeys(t *testing.T) {
	needed(t)
	twentyWorks(open(t, serve(t), wide), func(b *tab, i int) { // others need what waits elsewhere
		if focus := eval[string](b, "document.activeElement.id"); i > 0 && focus != "desk-name" {
			b.Fatalf("after a verdict %q has the focus", focus)
		}
		key := []string{" ", kb.PageDown, kb.End, kb.ArrowDown}[i%4]
		for range 200 {
			if eval[bool](b, atTheEnd) {
				break
			}
			b.key(key)
		}
	})
}

// The same on a phone: the work is pushed up by a thumb, the verdicts stand below it.
func TestTwentyWorksAreReadOnAPhone(t *testing.T) {
	needed(t)
	twentyWorks(open(t, serve(t), phone), func(b *tab, _ int) {
		for range 40 {
			if eval[bool](b, atTheEnd) {
				break
			}
			b.push(viewer + ".pane")
		}
	})
}

// twentyWorks marks twenty works, each read to its end.
func twentyWorks(b *tab, reads func(b *tab, i int)) {
	b.Helper()
	b.signIn("atutor")
	b.desk(toMark)
	var all []given
	for i := range 20 {
		status := []string{"complete", "discuss", "redo", "fix_and_resubmit"}[i%4]
		g := given{b.place(), status, fmt.Sprintf("Read to the end, %d", i)}
		b.await(readable)
		reads(b, i)
		b.await(atTheEnd + " && " + viewer + ".querySelector('.sheet:last-child.drawn')")
		b.write(g.comment)
		b.mark(g.status)
		all = append(all, g)
	}
	b.settled()
	b.at.compare(b.T, all)
}

// push moves what an element shows up by half of it, with a thumb.
func (b *tab) push(element string) {
	b.Helper()
	box := eval[struct{ X, Y, Width, Height float64 }](b, "(({x, y, width, height}) => ({X: x, Y: y, Width: width, "+
		"Height: height}))("+element+".getBoundingClientRect())")
	touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
		set(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: at})
	}
	thumb := &input.TouchPoint{X: box.X + box.Width/2, Y: box.Y + box.Height*.6}
	touch(input.DispatchTouchEventTypeTouchStart, thumb)
	for range 6 {
		thumb.Y -= box.Height / 12
		touch(input.DispatchTouchEventTypeTouchMove, thumb)
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
}
