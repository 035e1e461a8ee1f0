package site

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/web/live"
)

var (
	liveWords = regexp.MustCompile(`data-live="([^"]*)"`)
	filledIn  = regexp.MustCompile(`\{\{[^}]*\}\}`)
)

// A part of a page that names a kind of event names one that there is.
func TestPartsOfPagesNameKindsThatThereAre(t *testing.T) {
	n := 0
	known := append(live.Names(), "any")
	for _, pattern := range []string{"templates/*.html", "components/*.html"} {
		eachFile(t, pattern, func(name, text string) {
			for _, m := range liveWords.FindAllStringSubmatch(text, -1) {
				n++
				for word := range strings.FieldsFuncSeq(filledIn.ReplaceAllString(m[1], "0"), between) {
					if !strings.Contains(word, ":") && !slices.Contains(known, word) {
						t.Errorf("%s waits for %q, which nobody tells", name, word)
					}
				}
			}
		})
	}
	if n == 0 {
		t.Error("no part of a page is live")
	}
}

func between(r rune) bool { return r == ' ' || r == '+' }
