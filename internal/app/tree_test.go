package app

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tree in docs/architecture.md anew")

const (
	architecture = "../../docs/architecture.md"
	treeBegin    = "<!-- tree: go test ./internal/app -run Tree -update -->\n"
	treeEnd      = "<!-- end of tree -->\n"
)

// TestTreeIsTrue compares the picture and the tree in docs/architecture.md with the folders,
// what they may import and what each package says it is.
func TestTreeIsTrue(t *testing.T) {
	b, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), treeBegin)
	_, tail, ended := strings.Cut(rest, treeEnd)
	if !ok || !ended {
		t.Fatal("docs/architecture.md has no place for the tree")
	}
	want := head + treeBegin + picture(t) + tree(rooms(t)) + treeEnd + tail
	if *update {
		if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Error("the tree in docs/architecture.md is out of date; run: go test ./internal/app -run Tree -update")
	}
}

// picture draws the folders with an arrow to the nearest each may import.
func picture(t *testing.T) string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n  cmd/lectern --> app\n")
	for _, from := range folders {
		allowed := mayImport(t, from)
		for _, to := range allowed {
			if !slices.ContainsFunc(allowed, func(via string) bool { return slices.Contains(mayImport(t, via), to) }) {
				fmt.Fprintf(&b, "  %s --> %s\n", from, to)
			}
		}
	}
	b.WriteString("```\n\n")
	return b.String()
}

// tree lists every package below its folder with the first sentence of its comment.
func tree(all []room) string {
	var b strings.Builder
	for _, f := range folders {
		fmt.Fprintf(&b, "| `%s` | |\n|---|---|\n", f)
		for _, r := range all {
			inside, ok := strings.CutPrefix(r.ImportPath, "lectern/internal/"+f)
			if !ok || inside == "" && f != "app" && f != "usecase" || inside != "" && inside[0] != '/' {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", path.Join(f, inside), about(r))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// about is the first sentence of a package's comment, without its beginning.
func about(r room) string {
	text := strings.TrimSuffix(r.Doc, ".")
	text = strings.TrimPrefix(text, "Package "+path.Base(r.ImportPath)+" ")
	return strings.TrimPrefix(text, "is ")
}

// mayImport reads from a folder's doc.go which others it may import.
func mayImport(t *testing.T, folder string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", folder, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "// May import: ")
	line, _, ended := strings.Cut(rest, ".\n")
	if !ok || !ended {
		t.Fatalf("internal/%s/doc.go does not say what the folder may import", folder)
	}
	if line == "nothing" {
		return nil
	}
	return strings.Split(line, ", ")
}
