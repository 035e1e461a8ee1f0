package pdf

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// What people write beside files, as in comments, is Markdown on pages too: read by the parser
// of documents and shown by their rules. Raw HTML is shown as it was typed, pictures by their
// words, formulas by their source, and only links to the web and to addresses of mail lead on.

// The bounds of what is read as Markdown while a page waits for it. Other text is shown as it
// was typed.
const (
	ProseLongest = 64 << 10 // bytes
	proseDeepest = 6        // lists and quotations, or styles, within each other; deeper ones are shown as one
	proseCells   = 1500     // of tables, as many as there could be
	proseColumns = 6        // of a table; a wider one is shown as it was typed
	proseGrowth  = 24       // how many times longer than its source the result may be
)

// HTML writes Markdown as a part of a page, of our own elements only. Outside gives the words
// that follow a link which leads to a host; they are for whoever cannot see where it leads.
func HTML(source string, outside func(host string) string) string {
	source = tidyLines(source)
	if len(source) > ProseLongest || couldBeCells(source) > proseCells {
		return asTyped(source)
	}
	w := &proseWriter{source: []byte(source), outside: outside}
	w.children(markdown.Parser().Parse(text.NewReader(w.source)), 0)
	if out := w.out.String(); len(out) <= proseGrowth*len(source)+1000 {
		return out
	}
	return asTyped(source)
}

// couldBeCells is how many cells tables of a text could have: every row gets as many as the head.
func couldBeCells(source string) int {
	most, lines := 0, 0
	for line := range strings.Lines(source) {
		if n := strings.Count(line, "|"); n > 0 {
			most = max(most, n+1)
		}
		lines++
	}
	return most * lines
}

func asTyped(source string) string {
	return `<p class="text"><bdi>` + html.EscapeString(source) + `</bdi></p>`
}

type proseWriter struct {
	out     strings.Builder
	source  []byte
	outside func(host string) string
	styles  int // that are open
}

func (w *proseWriter) put(parts ...string) {
	for _, p := range parts {
		w.out.WriteString(p)
	}
}

func (w *proseWriter) children(n ast.Node, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c, depth)
	}
}

// block writes a block. What stands in one is set apart from what stands around it, whatever
// the direction of its letters.
func (w *proseWriter) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading: // the page has its own
		w.leaf("<p><strong>", n, "</strong></p>")
	case *ast.Paragraph:
		w.leaf("<p>", n, "</p>")
	case *ast.TextBlock:
		w.leaf("", n, "")
	case *ast.ThematicBreak:
		w.put("<hr>")
	case *ast.FencedCodeBlock, *ast.CodeBlock, *mathBlock:
		w.typed(strings.TrimSpace(w.lines(n)))
	case *ast.HTMLBlock:
		source := w.lines(n)
		if n.HasClosure() {
			source += string(n.ClosureLine.Value(w.source))
		}
		w.typed(strings.TrimSpace(source))
	case *ast.Blockquote:
		w.within("<blockquote>", n, "</blockquote>", depth)
	case *ast.List:
		w.list(n, depth)
	case *ast.ListItem:
		w.put("<li>")
		w.children(n, depth)
		w.put("</li>")
	case *east.Table:
		w.table(n)
	default:
		w.children(n, depth)
	}
}

// leaf writes a block of running text.
func (w *proseWriter) leaf(before string, n ast.Node, after string) {
	w.put(before, "<bdi>")
	w.inlines(n)
	w.put("</bdi>", after)
}

// typed writes lines as they were typed.
func (w *proseWriter) typed(lines string) {
	w.put(`<pre class="text"><code><bdi>`, html.EscapeString(lines), "</bdi></code></pre>")
}

// within writes blocks that stand in another, unless too many do already.
func (w *proseWriter) within(before string, n ast.Node, after string, depth int) {
	if depth >= proseDeepest {
		w.children(n, depth)
		return
	}
	w.put(before)
	w.children(n, depth+1)
	w.put(after)
}

func (w *proseWriter) list(n *ast.List, depth int) {
	switch {
	case depth >= proseDeepest: // its items go on the one around it
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			w.children(item, depth)
		}
	case n.IsOrdered() && n.Start != 1:
		w.within(`<ol start="`+strconv.Itoa(n.Start)+`">`, n, "</ol>", depth)
	case n.IsOrdered():
		w.within("<ol>", n, "</ol>", depth)
	default:
		w.within("<ul>", n, "</ul>", depth)
	}
}

func (w *proseWriter) table(n *east.Table) {
	if len(n.Alignments) > proseColumns {
		var rows []string
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			rows = append(rows, w.lines(row))
		}
		w.typed(strings.Join(rows, "\n"))
		return
	}
	w.put("<table>")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		before, after := "<td>", "</td>"
		if row.Kind() == east.KindTableHeader {
			before, after = `<th scope="col">`, "</th>"
		}
		w.put("<tr>")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			w.leaf(before, c, after)
		}
		w.put("</tr>")
	}
	w.put("</table>")
}

// lines is the text of a block as it stands in the source.
func (w *proseWriter) lines(n ast.Node) string {
	return (&mdReader{source: w.source}).lines(n)
}

// inlines writes the text below a node in its styles.
func (w *proseWriter) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			w.text(c)
		case *ast.String:
			w.put(html.EscapeString(string(c.Value)))
		case *mathNode:
			w.put("<code>", html.EscapeString(c.source), "</code>")
		case *ast.CodeSpan:
			w.styled("code", c)
		case *ast.Emphasis:
			w.styled(map[bool]string{true: "em", false: "strong"}[c.Level == 1], c)
		case *east.Strikethrough:
			w.styled("del", c)
		case *east.TaskCheckBox:
			w.put(map[bool]string{true: "☑ ", false: "☐ "}[c.IsChecked])
		case *ast.Link:
			w.link(string(c.Destination), func() { w.inlines(c) })
		case *ast.AutoLink:
			w.link(string(c.URL(w.source)), func() { w.put(html.EscapeString(string(c.Label(w.source)))) })
		case *ast.Image:
			w.put("<em>[image: ")
			w.inlines(c)
			w.put("]</em>")
		case *ast.RawHTML:
			w.put(strings.ReplaceAll(html.EscapeString(rawHTML(c, w.source)), "\n", "<br>"))
		default:
			w.inlines(c)
		}
	}
}

func (w *proseWriter) styled(element string, n ast.Node) {
	if w.styles >= proseDeepest {
		w.inlines(n)
		return
	}
	w.styles++
	w.put("<", element, ">")
	w.inlines(n)
	w.put("</", element, ">")
	w.styles--
}

// text writes words. A line that was broken by hand stays so: people type comments in lines.
func (w *proseWriter) text(t *ast.Text) {
	words := (&mdReader{source: w.source}).plainText(t)
	if t.HardLineBreak() || t.SoftLineBreak() {
		w.put(html.EscapeString(words[:len(words)-1]), "<br>")
		return
	}
	w.put(html.EscapeString(words))
}

// link writes what leads on: to the web, marked as leading outside, or to an address of mail.
func (w *proseWriter) link(to string, inner func()) {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || !webLink(to) || u.Scheme != "mailto" && u.Host == "" {
		inner()
		return
	}
	w.put(`<a rel="noopener nofollow" href="`, html.EscapeString(u.String()), `"`)
	if u.Scheme != "mailto" {
		w.put(` class="outside"`)
	}
	w.put(">")
	inner()
	if u.Scheme != "mailto" {
		w.put(`<span class="unseen">`, html.EscapeString(" "+w.outside(u.Host)), "</span>")
	}
	w.put("</a>")
}
