package pdf

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func to(host string) string { return "(to " + host + ")" }

// What people write is shown by the rules of documents.
func TestMarkdownOnPages(t *testing.T) {
	for source, want := range map[string]string{
		"plain\nlines":       "<p><bdi>plain<br>lines</bdi></p>",
		"a *b* **c** ~~d~~":  "<p><bdi>a <em>b</em> <strong>c</strong> <del>d</del></bdi></p>",
		"`x < y` &amp; z":    "<p><bdi><code>x &lt; y</code> &amp; z</bdi></p>",
		"# Title":            "<p><strong><bdi>Title</bdi></strong></p>",
		"- a\n- b":           "<ul><li><bdi>a</bdi></li><li><bdi>b</bdi></li></ul>",
		"3. a\n4. b":         `<ol start="3"><li><bdi>a</bdi></li><li><bdi>b</bdi></li></ol>`,
		"- [x] done":         "<ul><li><bdi>☑ done</bdi></li></ul>",
		"> said":             "<blockquote><p><bdi>said</bdi></p></blockquote>",
		"```go\na := 1\n```": `<pre class="text"><code><bdi>a := 1</bdi></code></pre>`,
		"$x^2$ costs $5":     "<p><bdi><code>x^2</code> costs $5</bdi></p>",
		"a | b\n--|--\n1 | 2": `<table><tr><th scope="col"><bdi>a</bdi></th><th scope="col"><bdi>b</bdi></th></tr>` +
			`<tr><td><bdi>1</bdi></td><td><bdi>2</bdi></td></tr></table>`,
		"[it](https://e.org/a?b=1&c=2)": `<p><bdi><a rel="noopener nofollow" href="https://e.org/a?b=1&amp;c=2" ` +
			`class="outside">it<span class="unseen"> (to e.org)</span></a></bdi></p>`,
		"www.e.org": `<p><bdi><a rel="noopener nofollow" href="http://www.e.org" class="outside">www.e.org` +
			`<span class="unseen"> (to www.e.org)</span></a></bdi></p>`,
		"[mail](mailto:a@e.org)":      `<p><bdi><a rel="noopener nofollow" href="mailto:a@e.org">mail</a></bdi></p>`,
		"[no](javascript:alert(1))":   "<p><bdi>no</bdi></p>",
		"[no](/projects/1) [no](//e)": "<p><bdi>no no</bdi></p>",
		"![cat](https://e.org/c.png)": "<p><bdi><em>[image: cat]</em></bdi></p>",
		"<b onclick=x>a</b>":          "<p><bdi>&lt;b onclick=x&gt;a&lt;/b&gt;</bdi></p>",
		"<script>\nalert(1)\n</script>": `<pre class="text"><code><bdi>&lt;script&gt;` + "\nalert(1)\n" +
			`&lt;/script&gt;</bdi></code></pre>`,
	} {
		if got := HTML(source, to); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", source, got, want)
		}
	}
}

// safeProse tells what of a page must not come of Markdown, whatever was written.
func safeProse(t *testing.T, source string) {
	t.Helper()
	out := HTML(source, to)
	if len(out) > proseGrowth*len(source)*2+2000 {
		t.Errorf("%d bytes of %d: %.80q", len(out), len(source), source)
	}
	doc, err := html.Parse(strings.NewReader("<!doctype html><body>" + out))
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields("html head body p bdi strong em del code pre ul ol li blockquote hr br table tbody tr " +
		"th td a span")
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("%q has become the element %s", source, n.Data)
		}
		deep := 0
		for range n.Ancestors() {
			deep++
		}
		if deep > 2*proseDeepest+12 {
			t.Errorf("%.80q is %d deep", source, deep)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "class", a.Key == "start", a.Key == "scope", a.Key == "rel":
			case a.Key == "href" && (strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://") ||
				strings.HasPrefix(a.Val, "mailto:")):
			default:
				t.Errorf("%q has become %s=%q", source, a.Key, a.Val)
			}
		}
	}
}

// What is built to grow, or to go deep, does neither.
func TestMarkdownOnPagesIsBounded(t *testing.T) {
	for _, source := range []string{strings.Repeat(">", 4000) + "a", strings.Repeat("- ", 2000) + "a",
		strings.Repeat("|a", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.Repeat("|\n", 1000),
		strings.Repeat("|a", 5) + "|\n" + strings.Repeat("|-", 5) + "|\n" + strings.Repeat("|\n", 200),
		strings.Repeat("*", 4000) + "a", strings.Repeat("[", 4000), strings.Repeat("*a", 2000), strings.Repeat("`", 4001),
		strings.Repeat("<", 4000), strings.Repeat("1. ", 1300), strings.Repeat("x", ProseLongest+1)} {
		safeProse(t, source)
	}
}

// FuzzProse: no text of anybody becomes anything but what the page allows.
func FuzzProse(f *testing.F) {
	for _, seed := range []string{"a *b* `c`", "[a](https://e.org \"t\")", "<a href=x>b</a>", "> - 1. | a\n--|--\n",
		"$x$ \\[y\\]",
		"![a](data:x)", "&#x26;lt;script", "<https://e.org/\"onclick=x>", "[a](HTTPS://e.org/%0a\"b)", "- [ ] a\n\n  b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) <= 4095 {
			safeProse(t, source)
		}
	})
}
