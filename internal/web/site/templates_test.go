package site

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"lectern/internal/web/site/page"
)

// Every template can be read, though each waits for its first use.
func TestTemplatesAreSound(t *testing.T) {
	drawn := rooms.Drawn(page.English)
	for name, read := range drawn {
		if read().Lookup("main") == nil {
			t.Errorf("%s draws nothing", name)
		}
	}
	if len(drawn) < 40 {
		t.Errorf("there are only %d pages", len(drawn))
	}
}

// eachFile calls f with every file of the rooms that a pattern names.
func eachFile(t *testing.T, pattern string, f func(name, text string)) {
	t.Helper()
	seen := 0
	for _, k := range rooms.Kits() {
		names, err := fs.Glob(k.Files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(k.Files, name)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			f(name, string(text))
		}
	}
	if seen == 0 {
		t.Errorf("no file is %s", pattern)
	}
}

var defined = regexp.MustCompile(`\{\{-? ?define "([^"]+)"`)

// A page is one file, and so is what it is put together from: whoever looks for the template
// of a name opens the file of that name, and finds its style beside it.
func TestAComponentIsOneTemplateInAFileOfItsName(t *testing.T) {
	eachFile(t, "components/*.html", func(name, text string) {
		own := strings.TrimSuffix(path.Base(name), ".html")
		if all := defined.FindAllStringSubmatch(text, -1); len(all) != 1 || all[0][1] != own {
			t.Errorf("%s defines %v", name, all)
		}
	})
	eachFile(t, "templates/*.html", func(name, text string) {
		for _, m := range defined.FindAllStringSubmatch(text, -1) {
			if m[1] != "main" && m[1] != "head" && path.Base(name) != m[1]+".html" {
				t.Errorf("%s defines %s, which is a component", name, m[1])
			}
		}
	})
}

// mostColumns is how wide a line of a template may be.
const mostColumns = 160

// A template has about one element a line, so that a change of one is a change of its line.
func TestLinesOfTemplatesAreShort(t *testing.T) {
	for _, pattern := range []string{"templates/*.html", "components/*.html"} {
		eachFile(t, pattern, func(name, text string) {
			for i, line := range strings.Split(text, "\n") {
				if n := utf8.RuneCountInString(line); n > mostColumns {
					t.Errorf("%s:%d has %d columns", name, i+1, n)
				}
				if n := len(opened.FindAllString(line, -1)); n > mostTags {
					t.Errorf("%s:%d has %d elements", name, i+1, n)
				}
			}
		})
	}
}

// opened is the beginning of an element. One stands with what it holds where that is short: a
// cell with a link on a name.
var opened = regexp.MustCompile(`<[a-z][a-z0-9-]*[ >]`)

const mostTags = 3
