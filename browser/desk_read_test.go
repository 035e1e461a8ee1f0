package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	readable = viewer + "?.pane && " + viewer + ".querySelector('.sheet.drawn')"
	atTheEnd = viewer + ".pane.scrollTop + " + viewer + ".pane.clientHeight >= " + viewer + ".pane.scrollHeight - 2"
)

// A tutor reads twenty works to their last page and marks each, and never leaves the keyboard.
func TestTwentyWorksAreReadByKeys(t *testing.T) {
	needed(t)
	s := serve(t) // others need what waits elsewhere
	b := open(t, s, wide)
	b.signIn("atutor")
	b.desk(toMark)
	var all []given
	for i := range 20 {
		status := []string{"complete", "discuss", "redo", "fix_and_resubmit"}[i%4]
		g := given{b.place(), status, fmt.Sprintf("Read to the end, %d", i)}
		b.await(readable)
		if focus := eval[string](b, "document.activeElement.id"); i > 0 && focus != "desk-name" {
			t.Fatalf("after a verdict %q has the focus", focus)
		}
		key := []string{" ", kb.PageDown, kb.End, kb.ArrowDown}[i%4]
		for range 200 {
			if eval[bool](b, atTheEnd) {
				break
			}
			b.key(key)
		}
		b.await(atTheEnd + " && " + viewer + ".querySelector('.sheet:last-child.drawn')")
		b.write(g.comment)
		b.mark(g.status)
		all = append(all, g)
	}
	b.settled()
	s.compare(t, all)
}
