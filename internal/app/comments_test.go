package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// domainFolders hold the packages that decide and change: a comment there says who may act,
// what is refused and why.
var domainFolders = []string{"people", "teaching", "connect"}

var (
	// changes is what a function holds that writes.
	changes = regexp.MustCompile(`INSERT INTO|UPDATE [a-z_]+ SET|DELETE FROM|audit\.Add\(`)
	// actor is how a comment says who may act: by a right of the policy, in plain words, or as
	// part of the service's own work.
	actor = regexp.MustCompile(`policy\.[A-Z]|[Ii]t is (for|part of) |worker of|on behalf of|call it again`)
	// named is what a comment refers to in another package.
	named = regexp.MustCompile(`\b(policy|fault)\.([A-Z]\w*)`)
)

// TestCommentsOfTheDomainSayWhoMayAct fails for an exported name without a comment, for a
// function that writes and does not say for whom it is, and for a comment that names a right
// or a kind of failure that there is not.
func TestCommentsOfTheDomainSayWhoMayAct(t *testing.T) {
	known := map[string]map[string]bool{"policy": exportedIn(t, "../people/policy"),
		"fault": exportedIn(t, "../ground/fault")}
	functions, writing := 0, 0
	eachDomainFile(t, func(set *token.FileSet, file *ast.File, source string) {
		for _, d := range file.Decls {
			undocumented(t, set, d)
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Body == nil || !exportedReceiver(f) {
				continue
			}
			functions++
			at, comment := set.Position(f.Pos()), strings.Join(strings.Fields(f.Doc.Text()), " ")
			for _, m := range named.FindAllStringSubmatch(comment, -1) {
				if !known[m[1]][m[2]] {
					t.Errorf("%s: the comment of %s names %s, which there is not", at, f.Name.Name, m[0])
				}
			}
			if changes.MatchString(source[at.Offset:set.Position(f.End()).Offset]) {
				writing++
				if !actor.MatchString(comment) {
					t.Errorf("%s: %s writes, and its comment does not say who may: name the right (policy.X)", at,
						f.Name.Name)
				}
			}
		}
	})
	if functions < 500 || writing < 80 {
		t.Errorf("%d functions were looked at, of which %d write", functions, writing)
	}
}

// undocumented fails for the exported names of a declaration that have no comment.
func undocumented(t *testing.T, set *token.FileSet, d ast.Decl) {
	t.Helper()
	missing := func(id *ast.Ident, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c.Text() != "" {
				return
			}
		}
		if id.IsExported() {
			t.Errorf("%s: %s has no comment", set.Position(id.Pos()), id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if exportedReceiver(d) {
			missing(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				missing(s.Name, d.Doc, s.Doc, s.Comment)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					missing(id, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
}

// exportedReceiver is true of functions, and of methods of an exported type.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if g, ok := of.(*ast.IndexExpr); ok {
		of = g.X
	}
	id, ok := of.(*ast.Ident)
	return ok && id.IsExported()
}

// eachDomainFile parses the files of the domain's packages, without tests and what is for
// tests.
func eachDomainFile(t *testing.T, do func(set *token.FileSet, file *ast.File, source string)) {
	t.Helper()
	for _, folder := range domainFolders {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil {
				do(set, file, string(source))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// exportedIn gives the exported names that a package declares.
func exportedIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range declared(file) {
			if id.IsExported() {
				out[id.Name] = true
			}
		}
	}
	return out
}
