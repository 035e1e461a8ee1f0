package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// sentences are the texts of the program's code, each that is written in several pieces as one.
func sentences(t *testing.T) (all []string) {
	t.Helper()
	for _, root := range []string{"../../internal", "."} {
		if err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text := pieces(n)
				if strings.Contains(text, " ") {
					all = append(all, text)
				}
				return text == ""
			})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// pieces is the text of a literal, or of several that are added.
func pieces(n ast.Node) string {
	switch e := n.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if left, right := pieces(e.X), pieces(e.Y); left != "" && right != "" {
			return left + right
		}
	}
	return ""
}

var (
	verb   = regexp.MustCompile(`%(\[\d\])?[a-z]`)
	quoted = regexp.MustCompile("`([^`]+)`")
)

// What the chapter on trouble quotes is what the program says. … stands for what differs.
func TestTheHandbookQuotesTheProgram(t *testing.T) {
	titles, texts := chapters(t)
	said := sentences(t)
	for i, text := range said {
		said[i] = verb.ReplaceAllString(text, "…")
	}
	quotes := 0
	for line := range strings.Lines(texts[slices.Index(titles, "Trouble by symptom")]) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			quotes++
			quote := strings.Trim(m[1], "… ")
			if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, quote) }) {
				t.Errorf("nothing says %q", m[1])
			}
		}
	}
	if quotes < 30 {
		t.Errorf("only %d quotes were found", quotes)
	}
}

var (
	aFlag     = regexp.MustCompile("`(?:lectern [a-z ]*)?(--[a-z-]+)")
	aVariable = regexp.MustCompile(`LECTERN_[A-Z_]+[A-Z]`)
	aLink     = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]+))?\)`)
	aNumber   = regexp.MustCompile(`lectern_[a-z]+_[a-z_]+`)
	notOurs   = []string{"LECTERN_PORT", "LECTERN_SERVICE_HOST"} // which Kubernetes sets
)

// The handbook names flags, variables, numbers and places that are there.
func TestTheHandbookNamesWhatIsThere(t *testing.T) {
	b, err := os.ReadFile(handbook)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	k := kong.Must(&commands{}, kong.DefaultEnvars("LECTERN"))
	known := append(variables(k.Model.Node), notOurs...)
	for _, name := range aVariable.FindAllString(text, -1) {
		if !slices.Contains(known, name) {
			t.Errorf("there is no %s", name)
		}
	}
	flags := flagsOf(k.Model.Node)
	for _, m := range aFlag.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(flags, m[1]) {
			t.Errorf("there is no %s", m[1])
		}
	}
	for _, m := range aLink.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			if _, err := os.Stat(filepath.Join(filepath.Dir(handbook), m[1])); err != nil {
				t.Error(err)
			}
		} else if !slices.Contains(anchors(text), m[2]) {
			t.Errorf("there is no heading #%s", m[2])
		}
	}
	i := start(t, "--data", t.TempDir())
	statusOf(t, "GET", i.url+"/readyz")
	res, err := http.Get(i.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	numbers, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range aNumber.FindAllString(text, -1) {
		if !strings.Contains(string(numbers), name) {
			t.Errorf("/metrics has no %s", name)
		}
	}
	i.stop()
}

func flagsOf(n *kong.Node) (all []string) {
	for _, f := range n.Flags {
		all = append(all, "--"+f.Name)
	}
	for _, child := range n.Children {
		all = append(all, flagsOf(child)...)
	}
	return all
}

// anchors are the names of headings in links, as they are made of the headings.
func anchors(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}
