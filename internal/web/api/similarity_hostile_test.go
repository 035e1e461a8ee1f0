package api

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// hostileSources are programs that are meant to break what shows them, each within the
// bound of uploads.
var hostileSources = []struct{ name, text string }{
	{"a line of 5 MB", aProgram + "x = " + strings.Repeat("a+", 2_500_000) + "1\n"},
	{"deep nesting", aProgram + strings.Repeat("{([", 300_000) + strings.Repeat(")]}", 300_000) + "\n"},
	{"bidi", aProgram + "# \u202e \u2066 if admin \u2069 \u200b\n" + `s = "` + "\u202d\u2067\u200f\ufeff" + `"` + "\n"},
	{"HTML in code", aProgram + `s = "</pre></table><script>alert(1)</script><img src=x onerror=alert(2)>` +
		`<style>*{display:none}</style><!--"` + "\n"},
}

// Hostile sources that are alike are taken, compared and shown, at contents/0 and at the
// signed address, escaped and within bounds of time and memory.
func TestHostileSourcesAreComparedAndShown(t *testing.T) {
	for _, c := range hostileSources {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "sqlite")
			w.compares()
			begin, before := time.Now(), allocated()
			w.program("student", c.text)
			w.program("other", c.text+" ")
			w.compared()
			list := w.found("tutor", "student")
			if len(list) != 1 || list[0]["flagged"] != true {
				t.Fatalf("%v", list)
			}
			at := fmt.Sprintf("%s/%v", w.taskOf("student"), list[0]["id"])
			page := w.do("tutor", "GET "+at+"/contents/0", nil).status(200)
			w.harmless(page)
			address := w.do("tutor", "GET "+at+"/viewer_url", nil).status(200).object()["viewer_url"].(string)
			w.harmless(w.do("", "GET "+strings.TrimPrefix(address, "https://learn.example.edu"), nil).status(200))
			// Far more than it takes, also on a loaded machine: 4 s and 460 MB in all at most.
			took, used := time.Since(begin), allocated()-before
			t.Logf("%v, %d MB allocated in all, a page of %d KB", took, used>>20, page.Body.Len()>>10)
			if took > 3*time.Minute || used > 1<<30 {
				t.Errorf("it took %v and %d MB", took, used>>20)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// harmless checks a page: it is bounded, runs and loads nothing, shows both sides and
// has no character that cannot be seen.
func (w *world) harmless(a *answered) {
	w.Helper()
	text := a.Body.String()
	if policy := a.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		w.Errorf("the policy is %q", policy)
	}
	if len(text) > 8<<20 || !strings.Contains(text, "read_scores") {
		w.Errorf("%d bytes: %.200s", len(text), text)
	}
	for _, unseen := range []string{"\u202e", "\u2066", "\u2069", "\u200b", "\u202d", "\u2067", "\u200f", "\ufeff"} {
		if strings.Contains(text, unseen) {
			w.Errorf("the page has %q", unseen)
		}
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		w.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "img", "iframe", "object", "embed", "link", "form", "base", "svg", "math":
			w.Errorf("there is a <%s>", n.Data)
		}
		for _, at := range n.Attr {
			if strings.HasPrefix(at.Key, "on") || at.Key == "src" || at.Key == "href" && !strings.HasPrefix(at.Val, "#") {
				w.Errorf("<%s %s=%q>", n.Data, at.Key, at.Val)
			}
		}
	}
}
