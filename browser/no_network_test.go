package browser

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"lectern/internal/ground/waittest"
)

const isOffline = "document.querySelector('h1')?.innerText === 'You are offline'"

// kept waits until the browser keeps the page for when there is no network, and gives all that is
// in any of its caches: what by which address.
func (b *tab) kept() map[string]string {
	b.Helper()
	eval[bool](b, `navigator.serviceWorker.ready.then(({active}) => active.state === 'activated' ||
		new Promise((done) => { active.onstatechange = () => done(true); }))`)
	return eval[map[string]string](b, `(async () => {
		const out = {};
		for (const name of await caches.keys()) {
			const cache = await caches.open(name);
			for (const request of await cache.keys()) {
				out[new URL(request.url).pathname] = await (await cache.match(request)).text();
			}
		}
		return out;
	})()`)
}

// A page that is opened without a network is ours, with its style, font and icons, tells what
// happened, leads to the same address and goes there by itself: when the browser says that there
// is a network again, and when it never knew that there was none.
func TestEveryPageWithoutANetwork(t *testing.T) {
	needed(t)
	for name, told := range map[string]bool{"the browser knows": true, "the browser does not know": false} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, quiet(t))
			b := open(t, w.service, wide)
			b.expect("net::ERR_")
			b.signIn("student_1")
			b.kept()
			if told { // and nothing but that: no clock runs
				set(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
					Source: "window.setInterval = () => 0"})
			}
			set(b, network.ClearBrowserCache, cdp.Empty{})
			w.does.set(isLost)
			b.offline(told)
			b.visit("/news?kind=none")
			b.await(isOffline)
			if to := eval[string](b, "document.getElementById('again').href"); to != w.url+"/news?kind=none" {
				t.Errorf("to try again leads to %s", to)
			}
			b.await("document.fonts.check('16px Inter') && document.querySelector('main use').getBBox().width > 0")
			if size := eval[string](b, "getComputedStyle(document.querySelector('h1')).fontSize"); size != "18px" {
				t.Errorf("the title is %s large: the style is not there", size)
			}
			if !told {
				b.looked("no network")
			}
			w.does.set(arrives)
			b.offline(false)
			b.await("document.querySelector('h1')?.innerText === 'Notifications' && location.search === '?kind=none'")
		})
	}
}

// offline has the browser know whether there is a network.
func (b *tab) offline(is bool) {
	b.Helper()
	set(b, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: is,
		DownloadThroughput: -1, UploadThroughput: -1})
}

// The kept page has the theme that was chosen in the account, as long as its user is signed in.
func TestThemeWithoutANetwork(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.signIn("student_1")
	b.kept()
	eval[bool](b, "sessionStorage.setItem('theme', 'dark'), true")
	w.does.set(isLost)
	b.visit("/home")
	b.await(isOffline)
	if got := eval[string](b, "getComputedStyle(document.documentElement).colorScheme"); got != "dark" {
		t.Errorf("the page is %s", got)
	}
	w.does.set(arrives)
	b.visit("/home")
	b.signOut()
	if left := eval[int](b, "sessionStorage.length"); left != 0 {
		t.Errorf("%d things are left", left)
	}
}

// Nothing of anybody is in any cache, while they are signed in and after: there is the one page,
// and what it loads.
func TestCachesHoldNothingOfAnybody(t *testing.T) {
	needed(t)
	b := open(t, quiet(t), wide)
	only := func(when string) {
		t.Helper()
		kept := b.kept()
		if kept["/offline"] == "" {
			t.Errorf("%s: the page is not kept, of %v", when, slices.Sorted(maps.Keys(kept)))
		}
		for path, text := range kept {
			if path != "/offline" && !strings.HasPrefix(path, "/assets/") || strings.Contains(text, "student_1") ||
				strings.Contains(text, "COS10001") {
				t.Errorf("%s: kept is %s", when, path)
			}
		}
	}
	b.visit("/sign-in")
	only("before anybody came")
	b.signIn("student_1")
	for _, path := range []string{"/home", "/news", "/profile", "/calendar"} {
		b.visit(path)
	}
	b.follow("main a[href^='/'], nav a[href^='/projects/']")
	eval[bool](b, "fetch('/search/found?text=pass').then(() => true)")
	only("while somebody is signed in")
	b.signOut()
	only("after they signed out")
}

// What the service answers is shown, whatever it says.
func TestAnswersAreNotReplaced(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.expect("status of 404")
	b.expect("status of 500")
	b.visit("/help")
	b.kept()
	b.visit("/nowhere")
	b.awaitText("Page not found")
	w.does.set(fails)
	b.visit("/help")
	b.awaitText("the service is broken")
	if !eval[bool](b, "!!navigator.serviceWorker.controller") {
		t.Error("the script that keeps the page took no part: nothing was shown here")
	}
}

// A new version of the service has its own page kept, and the one before is gone.
func TestAnUpgradeReplacesTheKeptPage(t *testing.T) {
	needed(t)
	next, stop, err := startService(filepath.Join(scratch, "upgraded"), "--external-name", "Lectern the next")
	t.Cleanup(stop)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.visit("/help")
	b.kept()
	const names = "caches.keys()"
	before := eval[[]string](b, names)
	w.lead(t, next)
	b.visit("/help")
	eval[bool](b, "navigator.serviceWorker.ready.then((r) => r.update()).then(() => true)")
	if !waittest.Within(patience, func() bool {
		now := eval[[]string](b, names)
		return len(now) == 1 && now[0] != before[0]
	}) {
		t.Fatalf("kept were %q and are %q", before, eval[[]string](b, names))
	}
	w.does.set(isLost)
	b.visit("/help")
	b.await(isOffline)
	b.awaitText("Lectern the next")
}

// A site without a certificate, where browsers keep nothing, has the pages it had.
func TestWithoutACertificateNothingIsKept(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	w.service.url = strings.Replace(w.service.url, "127.0.0.1", "0.0.0.0", 1)
	b := open(t, w.service, wide)
	b.expect("Cross-Origin-Opener-Policy header has been ignored")
	b.visit("/help")
	b.await("document.readyState === 'complete'")
	if eval[bool](b, "isSecureContext || 'serviceWorker' in navigator") {
		t.Error("the browser trusts this address: nothing was shown here")
	}
}
