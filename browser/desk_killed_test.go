package browser

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// started is a browser of its own, with what an earlier one left in its profile. It can be killed.
func started(t *testing.T, at *service, profile string) (b *tab, kill func()) {
	t.Helper()
	ctx, stop := chromedp.NewExecAllocator(context.Background(), browserOptions(profile)...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	b = &tab{T: t, at: at, on: wide}
	b.begin(chromedp.NewContext(ctx))
	return b, func() {
		killAll(t, "--user-data-dir="+profile)
		select {
		case <-chromedp.FromContext(ctx).Browser.LostConnection:
		case <-time.After(patience):
			t.Fatal("the browser lives on")
		}
	}
}

// killAll ends every process that was started with an argument, at once and unasked.
func killAll(t *testing.T, argument string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		line, _ := os.ReadFile(path) // one that is over has none
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && bytes.Contains(line, []byte(argument)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// A browser that is killed a second after the last letter has lost none of them; nor a verdict that was
// given without a network. All is there when it is started again.
func TestABrowserIsKilled(t *testing.T) {
	needed(t)
	s := marking(t)
	w := newWire(t, s)
	profile := t.TempDir()
	b, kill := started(t, w.service, profile)
	b.signIn("atutor")
	b.desk(toMark)
	b.ahead()
	g := given{b.place(), "redo", "Given in a tunnel"}
	b.write(g.comment)
	w.does.set(isLost)
	b.mark(g.status)
	at := b.place()
	const typed = "Half a sentence, to the last letter"
	b.comment()
	b.key(typed)
	eval[bool](b, "new Promise((done) => { setTimeout(done, 1000, true); })") // the second of the story
	kill()

	w.does.set(arrives)
	b, _ = started(t, w.service, profile)
	b.visit("/home")
	if b.has("#username") { // a browser keeps who is signed in later than that
		b.again("atutor")
		b.await("location.pathname === '/home'")
	}
	b.desk(toMark + "&at=" + at.Task)
	b.await("document.getElementById('desk-comment').value === " + quote(typed))
	b.settled()
	s.compare(t, []given{g})
	b.fill("#desk-comment", " ")
	b.await("indexedDB.databases && !Object.keys(localStorage).some((k) => / desk task /.test(k))")
}
