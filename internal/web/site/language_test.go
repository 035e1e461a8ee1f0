package site_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"lectern/internal/ground/words"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/web/site/page"
)

// Words of the table stand between these marks, which nothing else on a page has.
const opens, closes = '⟦', '⟧'

func mark(words string) string { return string(opens) + words + string(closes) }

// marked is English with every word, name and form of dates changed.
func marked(t *testing.T) *page.Language {
	t.Helper()
	texts := wordstest.Tables(t, os.DirFS("page"))["en"].Some("")
	for key, text := range texts {
		texts[key] = text.Each(mark)
	}
	return page.NewLanguage(words.New("xx", texts))
}

// given are texts of the test university: names, files and what people wrote.
var given = strings.NewReplacer(hostile, "", strings.TrimRight(hostile, turning), "", "Lectern", "", "ann@example.edu", "", "tom@example.edu", "", "Stream", "",
	"<script>alert(2)</script>", "", "<b>1</b>", "", "<i>X</i>", "", "a.go", "", "one.go", "", "<i>Think</i>", "", "It <u>fits</u>", "", "ann", "", "tom", "")

// machine is what is written the same in every language: keys, moments, hashes, units, zones.
var machine = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{12,}\b|\bMB\b|\bUTC\b|\bSHA-256\b|\b[A-Z][A-Za-z]+/[A-Za-z_/-]+`)

// domain is what the domain says in English: why something is refused, what it put on
// record with a decision, what a receipt states and is signed for, and the declaration and the
// sentence on privacy of the settings.
var domain = regexp.MustCompile(`(?s)^(The group .* is full|Tutorial .* is for campus|Time extended to|` +
	`states that on|By submitting work you state|The work you submit)`)

// printed is what the tests of work printed.
var printed = []string{"x", "m", "r"}

// foreign gives what of a text has letters and is neither of the table nor data.
func foreign(text string) string {
	var out strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == opens:
			depth++
		case r == closes:
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	rest := strings.TrimSpace(machine.ReplaceAllString(given.Replace(out.String()), ""))
	if strings.ContainsFunc(rest, unicode.IsLetter) && !domain.MatchString(rest) && !slices.Contains(printed, rest) {
		return rest
	}
	return ""
}

// visible are the attributes that people read or hear.
var visible = []string{"title", "alt", "aria-label", "aria-description", "placeholder", "label", "data-label",
	"data-name", "data-words", "data-none", "data-copied"}

// silent are the elements whose text nobody reads as words: keys that are pressed, and
// what people wrote and programs printed.
var silent = []string{"kbd", "script", "style", "code", "pre", "textarea"}

// foreign gives the texts of a page that are in no table.
func (a *answer) foreign() (out []string) {
	a.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(a.Body.String()), html.ParseOptionEnableScripting(false))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode && strings.HasPrefix(attributes(n.Parent)["class"], "avatar"): // letters of a name
		case n.Type == html.TextNode && !slices.Contains(silent, n.Parent.Data):
			out = append(out, foreign(n.Data))
		case n.Type == html.ElementNode:
			for _, at := range n.Attr {
				if slices.Contains(visible, at.Key) {
					out = append(out, foreignValue(at.Val))
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
}

// foreignValue looks at an attribute: a text, or words for a script by their keys.
func foreignValue(value string) string {
	texts := map[string]words.Text{}
	if json.Unmarshal([]byte(value), &texts) != nil {
		return foreign(value)
	}
	rest := ""
	for _, text := range texts {
		text.Each(func(form string) string {
			rest = cmp.Or(rest, foreign(form))
			return form
		})
	}
	return rest
}

// Another language is one file: whatever people read on any page, titles, names of
// statuses and grades, dates and the words of scripts included, comes from the table.
func TestAnotherLanguageIsOneFile(t *testing.T) {
	w := newWorldIn(t, "sqlite", "http://lectern.test", marked(t))
	ids := w.hostileEverywhere()
	people := []*world{w, w.as("ann"), w.as("tom")}
	w.every(ids, people, func(path string, a *answer) { w.speaks(path, a) })
	ann := people[1]
	for _, query := range []string{"?view=weeks", "?status=redo"} {
		ann.speaks(query, ann.do(w.path("/projects/{id}")+query, nil).status(200))
	}
	for _, step := range []string{"grade", "summary", "files", "tasks", "outcomes", "compile"} {
		ann.speaks(step, ann.do(w.path(aPortfolio)+"?step="+step, nil).status(200))
	}
	ann.speaks("a plan", ann.do(w.path("/projects/{id}/plan?target_grade=2"), nil).status(200))
	w.speaks("a form again", w.do("/sign-in", url.Values{"username": {""}}).status(400))
	missing := w.do("/nowhere", nil).status(404)
	if text := missing.text(); !strings.Contains(text, "<h1>"+mark("Page not found")) {
		t.Errorf("a refusal has no heading of the table: %s", text)
	}
}

// every looks at every page as each of some people, where they may.
func (w *world) every(ids *strings.Replacer, people []*world, look func(path string, a *answer)) {
	w.Helper()
	drawn := 0
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodGet || i.Out != reflect.TypeFor[*page.Page]() {
			continue
		}
		for _, who := range people {
			if a := who.do(w.path(ids.Replace(i.Path)), nil); a.Code == http.StatusOK {
				drawn++
				look(i.Path, a)
			}
		}
	}
	if drawn < 60 {
		w.Errorf("only %d pages were drawn", drawn)
	}
}

// speaks fails where a page says something that no table has.
func (w *world) speaks(path string, a *answer) {
	w.Helper()
	for _, text := range a.foreign() {
		w.Errorf("%s says %q", path, text)
	}
	if a.page() && !strings.Contains(a.Body.String(), `<html lang="xx"`) {
		w.Errorf("%s has another tag of its language", path)
	}
}
