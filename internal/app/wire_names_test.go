package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// wireName is a field as the JSON face names it, and nothing but that.
var wireName = regexp.MustCompile(`^[a-z_]+\[[a-z_]+\]$`)

// The domain names a field by its own word, and the face wraps it: code is
// unit[code] in JSON, and something else in a sheet or on a page.
func TestTheDomainKnowsNoWireNames(t *testing.T) {
	for _, r := range rooms(t) {
		if f := folder(r.ImportPath); f == "" || f == "app" || f == "web" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(r.Dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", r.name(), err)
		}
		for _, path := range paths {
			checkNames(t, path)
		}
	}
}

func checkNames(t *testing.T, path string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && wireName.MatchString(s) {
				t.Errorf("%s: %s is a name of the JSON face", set.Position(lit.Pos()), s)
			}
		}
		return true
	})
}
