package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"lectern/internal/ground/waittest"
)

// chromium is the browser: the shell that never shows a window, where it is installed,
// because it opens a tab in a fraction of the time.
var chromium = func() string {
	const shell = "/usr/bin/chromium-headless-shell"
	if _, err := os.Stat(shell); err == nil {
		return shell
	}
	return "/usr/bin/chromium"
}()

// patience is how long anything may take on a busy machine.
const patience = 3 * time.Minute

// screen is what a page is looked at on.
type screen struct {
	name          string
	width, height int64
	touch         bool
	dark          bool
	noScript      bool
}

var (
	wide  = screen{name: "wide", width: 1280, height: 900}
	phone = screen{name: "phone", width: 390, height: 844, touch: true}
)

func (s screen) inTheDark() screen {
	s.name, s.dark = s.name+" dark", true
	return s
}

func (s screen) withoutScript() screen {
	s.name, s.noScript = s.name+" without script", true
	return s
}

// onScreens runs a test on each screen.
func onScreens(t *testing.T, f func(t *testing.T, on screen), screens ...screen) {
	needed(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) { f(t, s) })
	}
}

// browserOptions are those of a browser with its profile in a directory.
func browserOptions(profile string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-fake-device-for-media-stream", true))
}

// oneBrowser is started once; every tab has a profile of its own in it.
var oneBrowser = sync.OnceValues(func() (context.Context, error) {
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), browserOptions(filepath.Join(scratch, "chromium"))...)
	ctx, _ = chromedp.NewContext(ctx)
	stopBrowser = func() {
		_ = chromedp.Cancel(ctx)
		cancel()
	}
	return ctx, chromedp.Do(ctx)
})

var stopBrowser = func() {}

// tab is a browser's window with nobody signed in. Whatever a user would not see but
// an engineer must fails its test: errors in the console, violations of the policy for
// content, uncaught exceptions, requests to another host.
type tab struct {
	*testing.T
	ctx    context.Context
	close  context.CancelFunc // as somebody closes a window
	at     *service
	on     screen
	wanted []string // parts of messages that a test means to provoke
	mu     sync.Mutex
	faults []string
	heard  chan struct{} // closed when the console said theEnd
}

// theEnd is the last that a tab's console says.
const theEnd = "the end of this test"

func open(t *testing.T, at *service, on screen) *tab {
	t.Helper()
	b := openUnwatched(t, at, on)
	t.Cleanup(func() {
		for _, f := range b.seen() {
			t.Error(f)
		}
	})
	return b
}

// openUnwatched opens a tab whose faults fail nothing.
func openUnwatched(t *testing.T, at *service, on screen) *tab {
	t.Helper()
	browser, err := oneBrowser()
	if err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	b := &tab{T: t, at: at, on: on}
	b.begin(chromedp.NewContext(browser, chromedp.WithNewBrowserContext()))
	return b
}

// another opens a second tab of the same profile: with the same people signed in, and
// what their pages keep.
func (b *tab) another() *tab {
	b.Helper()
	second := &tab{T: b.T, at: b.at, on: b.on, wanted: b.wanted}
	second.begin(chromedp.NewContext(b.ctx))
	b.Cleanup(func() {
		for _, f := range second.seen() {
			b.Error(f)
		}
	})
	return second
}

// begin makes the tab of a context.
func (b *tab) begin(ctx context.Context, cancel context.CancelFunc) {
	b.Helper()
	b.ctx, b.close, b.heard = ctx, cancel, make(chan struct{})
	b.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as the context of this call
		b.Fatal(err)
	}
	on := b.on
	b.listen()
	set(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: on.touch})
	// A tab behind others is as if somebody sat before it: what has the focus shows it.
	set(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	set(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: on.noScript})
	set(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchShifts})
	b.turn(on)
}

// set sends a command of the browser's protocol.
func set[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		b.Fatal(err)
	}
}

// listen keeps what must not happen.
func (b *tab) listen() {
	console, requests := chromedp.Console(b.ctx), chromedp.Events(b.ctx, network.RequestWillBeSent)
	set(b, network.Enable, network.EnableParams{})
	go func() {
		for m, err := range console {
			if err != nil || m.Text == theEnd {
				close(b.heard)
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "assert" {
				b.fault(fmt.Sprintf("the console says: %s (%s)", m.Text, m.URL))
			}
		}
	}()
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			b.host(e.Request.URL)
		}
	}()
}

// host sees to it that nothing is asked of another host.
func (b *tab) host(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "about" {
		return
	}
	if u.Scheme+"://"+u.Host != b.at.url {
		b.fault("asks another host: " + address)
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wanted {
		if strings.Contains(text, w) {
			return
		}
	}
	b.faults = append(b.faults, b.on.name+": "+text)
}

// seen gives what went wrong in the tab, which is over with it.
func (b *tab) seen() []string {
	_, _ = give(b, chromedp.Evaluate[any]("console.debug("+quote(theEnd)+"), null"))
	select {
	case <-b.heard:
	case <-time.After(patience):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults
}

// expect lets messages pass that contain text: the test means to provoke them.
func (b *tab) expect(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wanted = append(b.wanted, text)
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if _, err := give(b, chromedp.Steps(actions...)); err != nil {
		b.Fatalf("%s, at %s: %v", b.on.name, b.where(), err)
	}
}

// give runs an action for as long as patience lasts.
func give[T any](b *tab, a chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, a)
}

func (b *tab) where() string {
	address, _ := give(b, chromedp.Location())
	return address
}

// visit opens a path of the service and waits until the page is there.
func (b *tab) visit(path string) {
	b.Helper()
	b.run(chromedp.Navigate(b.at.url + path))
}

// eval gives the value of an expression in the page; promises are awaited.
func eval[T any](b *tab, js string) T {
	b.Helper()
	out, err := give(b, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s, at %s: %s: %v", b.on.name, b.where(), js, err)
	}
	return out
}

// await waits until an expression holds in the page, whichever page that is by then.
func (b *tab) await(js string) {
	b.Helper()
	var last error
	if waittest.Within(patience, func() (ok bool) {
		ok, last = give(b, chromedp.Evaluate[bool]("Boolean("+js+")"))
		return last == nil && ok
	}) {
		return
	}
	b.Fatalf("%s, at %s: never true: %s (%v); the page says: %s", b.on.name, b.where(), js, last, b.text("main"))
}

// awaitText waits until the page says something.
func (b *tab) awaitText(text string) {
	b.Helper()
	b.await("document.body.innerText.includes(" + quote(text) + ")")
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// text is what a person reads in the first element that matches.
func (b *tab) text(selector string) string {
	out, _ := give(b, chromedp.Evaluate[string]("document.querySelector("+quote(selector)+")?.innerText ?? ''"))
	return out
}

// fill writes into a field, as typing does, also where a script draws it anew meanwhile.
func (b *tab) fill(selector, text string) {
	b.Helper()
	b.await("document.querySelector(" + quote(selector) + ")?.checkVisibility()")
	// What is typed takes the place of what was there.
	eval[bool](b, "document.querySelector("+quote(selector)+").focus(), document.activeElement.select(), true")
	b.run(chromedp.KeyEvent(text))
}

// press clicks or taps and does not wait for what follows. A page may draw what is to be
// pressed anew at that moment: then the new one is.
func (b *tab) press(selector string) {
	b.Helper()
	action := chromedp.Click(chromedp.CSS(selector))
	if b.on.touch {
		action = chromedp.Tap(chromedp.CSS(selector))
	}
	for end := time.Now().Add(patience); ; {
		_, err := give(b, action)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Could not find node") || time.Now().After(end) {
			b.Fatalf("%s, at %s: %s: %v", b.on.name, b.where(), selector, err)
		}
	}
}

// follow clicks on what leads to another page, and waits until that is there.
func (b *tab) follow(selector string) {
	b.Helper()
	eval[bool](b, "window.leaving = true")
	b.press(selector)
	b.await("!window.leaving && document.readyState === 'complete'")
}

// choose picks files for a field.
func (b *tab) choose(selector string, paths ...string) {
	b.Helper()
	b.run(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// file makes a file to hand in and gives its path.
func (b *tab) file(name string, content []byte) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// signIn signs somebody of the demo in by the form.
func (b *tab) signIn(username string) {
	b.Helper()
	b.visit("/sign-in")
	b.again(username)
	b.await("location.pathname === '/home'")
}

// has tells whether the page has an element.
func (b *tab) has(selector string) bool {
	b.Helper()
	return eval[bool](b, "!!document.querySelector("+quote(selector)+")")
}

// picture draws the page into a PNG file.
func (b *tab) picture(path string) {
	b.Helper()
	png, err := give(b, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o644); err != nil { //nolint:gosec // it is documentation
		b.Fatal(err)
	}
}

// aPicture is a small PNG.
func aPicture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 48))); err != nil {
		panic(err) // into memory it cannot fail
	}
	return b.Bytes()
}
