package web

import (
	"slices"
	"strings"
	"testing"
)

// TestFacesKnowNothingOfEachOther reads what both faces import: what both use stands beside
// them, so that a third face can have it, too.
func TestFacesKnowNothingOfEachOther(t *testing.T) {
	const here = "lectern/internal/web/"
	faces := []string{"api", "site"}
	for dir, files := range sources(t) {
		in, _, _ := strings.Cut(dir, "/")
		for _, f := range files {
			for _, i := range f.Imports {
				to, inside := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), here)
				to, _, _ = strings.Cut(to, "/")
				if inside && slices.Contains(faces, to) && to != in {
					t.Errorf("%s, in %s, imports the face %s", fset.Position(i.Pos()), dir, to)
				}
			}
		}
	}
}
