package app

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the picture in docs/architecture.md anew")

const (
	architecture = "../../docs/architecture.md"
	pictureBegin = "<!-- picture: go test ./internal/app -run Picture -update -->\n"
	pictureEnd   = "<!-- end of picture -->\n"
)

// TestPictureIsTrue compares the picture of the architecture with the floors and
// with what the packages on them import.
func TestPictureIsTrue(t *testing.T) {
	b, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), pictureBegin)
	_, tail, ended := strings.Cut(rest, pictureEnd)
	if !ok || !ended {
		t.Fatal("docs/architecture.md has no place for the picture")
	}
	want := head + pictureBegin + picture(rooms(t)) + pictureEnd + tail
	if *update {
		if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Error("the picture in docs/architecture.md is out of date; run: go test ./internal/app -run Picture -update")
	}
}

// picture draws the floors, an arrow where one leans on another, and lists what
// each package says it is.
func picture(all []room) string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n")
	for i, p := range parts {
		fmt.Fprintf(&b, "  subgraph %s\n", strings.ReplaceAll(p.name, " ", "_"))
		for f, names := range floors {
			if part(f) == i {
				fmt.Fprintf(&b, "    %s[\"%s\"]\n", node(f), strings.Join(short(names), ", "))
			}
		}
		b.WriteString("  end\n")
	}
	for from, below := range leans(all) {
		for to := range floors {
			if below[to] {
				fmt.Fprintf(&b, "  %s --> %s\n", node(from), node(to))
			}
		}
	}
	b.WriteString("```\n\n| Package | |\n|---|---|\n")
	for _, names := range floors {
		for _, name := range names {
			i := slices.IndexFunc(all, func(r room) bool { return r.name() == name })
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(short([]string{name}), ""), about(all[i]))
		}
	}
	return b.String()
}

// node is a floor's name in the picture's source, after its first package.
func node(f int) string { return strings.ReplaceAll(short(floors[f])[0], "/", "_") }

// short leaves out internal/, which stands before every name.
func short(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.TrimPrefix(n, "internal/"))
	}
	return out
}

// about is the first sentence of a package's comment, without its beginning.
func about(r room) string {
	text := strings.TrimSuffix(r.Doc, ".")
	for _, start := range []string{"Package " + path.Base(r.ImportPath), "Command " + path.Base(r.ImportPath)} {
		text = strings.TrimPrefix(text, start+" ")
	}
	return strings.TrimPrefix(text, "is ")
}

// leans tells which floors import from which. What another floor in between
// leads to is left out, or nobody could see the house for its arrows.
func leans(all []room) []map[int]bool {
	direct, reach := make([]map[int]bool, len(floors)), make([]map[int]bool, len(floors))
	for f := range floors {
		direct[f], reach[f] = map[int]bool{}, map[int]bool{}
	}
	for _, r := range all {
		for _, i := range r.Imports {
			if strings.HasPrefix(i, "lectern/") {
				direct[floor(r.ImportPath)][floor(i)] = true
			}
		}
	}
	for f := len(floors) - 1; f >= 0; f-- {
		for to := range floors {
			if direct[f][to] && reach[f][to] {
				delete(direct[f], to)
			} else if direct[f][to] {
				reach[f][to] = true
				for further := range reach[to] {
					reach[f][further] = true
				}
			}
		}
	}
	return direct
}
