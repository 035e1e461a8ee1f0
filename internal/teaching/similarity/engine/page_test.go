package engine

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func pageOf(t *testing.T, left, right string, only bool) string {
	t.Helper()
	a, b := printsOf(Java, []byte(left)), Fingerprint([]File{{"Secret.java", Java, []byte(right)}})
	var out bytes.Buffer
	c := Comparison{Left: Side{Title: "Anna <b>", Files: []Source{{"Main.java", []byte(left)}}},
		Right: Side{Title: "COS10001, 2026 T1", Files: []Source{{"Secret.java", []byte(right)}}},
		Match: Compare(a, b, nil), Score: 99.99, Words: "why\nLine 1: <b>\nLine 2.",
		PassagesOnly: only}
	if err := Page(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const shared = "int total(int[] xs) { int sum = 0; for (int x : xs) { sum += x; } return sum; }"

func TestPageMarksAndLinksBothSides(t *testing.T) {
	got := pageOf(t, "class A { int own; "+shared+" }", "// first\nclass B { "+shared+" void other() {} }", false)
	for _, want := range []string{`<mark id="l1"><a class="n" href="#r1">1</a>`,
		`<mark id="r1"><a class="n" href="#l1">1</a>`,
		`href="#l1"`, `Anna &lt;b&gt;`, "score 99 of 100. why</p>",
		"<li><bdi>Line 1: &lt;b&gt;</bdi></li>\n<li><bdi>Line 2.</bdi></li>\n</ul>", "prefers-color-scheme: dark", "default-src 'none'"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestPassagesOnlyShowNothingElse(t *testing.T) {
	got := pageOf(t, "class A { "+shared+" }", "// by Berta, s1234\nclass Hidden { int mine = 4711; "+
		shared+" }\n// end of Berta", true)
	for _, secret := range []string{"Berta", "s1234", "4711", "Secret"} {
		if strings.Contains(got, secret) {
			t.Errorf("the page tells %s", secret)
		}
	}
	if !strings.Contains(got, "COS10001, 2026 T1") || !strings.Contains(got, "xs") {
		t.Error("the page lacks the passage or its origin")
	}
}

// allowed elements: none of them runs or loads anything.
var allowed = map[string]bool{"html": true, "head": true, "meta": true, "title": true, "style": true, "body": true,
	"h1": true, "h2": true, "h3": true, "p": true, "table": true, "tbody": true, "tr": true, "th": true, "td": true,
	"a": true, "ul": true, "li": true, "bdi": true,
	"div": true, "section": true, "pre": true, "mark": true, "i": true, "b": true, "hr": true}

func checkHarmless(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !allowed[n.Data] {
			t.Fatalf("the page has a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Key, "on") || a.Key == "src" {
				t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestHostileSourcesAreShownHarmlessAndBounded(t *testing.T) {
	hostile := map[string]string{
		"long line":    "int x = " + strings.Repeat("a+", 2500000) + "1;",
		"deep nesting": strings.Repeat("{([", 300000) + strings.Repeat(")]}", 300000),
		"bidi": "class A { /* \u202e } \u2066 if (admin) \u2069 */ " +
			"String s = \"\u200b\x00\x1b[31m\"; " + shared + "}",
		"html":        `class A { String s = "</pre><script>alert(1)</script><img src=x onerror=y>"; ` + shared + "}",
		"not utf-8":   "class A { \xff\xfe\x80 " + shared + "}",
		"all breaks":  strings.Repeat("\r\n", 2000000) + shared,
		"one token":   strings.Repeat("x ", 2000000),
		"open string": "\"" + strings.Repeat("\\", 3000000),
		"same steps":  strings.Repeat("x = x * 7 + y[x];\n", 200000),
		"remarks":     strings.Repeat("// a remark as good as any\n", 300000) + shared,
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			page := pageOf(t, text, text+" ", false)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			start = time.Now()
			x, prints := classOf(t, text, text+" ", shared)
			x.Near(0, 0)
			e, _ := x.ExplainBoth(prints[0], prints[1], Compare(prints[0], prints[1], nil))
			if len(e.Evidence) > 2*mostEvidence || len(e.Words) > 1<<14 {
				t.Errorf("it is explained in %d bytes", len(e.Words))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("to rate and explain it took %v", took)
			}
			if len(page) > 20<<20 {
				t.Errorf("the page has %d bytes", len(page))
			}
			checkHarmless(t, page)
			for _, unsafe := range []string{"\u202e", "\u2066", "\u200b", "\x00", "\x1b", "<script"} {
				if strings.Contains(page, unsafe) {
					t.Errorf("the page has %q", unsafe)
				}
			}
		})
	}
	got := pageOf(t, hostile["bidi"], shared, false)
	if !strings.Contains(got, "U+202E") || !strings.Contains(got, "U+200B") {
		t.Error("characters that cannot be seen are not shown")
	}
	if got := pageOf(t, hostile["long line"], shared, false); !strings.Contains(got, "more bytes") {
		t.Error("a cut line does not say so")
	}
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(shared), []byte("</pre><script>\u202e"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1<<16 {
			return
		}
		checkHarmless(t, pageOf(t, string(a), string(b), false))
	})
}
