package site

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// ask gives the answer of a site that has no database to a visitor.
func ask(t *testing.T, styleguide bool, address string) *httptest.ResponseRecorder {
	t.Helper()
	face := httpserver.New(httpserver.Config{})
	New(Config{Config: endpoint.Config{HTTP: face}, Styleguide: styleguide})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Encoding", "gzip")
	face.ServeHTTP(w, r)
	return w
}

// The styleguide is a page only where the service is told to show it.
func TestTheStyleguideIsShownWhenAskedFor(t *testing.T) {
	if got := ask(t, false, "/styleguide").Code; got != http.StatusNotFound {
		t.Errorf("without its setting it answers %d", got)
	}
	got := ask(t, true, "/styleguide")
	if body := textOf(t, got); got.Code != http.StatusOK || !strings.Contains(body, `class="btn primary"`) {
		t.Errorf("with its setting it answers %d: %s", got.Code, body)
	}
}

func textOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var from io.Reader = w.Body
	if w.Header().Get("Content-Encoding") == "gzip" {
		r, err := gzip.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		from = r
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var linked = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)"`)

// The styles of all components together are light, as they are sent: no page has more of them.
func TestTheStylesOfAllComponentsAreLight(t *testing.T) {
	total := 0
	list := linked.FindAllStringSubmatch(textOf(t, ask(t, true, "/styleguide")), -1)
	for _, m := range list {
		total += ask(t, true, m[1]).Body.Len()
	}
	if t.Logf("%d bytes in %d sheets", total, len(list)); len(list) < 2 || total > 15_000 {
		t.Errorf("the styles of all components are %d bytes in %d sheets", total, len(list))
	}
}

// called finds the templates that a template draws, as itself or as a body of a component.
var called = regexp.MustCompile(`\b(?:template|body) "([^"]+)"`)

// noComponent are templates of all pages that show nothing of their own.
var noComponent = map[string]string{"htmx": "it loads a script", "day": "words of a date", "moment": "words of a time",
	"bells": "the parts of the frame that a script reads again"}

// Whatever pages are put together from is in the styleguide, or in the frame around it.
func TestTheStyleguideShowsEveryComponent(t *testing.T) {
	draws, shown := map[string][]string{}, map[string]bool{}
	for _, pattern := range []string{"templates/*.html", "components/*.html"} {
		eachFile(t, pattern, func(name, text string) {
			name = strings.TrimSuffix(path.Base(name), ".html")
			for _, m := range called.FindAllStringSubmatch(text, -1) {
				draws[name] = append(draws[name], m[1])
			}
		})
	}
	var show func(name string)
	show = func(name string) {
		if !shown[name] {
			shown[name] = true
			for _, next := range draws[name] {
				show(next)
			}
		}
	}
	show("frame")
	show("styleguide")
	components := ofAllPages(t)
	for _, name := range components {
		if !shown[name] && noComponent[name] == "" {
			t.Errorf("the styleguide does not show %s", name)
		}
	}
	if len(components) < 30 {
		t.Errorf("there are only %d components", len(components))
	}
}

// ofAllPages are the names of the components that every room can use.
func ofAllPages(t *testing.T) (names []string) {
	t.Helper()
	list, err := fs.Glob(rooms.Kits()[0].Files, "components/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		names = append(names, strings.TrimSuffix(path.Base(file), ".html"))
	}
	return names
}
