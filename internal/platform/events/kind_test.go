package events

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestKindsAreComplete compares the list with the constants it is made of.
func TestKindsAreComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kind.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if text, ok := spec.Values[0].(*ast.BasicLit); ok {
			value, _ := strconv.Unquote(text.Value)
			constants = append(constants, value)
		}
		return true
	})
	if all := Kind("").Enum(); len(constants) == 0 || !slices.Equal(all, constants) {
		t.Errorf("the list holds %v, the constants are %v", all, constants)
	}
}
