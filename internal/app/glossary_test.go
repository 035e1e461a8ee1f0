package app

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rightHere are the names in which a word of the glossary's column "Never" is right, by where
// they are declared. One that is no longer needed fails the test, so that the list stays short.
var rightHere = []struct{ words, below, reason string }{
	{"letter letters", "internal/platform/pdf", "of the alphabet: fonts and shaping"},
	{"letter letters", "internal/teaching/similarity/engine", "of the alphabet: reading source code"},
	{"letter letters", "internal/people/ident", "of the alphabet: how names are compared"},
	{"letter letters", "internal/ground", "of the alphabet: grades are written as one, and sentences begin with one"},
	{"letter", "internal/web/api/webcal_test.go", "of the alphabet: a reminder's unit is one"},
	{"letter", "internal/web/api/auth_test.go", "of the alphabet: a student number ends in one"},
	{"judge judged", "internal/teaching/assess", "judge.sh, the program of a task that decides about others"},
	{"judge judged", "internal/web/api/assessments_test.go", "judge.sh, the program of a task that decides about others"},
	{"judge judged", "internal/usecase/assess.go", "judge.sh, the program of a task that decides about others"},
	{"learner", "internal/platform/tca", "the outside service's own word on the wire"},
	{"weigh", "internal/teaching/similarity/engine", "how much a token counts is its weight"},
}

// rightInTexts are words that have another, plain meaning in a sentence.
var rightInTexts = []struct{ word, within, reason string }{
	{"letter", "one letter", "of the alphabet"},
	{"letters", "small letters", "of the alphabet"},
	{"letters", "letters a to z", "of the alphabet"},
	{"letters", "50 letters", "of the alphabet"},
	{"away", " away", "to take something away"},
	{"aim", "aim for", "for a grade: what a target is for"},
	{"aims", "aims for", "for a grade: what a target is for"},
	{"judge", "the judge", "judge.sh, the program of a task that decides about others"},
	{"judge", "judge.sh", "judge.sh, the program of a task that decides about others"},
}

// sourceFolders hold the code whose names are compared with the glossary.
var sourceFolders = []string{"../../internal", "../../cmd", "../../browser", "../../bench"}

var wordsOfAName = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// TestNamesKeepToTheGlossary fails where a name that is declared in the code holds a word
// that docs/glossary.md says is never used.
func TestNamesKeepToTheGlossary(t *testing.T) {
	never, needed, names := neverUsed(t), map[int]bool{}, 0
	eachSource(t, func(path string, set *token.FileSet, file *ast.File) {
		for _, id := range declared(file) {
			names++
			for _, w := range wordsOfAName.FindAllString(id.Name, -1) {
				w = strings.ToLower(w)
				if say := never[w]; say != "" && !isRightHere(w, path, needed) {
					t.Errorf("%s: the name %s holds %q: say %q", set.Position(id.Pos()), id.Name, w, say)
				}
			}
		}
	})
	for i, e := range rightHere {
		if !needed[i] {
			t.Errorf("nothing below %s is named %s: take it off the list", e.below, e.words)
		}
	}
	if names < 20000 {
		t.Errorf("%d names were compared", names)
	}
}

// eachSource parses every file of the code.
func eachSource(t *testing.T, do func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	for _, root := range sourceFolders {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err == nil {
				do(strings.TrimPrefix(filepath.ToSlash(path), "../../"), set, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// declared gives the names that a file declares: of packages, functions, types, fields,
// parameters, constants and variables.
func declared(file *ast.File) []*ast.Ident {
	out := []*ast.Ident{file.Name}
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok {
				out = append(out, id)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			out = append(out, n.Name)
		case *ast.TypeSpec:
			out = append(out, n.Name)
		case *ast.Field:
			out = append(out, n.Names...)
		case *ast.ValueSpec:
			out = append(out, n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return out
}

func isRightHere(word, path string, needed map[int]bool) bool {
	for i, e := range rightHere {
		if strings.HasPrefix(path, e.below) && containsWord(e.words, word) {
			needed[i] = true
			return true
		}
	}
	return false
}

func containsWord(text, word string) bool { return strings.Contains(" "+text+" ", " "+word+" ") }

// TestTextsOfTheAPIKeepToTheGlossary does the same for what the OpenAPI document says and for
// the sentences of refusals.
func TestTextsOfTheAPIKeepToTheGlossary(t *testing.T) {
	never := neverUsed(t)
	described, refused := 0, 0
	eachText(apiDocument(t), "", func(at, text string) {
		described++
		compareText(t, text, at, never)
	})
	eachSource(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		eachRefusal(file, func(pos token.Pos, text string) {
			refused++
			compareText(t, text, set.Position(pos).String(), never)
		})
	})
	if described < 500 || refused < 500 {
		t.Errorf("%d texts of the document and %d of refusals were compared", described, refused)
	}
}

// apiDocument gives the OpenAPI document as the service serves it.
func apiDocument(t *testing.T) (document any) {
	t.Helper()
	a, err := New(t.Context(), Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, LogLevel: 12},
		io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	w := httptest.NewRecorder()
	a.web.ServeHTTP(w, httptest.NewRequest("GET", "/api/openapi.json", nil))
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// eachText gives every description and summary below a value of the document.
func eachText(v any, at string, do func(at, text string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if text, ok := x.(string); ok && (k == "description" || k == "summary") {
				do(at, text)
			} else {
				eachText(x, at+"/"+k, do)
			}
		}
	case []any:
		for _, x := range v {
			eachText(x, at, do)
		}
	}
}

// eachRefusal gives the texts that are handed to functions of the package fault and those in
// a fault.Error.
func eachRefusal(file *ast.File, do func(pos token.Pos, text string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			of = n.Fun
		case *ast.CompositeLit:
			of = n.Type
		}
		if s, ok := of.(*ast.SelectorExpr); !ok || !isNamed(s.X, "fault") {
			return true
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
					do(lit.Pos(), text)
				}
			}
			return true
		})
		return false
	})
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func compareText(t *testing.T, text, at string, never map[string]string) {
	t.Helper()
	text = strings.ToLower(text)
	for _, e := range rightInTexts {
		text = strings.ReplaceAll(text, e.within, strings.ReplaceAll(e.within, e.word, ""))
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if say := never[w]; say != "" {
			t.Errorf("%s says %q in %q: say %q", at, w, text, say)
		}
	}
}

// neverUsed reads the words of the column "Never" with the word to use instead.
func neverUsed(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "**") {
			continue
		}
		for w := range strings.SplitSeq(cells[4], ",") {
			if w = strings.TrimSpace(w); w != "" {
				out[w] = strings.ToLower(strings.Trim(strings.TrimSpace(cells[1]), "*"))
			}
		}
	}
	if len(out) < 30 || out["mate"] == "" || out["letter"] == "" {
		t.Fatalf("the column Never was not understood: %v", out)
	}
	return out
}
