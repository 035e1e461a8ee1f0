package site

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/teaching/status"
	"lectern/internal/web/site/page"
)

var update = flag.Bool("update", false, "write the sprite of icons anew, with those in use")

// drawn finds the names of icons: in templates, in tables of programs and in scripts.
var drawn = []struct {
	files string
	name  *regexp.Regexp
}{
	{".html", regexp.MustCompile(`\bicon "([a-z0-9-]+)"`)},
	{".html", regexp.MustCompile(`"Icon" "([a-z0-9-]+)"`)},
	{".go", regexp.MustCompile(`\bIcon\("([a-z0-9-]+)"\)`)},
	{".js", regexp.MustCompile(`\bicon\('([a-z0-9-]+)'`)},
}

// iconsInUse are the names of all icons that pages draw, with a file that does.
func iconsInUse(t *testing.T) map[string]string {
	t.Helper()
	used := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		for _, one := range drawn {
			if !strings.HasSuffix(name, one.files) {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, m := range one.name.FindAllSubmatch(text, -1) {
				used[string(m[1])] = name
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// symbol is an icon of a sprite, which is one line.
var symbol = regexp.MustCompile(`(?m)^<symbol id="([^"]+)".*\n`)

// The sprite holds every icon that a page draws, and none that no page does: everybody loads
// it. go test ./internal/web/site -run Sprite -update takes them from all that were drawn for
// Lectern, page/testdata/lucide.svg.
func TestTheSpriteHoldsTheIconsInUse(t *testing.T) {
	const at = "page/assets/icons.svg"
	used := iconsInUse(t)
	if len(used) < len(status.All) {
		t.Fatalf("only %d icons are drawn", len(used))
	}
	all, err := os.ReadFile("page/testdata/lucide.svg")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	want := symbol.ReplaceAllStringFunc(string(all), func(line string) string {
		name := symbol.FindStringSubmatch(line)[1]
		known[name] = true
		if used[name] == "" {
			return ""
		}
		return line
	})
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !known[name] {
			t.Errorf("%s draws the icon %q, which nobody has drawn: see page/testdata/lucide.svg", used[name], name)
		}
	}
	if *update {
		if err := os.WriteFile(at, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is not the icons in use: write it with go test ./internal/web/site -run Sprite -update", at)
	}
}

// families are those that tokens and styles know.
var families = []string{"grey", "blue", "teal", "green", "orange", "red", "violet"}

// Every status has a word, an icon of its own and a family; and so does no other.
func TestEveryStatusHasALook(t *testing.T) {
	icons := map[page.Icon]status.Status{}
	for _, st := range status.All {
		look, ok := page.Looks()[st]
		if !ok {
			t.Errorf("%s has no look", st)
			continue
		}
		if !slices.Contains(families, look.Family) {
			t.Errorf("%s is of a family that does not exist: %s", st, look.Family)
		}
		if other, taken := icons[look.Icon]; taken {
			t.Errorf("%s and %s have the same icon", st, other)
		}
		icons[look.Icon] = st
		if look.InBars() == "violet" {
			t.Errorf("%s is violet in bars, where it cannot be told from blue", st)
		}
	}
	if len(page.Looks()) != len(status.All) {
		t.Errorf("there are %d looks for %d statuses", len(page.Looks()), len(status.All))
	}
}
