package site_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The page that a browser keeps for when there is no network is the same for everybody, tells what
// happened and leads to nothing that needs a network but itself.
func TestThePageWithoutANetworkIsNobodys(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	page := w.do("/offline", nil).status(200).says("<h1>You are offline</h1>").says("Try again").says(`data-words`).
		lacks("/sign-in").lacks("/help").lacks("site.js")
	for _, who := range []string{"ann", "tom", "eve"} {
		if got := w.as(who).do("/offline", nil).status(200); got.Body.String() != page.Body.String() {
			t.Errorf("%s has a page of their own: %s", who, got.Body)
		}
	}
}

// kept is what the script of the root says that it keeps.
func (w *world) kept(headers ...string) (kept struct {
	Name, Page string
	Files      []string
}, a *answer) {
	w.Helper()
	a = w.do("/offline-worker.js", nil, headers...)
	line, _, _ := strings.Cut(a.Body.String(), "\n")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "const kept = "), ";")
	if err := json.Unmarshal([]byte(line), &kept); a.Code == http.StatusOK && err != nil {
		w.Fatalf("%v: %s", err, a.Body)
	}
	return kept, a
}

// The script that keeps it may be asked for by everybody, is asked for anew after every page, may
// ask for nothing but ours, and names all that the page loads and nothing else.
func TestTheScriptThatKeepsThePage(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	kept, a := w.kept()
	a.status(200)
	for name, want := range map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache",
		"Content-Security-Policy": "default-src 'none'; connect-src 'self'", "X-Content-Type-Options": "nosniff"} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, again := w.kept("If-None-Match", a.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same script is sent again: %d", again.Code)
	}
	l := load{world: w, sizes: map[string]int{}}
	l.page("/offline")
	if kept.Page != "/offline" || len(kept.Files) != len(l.sizes) {
		t.Errorf("kept are %v, and the page loads %v", kept, l.sizes)
	}
	for _, file := range kept.Files {
		if l.sizes[file] == 0 || file != "/offline" && !strings.HasPrefix(file, "/assets/") {
			t.Errorf("%s is kept and not loaded", file)
		}
	}
	if !slices.ContainsFunc(kept.Files, func(f string) bool { return strings.HasSuffix(f, ".woff2") }) {
		t.Error("the page has no font")
	}
	csp := w.do("/sign-in", nil).Header().Get("Content-Security-Policy")
	if !strings.Contains(csp, "worker-src 'self'") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy of pages: %s", csp)
	}
}

// Whatever changes in the page that is kept changes the script, so that browsers fetch it anew.
func TestANewPageIsKeptAnew(t *testing.T) {
	w, other := newWorld(t, "sqlite", "http://lectern.test"), newWorld(t, "sqlite", "http://lectern.test")
	same, _ := other.kept()
	first, _ := w.kept()
	if first.Name != same.Name {
		t.Errorf("the same page is kept as %q and as %q", first.Name, same.Name)
	}
	third := newWorld(t, "sqlite", "http://lectern.test")
	third.site.Usecases.Name = "Another university"
	if changed, _ := third.kept(); changed.Name == first.Name {
		t.Error("another page is kept under the same name")
	}
}
