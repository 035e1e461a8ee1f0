package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the functions below the faces that are handed the database, or what is to be
// asked of it, and write nothing on behalf of a request: all others are a use case's to call.
var readers = map[string]string{
	"ident.Attend":      "finds whom a token belongs to, before there is a request to carry out",
	"ident.AttendToken": "finds whom a cookie belongs to, before there is a request to carry out",
	"audit.All":         "reads the log page by page",
	"db.AlsoGuarded":    "asks whether a transaction that a use case opens may go on; it opens none",
}

// TestNoHandlerOpensAWriteTransaction reads the code of both faces and names each place
// that opens a write transaction, or hands the database to something that might. A use
// case opens it, so that both faces do the same with the duties that follow.
func TestNoHandlerOpensAWriteTransaction(t *testing.T) {
	found := map[string][]string{}
	for dir, files := range sources(t) {
		for _, p := range places(files) {
			file := filepath.Join(dir, filepath.Base(p.at.Filename))
			found[file] = append(found[file], fmt.Sprintf("%s:%d: %s %s", file, p.at.Line, p.in, p.does))
		}
	}
	for _, file := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("a use case opens write transactions, no handler:\n\t%s", strings.Join(found[file], "\n\t"))
	}
}

// TestPlacesThatOpenWriteTransactionsAreSeen shows what the reading of code finds, by an
// example of each way there was or could be.
func TestPlacesThatOpenWriteTransactionsAreSeen(t *testing.T) {
	const head = "package x\nimport (\"lectern/internal/platform/db\"; \"lectern/internal/usecase\")\n"
	const helpers = `
		func change(ctx C, d *db.DB, f func(db.Q) error) error { return d.Tx(ctx, f) }
		func view(ctx C, d *db.DB, f func(db.Q) error) error { return d.View(ctx, f) }
		func (s *Server) show(ctx C, f func(db.Q) error) error { return change(ctx, s.db, f) }`
	for body, want := range map[string]string{
		`s.db.Tx(ctx, f)`: "calls Tx",
		`s.DB.Brief(ctx, func(q db.Q) error { return nil })`:   "calls Brief",
		`run := s.db.Tx; _ = run`:                              "calls Tx",
		`change(ctx, s.db, func(q db.Q) error { return nil })`: "calls change, which opens one",
		`s.show(ctx, func(q db.Q) error { return nil })`:       "calls show, which opens one",
		`s.show(ctx, f)`:          "calls show, which opens one",
		`ident.Import(ctx, s.db)`: "hands the database to ident.Import",
		`usecase.Do(ctx, func(q db.Q) error { return nil })`:                     "hands usecase.Do what may write",
		`s.uses.Passwords.show(ctx, func(q db.Q) error { return nil })`:          "hands Passwords.show what may write",
		`d := marking.Importer{DB: s.DB}; _ = d`:                                 "hands the database on",
		`d := s.db; _ = d`:                                                       "hands the database on",
		`db.AlsoGuarded(ctx, func(ctx C, q db.Q) error { return nil })`:          "",
		`ident.Attend(ctx, s.db, token)`:                                         "",
		`course.Campuses(ctx, s.db.Pool())`:                                      "",
		`s.db.View(ctx, func(q db.Q) error { return nil })`:                      "",
		`view(ctx, s.db, func(q db.Q) error { return nil })`:                     "",
		`s.usecases.AddCampus(ctx, course.Campus{})`:                             "",
		`var d *db.DB; _ = d; slices.SortFunc(l, func(a, b int) int {return 0})`: "",
	} {
		file, err := parser.ParseFile(fset, "x.go", head+helpers+"\nfunc (s *Server) handler() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(body, err)
		}
		got := ""
		for _, p := range places([]*ast.File{file}) {
			if p.in == "handler" {
				got = p.does
			}
		}
		if got != want {
			t.Errorf("%s: found %q, not %q", body, got, want)
		}
	}
}

var fset = token.NewFileSet()

// sources gives the code of the faces and of what they stand on, without tests, by folder.
func sources(t *testing.T) map[string][]*ast.File {
	t.Helper()
	out := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		out[filepath.Dir(path)] = append(out[filepath.Dir(path)], file)
		return err
	})
	if err != nil || len(out) < 4 {
		t.Fatal(len(out), "folders,", err)
	}
	return out
}

// place is a spot in the code that opens a write transaction, or may have one opened.
type place struct {
	at   token.Position
	in   string // the function
	does string
}

// faceCode is the code of one package.
type faceCode struct {
	takesDB map[string]bool // functions declared here that are handed the database: they are looked at themselves
	opens   map[string]bool // functions declared here that run what they are handed in a write transaction
	local   map[string]bool
	imports map[string]bool // names of packages
	found   []place
	in      *ast.FuncDecl
	params  map[string]bool // of that function, those that are the database
}

// assembling are the functions that put a face together and carry no request out.
var assembling = []string{"New", "For"}

// places gives all such spots of a package, in the functions that carry requests out.
func places(files []*ast.File) []place {
	c := &faceCode{takesDB: map[string]bool{}, opens: map[string]bool{}, local: map[string]bool{},
		imports: map[string]bool{}}
	for _, f := range files {
		for _, i := range f.Imports {
			c.imports[path.Base(strings.Trim(i.Path.Value, `"`))] = true
		}
	}
	each := func(do func(*ast.FuncDecl)) {
		for _, f := range files {
			for _, d := range f.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && !slices.Contains(assembling, f.Name.Name) {
					do(f)
				}
			}
		}
	}
	each(func(f *ast.FuncDecl) {
		c.local[declared(f)] = true
		c.takesDB[declared(f)] = c.takesDB[declared(f)] || len(databases(f.Type)) > 0
	})
	for before := -1; before != len(c.opens); { // a helper may stand on another
		before, c.found = len(c.opens), nil
		each(c.read)
	}
	return c.found
}

// read finds the places in a function. One that is handed what is to run makes all its
// callers such places, too.
func (c *faceCode) read(f *ast.FuncDecl) {
	before := len(c.found)
	c.in, c.params = f, databases(f.Type)
	var above []ast.Node
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		c.node(n, above)
		above = append(above, n)
		return true
	})
	given := func(p *ast.Field) bool { return writes(p.Type) }
	if len(c.found) > before && slices.ContainsFunc(f.Type.Params.List, given) {
		c.opens[declared(f)] = true
	}
}

func (c *faceCode) node(n ast.Node, above []ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if opensOne("." + n.Sel.Name) {
			c.add(n, "calls "+n.Sel.Name)
		} else if (n.Sel.Name == "db" || n.Sel.Name == "DB") && !isName(n.X, "db") {
			c.database(n, above)
		}
	case *ast.Ident:
		if c.params[n.Name] {
			c.database(n, above)
		}
	case *ast.CallExpr:
		name, here := c.called(n)
		if c.opens[here] {
			c.add(n, "calls "+strings.TrimPrefix(here, ".")+", which opens one")
		} else if !c.local[here] && !strings.HasSuffix(name, ".View") && !opensOne(name) && readers[name] == "" &&
			slices.ContainsFunc(n.Args, func(a ast.Expr) bool { f, ok := a.(*ast.FuncLit); return ok && writes(f.Type) }) {
			c.add(n, "hands "+name+" what may write")
		}
	}
}

// database judges a use of the database: to read from it, or to hand it to a function that
// is looked at here.
func (c *faceCode) database(n ast.Node, above []ast.Node) {
	switch up := above[len(above)-1].(type) {
	case *ast.SelectorExpr:
		return // what is called of it is looked at by itself
	case *ast.CallExpr:
		if name, here := c.called(up); !c.takesDB[here] && readers[name] == "" {
			c.add(n, "hands the database to "+name)
		}
	default:
		c.add(n, "hands the database on")
	}
}

func (c *faceCode) add(n ast.Node, does string) {
	c.found = append(c.found, place{fset.Position(n.Pos()), c.in.Name.Name, does})
}

// declared is the name of a function, with a dot before that of a method.
func declared(f *ast.FuncDecl) string {
	if f.Recv != nil {
		return "." + f.Name.Name
	}
	return f.Name.Name
}

func opensOne(name string) bool {
	return strings.HasSuffix(name, ".Tx") || strings.HasSuffix(name, ".Brief")
}

// called is the name of what is called, with that of what it belongs to, and what it would
// be declared as here; "" where it is declared elsewhere.
func (c *faceCode) called(n *ast.CallExpr) (name, here string) {
	f := n.Fun
	if i, ok := f.(*ast.IndexExpr); ok {
		f = i.X
	}
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name, f.Name
	case *ast.SelectorExpr:
		switch x := f.X.(type) {
		case *ast.Ident:
			if c.imports[x.Name] {
				return x.Name + "." + f.Sel.Name, ""
			}
			return x.Name + "." + f.Sel.Name, "." + f.Sel.Name
		case *ast.SelectorExpr:
			return x.Sel.Name + "." + f.Sel.Name, ""
		}
		return "." + f.Sel.Name, ""
	}
	return "", ""
}

// databases are the parameters of a function that are the database.
func databases(f *ast.FuncType) map[string]bool {
	out := map[string]bool{}
	for _, p := range f.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok && isSelector(star.X, "db", "DB") {
			for _, name := range p.Names {
				out[name.Name] = true
			}
		}
	}
	return out
}

// writes tells whether a type is that of a function that is handed a connection.
func writes(t ast.Expr) bool {
	f, ok := t.(*ast.FuncType)
	return ok && slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool { return isSelector(p.Type, "db", "Q") })
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == name && isName(s.X, pkg)
}

func isName(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}
