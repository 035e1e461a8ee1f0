package app

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"lectern/internal/ground/words"
	"lectern/internal/people/policy"
)

// rightForPeople are sentences in which a word of the glossary's table "Texts for people" is right.
// One that is no longer needed fails the test.
var rightForPeople = []struct{ within, reason string }{
	{"two letters", "of the alphabet"},
	{"in class", "where a tutor and a student meet"},
	{"Class median", "of all students of a unit"},
}

// formerWord is a word that texts for people no longer hold.
type formerWord struct {
	word *regexp.Regexp
	say  string
}

// TestTextsForPeople fails where people read a word that docs/glossary.md keeps out of texts for them:
// in a refusal, in another sentence of the code, in an email or on a page. The document of the API speaks
// the words of the domain, and in the demo people speak as they like.
func TestTextsForPeople(t *testing.T) {
	former, needed := formerWords(t), map[int]bool{}
	texts := map[string]int{}
	compare := func(kind, at, text string) {
		texts[kind]++
		for i, e := range rightForPeople {
			if strings.Contains(text, e.within) {
				needed[i] = true
				return
			}
		}
		for _, f := range former {
			if said := f.word.FindString(text); said != "" {
				t.Errorf("%s says %q in %q: say %q", at, said, text, f.say)
			}
		}
	}
	eachSource(t, func(path string, set *token.FileSet, file *ast.File) {
		if !strings.HasPrefix(path, "internal/") || strings.HasSuffix(path, "_test.go") {
			return
		}
		eachSentence(file, func(pos token.Pos, refusal bool, text string) {
			switch {
			case refusal:
				compare("refusals", set.Position(pos).String(), text)
			case !strings.HasPrefix(path, "internal/web/api/") && !strings.HasPrefix(path, "internal/usecase/demo/"):
				compare("other sentences", set.Position(pos).String(), text)
			}
		})
	})
	for _, r := range policy.All() {
		compare("rights", "policy", r.Refusal())
	}
	for key, text := range pageWords(t) {
		text.Each(func(form string) string {
			compare("words of pages", key, form)
			return form
		})
	}
	for path, text := range emailTemplates(t) {
		compare("emails", path, text)
	}
	for kind, least := range map[string]int{"refusals": 450, "other sentences": 100, "rights": 80, "words of pages": 1000,
		"emails": 20} {
		if texts[kind] < least {
			t.Errorf("only %d %s were compared", texts[kind], kind)
		}
	}
	for i, e := range rightForPeople {
		if !needed[i] {
			t.Errorf("nothing says %q: take it off the list", e.within)
		}
	}
}

// formerWords reads the table "Texts for people".
func formerWords(t *testing.T) (out []formerWord) {
	t.Helper()
	b, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "## Texts for people")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "**") {
			continue
		}
		for w := range strings.SplitSeq(cells[2], ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, formerWord{regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(w) + `\b`),
					strings.Trim(strings.TrimSpace(cells[1]), "*")})
			}
		}
	}
	if len(out) < 40 {
		t.Fatalf("the table Texts for people was not understood: %d words", len(out))
	}
	return out
}

// eachSentence gives the texts of refusals, and what else in a file reads as a sentence for people:
// with a capital letter and a full stop.
func eachSentence(file *ast.File, do func(pos token.Pos, refusal bool, text string)) {
	seen := map[token.Pos]bool{}
	give := func(n ast.Node, refusal bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || seen[n.Pos()] {
				return !ok
			}
			text, ok := constant(e)
			if ok && strings.Contains(text, " ") && (refusal || isSentence(text)) {
				seen[n.Pos()] = true
				do(n.Pos(), refusal, text)
			}
			return !ok
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if isRefusal(n) {
			give(n, true)
		}
		return true
	})
	give(file, false)
}

// isRefusal tells whether a node makes a fault, or adds to one what is wrong with a field.
func isRefusal(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		s, ok := n.Type.(*ast.SelectorExpr)
		return ok && isNamed(s.X, "fault")
	case *ast.CallExpr:
		s, ok := n.Fun.(*ast.SelectorExpr)
		return ok && (isNamed(s.X, "fault") || isNamed(s.X, "wrong"))
	}
	return false
}

// constant gives a text that is written in one piece or in several.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING && strings.HasPrefix(e.Value, `"`) {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		if left, ok := constant(e.X); ok && e.Op == token.ADD {
			right, ok := constant(e.Y)
			return left + right, ok
		}
	}
	return "", false
}

func isSentence(text string) bool {
	return unicode.IsUpper([]rune(text)[0]) && strings.HasSuffix(strings.TrimSpace(text), ".")
}

// pageWords is the table of the words that pages speak.
func pageWords(t *testing.T) (table map[string]words.Text) {
	t.Helper()
	b, err := os.ReadFile("../web/site/page/words/en.json")
	if err == nil {
		err = json.Unmarshal(b, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var markup = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>|\{\{.*?\}\}`)

// emailTemplates are the texts of emails, without what makes them a document.
func emailTemplates(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, ending := range []string{"txt", "html"} {
		found, err := filepath.Glob("../platform/mail/templates/*." + ending)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[path] = strings.Join(strings.Fields(markup.ReplaceAllString(string(b), " ")), " ")
		}
	}
	return out
}
