package site_test

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/links"
)

// What a browser may load for a page it sees for the first time, in bytes as they are sent.
// The reader of documents comes later, where one is shown.
const (
	mostFirst    = 60_000 // without the font
	mostWithFont = 80_000
	mostStyle    = 15_000
)

// Every page is light, with all that it loads before anybody does anything.
func TestPagesAreLight(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, tom, cora := w.as("ann"), w.as("tom"), w.convenor()
	for _, one := range []struct {
		who  *world
		path string
	}{{w, "/sign-in"}, {ann, "/home"}, {ann, w.path("/projects/{id}")}, {ann, w.path(aTask)}, {ann, "/profile"},
		{ann, "/news"}, {tom, "/search?text=ann"},
		{tom, w.path(aDesk)}, {tom, w.path("/units/{id}/inbox")}, {tom, w.path("/units/{id}/students")},
		{tom, w.path("/units/{id}/extensions")}, {ann, w.path(aReview)}, {tom, w.path(someReviews)},
		{cora, w.path(unitSettings)}, {cora, newUnit}, {cora, w.path(rollingOut)},
		{cora, w.path(taskSetup)}, {cora, w.path(aSetUp)}, {cora, w.path(groupSetup)}, {cora, w.path(outcomeSetup)},
		{cora, w.path(links.DeletedWork)}, {cora, w.path(unitGrades)}, {cora, w.path(links.Retirement)},
		{cora, w.path(links.UnitSimilarity)}, {cora, w.path(links.Moderation)}, {cora, w.path(drawHere)}} {
		l := load{world: one.who, sizes: map[string]int{}}
		l.page(one.path)
		var total, fonts, style int
		for address, n := range l.sizes {
			total += n
			switch path.Ext(address) {
			case ".woff2":
				fonts += n
			case ".css":
				style += n
			}
		}
		t.Logf("%s: %d bytes in %d files, %d of fonts, %d of style", one.path, total, len(l.sizes), fonts, style)
		if total > mostWithFont || total-fonts > mostFirst || style > mostStyle {
			t.Errorf("%s is too heavy: %v", one.path, l.sizes)
		}
		if fonts == 0 || style == 0 {
			t.Errorf("%s loads no font or no style", one.path)
		}
		if len(l.sizes) < 3 {
			t.Errorf("%s loads only %v", one.path, l.sizes)
		}
	}
}

// above finds a rule that asks what is inside of something that a document stands in.
var above = regexp.MustCompile(`(?:html|:root|body|main|#desk|#desk-task|` +
	`\.(?:shell|body|main|whole|railed|desk-columns|desk-work)):has\([^~]`)

// Nothing around the document of the desk asks for what it has inside: browsers would then style
// the whole page again for each word that is laid over a document, hundreds of times for one work.
func TestNothingAroundADocumentAsksWhatIsInside(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	l := load{world: w.as("tom"), sizes: map[string]int{}}
	l.page(w.path(aDesk))
	sheets := 0
	for address := range l.sizes {
		if path.Ext(address) != ".css" {
			continue
		}
		sheets++
		if rule := above.FindString(l.do(address, nil).Body.String()); rule != "" {
			t.Errorf("%s has a rule with %s", address, rule)
		}
	}
	if sheets == 0 {
		t.Error("the desk loads no style")
	}
}

// load counts what a page loads.
type load struct {
	*world
	sizes map[string]int
}

// get gives a file as it is, and notes its size as it is sent.
func (l *load) get(address string) string {
	l.Helper()
	l.sizes[address] = l.do(address, nil, "Accept-Encoding", "gzip").status(200).Body.Len()
	return l.do(address, nil).Body.String()
}

func (l *load) page(address string) {
	l.Helper()
	doc, err := html.Parse(strings.NewReader(l.get(address)))
	if err != nil {
		l.Fatal(err)
	}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			switch {
			case n.Data == "link" && a.Key == "href":
				l.get(a.Val)
			case n.Data == "use" && a.Key == "href": // of the sprite, once for all icons
				sprite, _, _ := strings.Cut(a.Val, "#")
				l.get(sprite)
			case n.Data == "script" && a.Key == "src":
				l.script(a.Val)
			}
		}
	}
}

// imported finds what a module needs before it runs.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?["'](\./[^"']+)["']`)

func (l *load) script(address string) {
	l.Helper()
	if _, known := l.sizes[address]; known {
		return
	}
	for _, m := range imported.FindAllStringSubmatch(l.get(address), -1) {
		from, err := url.JoinPath(path.Dir(address), m[1])
		if err != nil {
			l.Fatal(err)
		}
		l.script(from)
	}
}
