package engine

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// The golden files list the tokens of a small program: line, bytes, what it counts as.
func TestLexersGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/lex/*.in.*")
	sources = slices.DeleteFunc(sources, func(p string) bool { return strings.HasSuffix(p, ".golden") })
	if err != nil || len(sources) < 9 {
		t.Fatalf("%d sources: %v", len(sources), err)
	}
	for _, path := range sources {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(src, LanguageOf(path))
			golden := path + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func listing(src []byte, l Language) string {
	var out strings.Builder
	for _, tok := range tokens(src, l, MaxTokens) {
		text := string(src[tok.start:tok.end])
		as := "itself"
		switch tok.norm {
		case normName:
			as = "name"
		case normNumber:
			as = "number"
		case normString:
			as = "string"
		case hash("type"), hash("loop"), hash("bool"), hash("null"), hash("declare"), hash("cast"), hash("def"):
			as = "kind"
		}
		out.WriteString(strconv.Itoa(int(tok.line)) + " " + as + " " + strconv.Quote(text) + "\n")
	}
	return out.String()
}

func TestLanguagesAreKnownByNameAndExtension(t *testing.T) {
	for l := range languages {
		if got, ok := ParseLanguage(l.String()); !ok || got != l {
			t.Errorf("%s is read as %s", l, got)
		}
	}
	for name, want := range map[string]Language{"A.JAVA": Java, "x.hpp": CPP, "y.tsx": TypeScript, "z": Generic} {
		if got := LanguageOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, ok := ParseLanguage("cobol"); ok {
		t.Error("cobol is known")
	}
}

// Each lexer reads anything, in order, within bounds, and counts lines rightly.
func fuzzLexer(f *testing.F, l Language) {
	for _, s := range []string{"", "int x = 0; /* open", "'\"`\\", "R\"(", "@\"\"\"", "\xff\xfe\r\n\r",
		"/a[/]b/g", "'''x", "\"\"\"", "1e+5.."} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		end, line := uint32(0), uint32(1)
		for _, tok := range tokens(src, l, 1000) {
			if tok.start < end || tok.end <= tok.start || int(tok.end) > len(src) || tok.norm == 0 {
				t.Fatalf("token %+v after byte %d", tok, end)
			}
			if want := lineOf(src, int(tok.start)); tok.line != want || tok.line < line || tok.last < tok.line {
				t.Fatalf("token %+v is on line %d", tok, want)
			}
			end, line = tok.end, tok.line
		}
	})
}

func lineOf(src []byte, at int) uint32 {
	n := uint32(1)
	for i := range at {
		if breaksLine(src, i) {
			n++
		}
	}
	return n
}

func FuzzGeneric(f *testing.F)    { fuzzLexer(f, Generic) }
func FuzzJava(f *testing.F)       { fuzzLexer(f, Java) }
func FuzzPython(f *testing.F)     { fuzzLexer(f, Python) }
func FuzzC(f *testing.F)          { fuzzLexer(f, C) }
func FuzzCPP(f *testing.F)        { fuzzLexer(f, CPP) }
func FuzzCSharp(f *testing.F)     { fuzzLexer(f, CSharp) }
func FuzzJavaScript(f *testing.F) { fuzzLexer(f, JavaScript) }
func FuzzTypeScript(f *testing.F) { fuzzLexer(f, TypeScript) }
func FuzzWords(f *testing.F)      { fuzzLexer(f, Words) }
