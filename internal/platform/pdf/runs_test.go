package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2/lexers"

	"lectern/internal/ground/highlight"
)

// shown writes a text with the classes of its runs around them.
func shown(t *testing.T, b []byte, text string) string {
	t.Helper()
	lines, err := highlight.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i < len(lines) {
			for _, r := range lines[i] {
				if part := l[:r.Length]; r.Class == highlight.Plain {
					out.WriteString(part)
				} else {
					fmt.Fprintf(&out, "<%s>%s</>", r.Class.Name(), part)
				}
				l = l[r.Length:]
			}
		}
		out.WriteString(l + "\n")
	}
	return out.String()
}

func highlighter(t testing.TB) *Highlighter {
	t.Helper()
	h, err := NewHighlighter(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestRunsOfSource(t *testing.T) {
	h := highlighter(t)
	for _, c := range []struct{ name, text, want string }{
		{"a.py", "# é\ndef f(x):\n    return \"a\" + 1", "<c># é</>\n<k>def</> f(x):\n    <k>return</> <s>\"a\"</> + <d>1</>\n"},
		{"b.go", "/* one\ntwo */ var x int = 0x1f\n", "<c>/* one</>\n<c>two */</> <k>var</> x <k>int</> = <d>0x1f</>\n"},
		{"C.java", "class A { String s = \"\"; }", "<k>class</> <t>A</> { String s = <s>\"\"</>; }\n"},
		{"x.txt", "", ""}, {"", "", ""}, {strings.Repeat("a", 300) + ".py", "", ""}, {"a.nothing", "", ""},
	} {
		language := LanguageOf(c.name)
		if (language == "") != (c.want == "") {
			t.Errorf("%s is %q", c.name, language)
		}
		if language == "" {
			continue
		}
		b, err := h.Runs(t.Context(), strings.NewReader(c.text), language)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(t, b, c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Whatever a file holds, it is highlighted or given up within bounds, and the next one is highlighted as ever.
func TestRunsOfHostileFiles(t *testing.T) {
	h := highlighter(t)
	h.wk.limits.FileTime = 400 * time.Millisecond
	for about, text := range map[string]string{
		"a line of 2 MB": strings.Repeat("a ", 1<<20), "a string of 2 MB": `"` + strings.Repeat("a", 2<<20),
		"brackets": strings.Repeat("({[", 200_000), "tokens": strings.Repeat("if 1 ", 400_000),
		"line ends": strings.Repeat("\n", 2<<20), "open comments": strings.Repeat("/* \"\"\" # ", 100_000),
		"not UTF-8": strings.Repeat("x = '\xff\xfe\xe9'\n", 50_000), "backslashes": strings.Repeat("'\\", 500_000),
		"with a mark": "\xef\xbb\xbfx = 1 # \xff\n",
	} {
		for _, name := range []string{"a.py", "a.md", "a.php"} {
			before := time.Now()
			b, err := h.Runs(t.Context(), strings.NewReader(text), LanguageOf(name))
			switch {
			case errors.Is(err, ErrPlain):
			case err != nil:
				t.Errorf("%s as %s: %v", about, name, err)
			default:
				if lines, err := highlight.Decode(b); err != nil {
					t.Errorf("%s as %s: %d lines, %v", about, name, len(lines), err)
				}
			}
			t.Logf("%s as %s: %d bytes, %.1f s (%v)", about, name, len(b), time.Since(before).Seconds(), err)
		}
	}
	if _, err := h.Runs(t.Context(), strings.NewReader("MZ\x00\x01"), "Python"); !errors.Is(err, ErrPlain) {
		t.Errorf("binary data: %v", err)
	}
	if _, err := h.Runs(t.Context(), strings.NewReader("x"), "no such language"); !errors.Is(err, ErrPlain) {
		t.Errorf("an unknown language: %v", err)
	}
	if b, err := h.Runs(t.Context(), strings.NewReader("pass"), "Python"); err != nil || shown(t, b, "pass") != "<k>pass</>\n" {
		t.Errorf("after all of that: %v", err)
	}
	if h.wk.rss > 600<<20 {
		t.Errorf("a child had %d MB", h.wk.rss>>20)
	}
	t.Logf("a child had %d MB at most", h.wk.rss>>20)
}

// A file that kills its child is given up, and the next one gets a new child.
func TestRunsOfAFileThatKillsItsChild(t *testing.T) {
	h, err := NewHighlighter(Limits{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	huge := strings.Repeat("if 1 ", 8_000_000)
	if _, err := h.Runs(t.Context(), strings.NewReader(huge), "Python"); !errors.Is(err, ErrPlain) {
		t.Errorf("a file that needs much memory: %v", err)
	}
	if b, err := h.Runs(t.Context(), strings.NewReader("pass"), "Python"); err != nil || shown(t, b, "pass") != "<k>pass</>\n" {
		t.Errorf("after it: %v", err)
	}
	h.wk.limits.FileTime = time.Millisecond // less than it takes to read the file, so nothing of it is told in time
	if _, err := h.Runs(t.Context(), strings.NewReader(huge[:5_000_000]), "Python"); !errors.Is(err, ErrPlain) {
		t.Errorf("a file that takes long: %v", err)
	}
	h.wk.limits.FileTime = 2 * time.Second
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := h.Runs(ended, strings.NewReader("pass"), "Python"); !errors.Is(err, context.Canceled) {
		t.Errorf("in vain: %v", err)
	}
}

// The runs of any text in any language are of that text: none is longer than its line, or behind the last.
func FuzzRuns(f *testing.F) {
	names := lexers.Names(false)
	f.Add(uint(0), "x = 1\n\"a")
	f.Add(uint(40), "/* \n\n'\\")
	f.Fuzz(func(t *testing.T, which uint, text string) {
		text, _, ok := Plain([]byte(text))
		if !ok || len(text) > 2000 {
			return
		}
		lines, err := runsOf(lexers.Get(names[which%uint(len(names))]), text, func() bool { return false })
		if err != nil {
			return
		}
		rest := strings.Split(text, "\n")
		for i, runs := range lines {
			sum := 0
			for _, r := range runs {
				sum += r.Length
			}
			if sum > 0 && (i >= len(rest) || sum > len(rest[i])) {
				t.Errorf("line %d has runs of %d bytes", i, sum)
			}
		}
		if _, err := highlight.Decode(highlight.Encode(lines)); err != nil {
			t.Error(err)
		}
	})
}
