package engine

import (
	"bufio"
	_ "embed" // the style of the page
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed page.css
var pageStyle string

// Limits on what a page shows; what is beyond them is cut, and the page says so.
const (
	maxShown     = 1 << 20 // bytes of a side
	maxShownLine = 2000    // bytes of a line
	maxMarks     = 2000    // passages
)

// Side is one work on a page. Its files come in the order of Prints.Files.
type Side struct {
	Title string
	Note  string // below the title
	Files []Source
}

// Source is a file to show.
type Source struct {
	Name string
	Text []byte
}

// Sources puts files into the order of Prints.Files.
func Sources(files []File) []Source {
	out := make([]Source, 0, len(files))
	for _, f := range inOrder(files) {
		out = append(out, Source{f.Name, f.Text})
	}
	return out
}

// Comparison is what a page shows.
type Comparison struct {
	Left, Right Side
	Match       Match
	Score       float64
	Words       string // the explanation
	// PassagesOnly shows of the right work the matched passages and nothing
	// else, for staff who have no rights where it was handed in. The caller gives
	// a title without a name: the unit's code and the term.
	PassagesOnly bool
}

// Page writes a comparison as one HTML page without scripts, that loads
// nothing from anywhere. Everything in it is escaped; what cannot be seen in a
// source, such as characters that turn the direction of the text, is shown by its code.
func Page(w io.Writer, c Comparison) error {
	p := newPage(w, c.Left.Title+" and "+c.Right.Title)
	p.comparison(c, "")
	return p.end()
}

// Files gives the files of both works as HTML, for a page that shows them in a frame of its own:
// as Page writes them, without titles and style. Passage 1 begins at l1 on the left, at r1 on the
// right.
func Files(c Comparison) (left, right string) {
	side := func(s Side, me, other string, isLeft, passagesOnly bool) string {
		var b strings.Builder
		p := &page{bufio.NewWriter(&b)}
		p.files(s, me, other, marks(c.Match, isLeft), passagesOnly)
		_ = p.w.Flush() // a builder takes all
		return b.String()
	}
	return side(c.Left, "l", "r", true, false), side(c.Right, "r", "l", false, c.PassagesOnly)
}

// Report writes one page with a table of pairs and, below it, the comparisons.
func Report(w io.Writer, title string, header []string, rows [][]string, shown []Comparison) error {
	p := newPage(w, title)
	p.text("<h1>%s</h1>\n<table><tr>", title)
	for _, h := range header {
		p.text("<th>%s</th>", h)
	}
	p.raw("</tr>\n")
	for i, r := range rows {
		p.raw("<tr>")
		for k, cell := range r {
			if k == 0 && i < len(shown) {
				p.raw(fmt.Sprintf(`<td><a href="#p%d">`, i))
				p.text("%s</a></td>", cell)
				continue
			}
			p.text("<td>%s</td>", cell)
		}
		p.raw("</tr>\n")
	}
	p.raw("</table>\n")
	for i, c := range shown {
		p.raw(fmt.Sprintf(`<hr><div id="p%d">`, i))
		p.comparison(c, fmt.Sprintf("p%d", i))
		p.raw("</div>\n")
	}
	return p.end()
}

type page struct{ w *bufio.Writer }

func newPage(w io.Writer, title string) *page {
	p := &page{bufio.NewWriter(w)}
	p.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width\">\n")
	p.text("<title>%s</title>\n<style>\n", title)
	p.raw(pageStyle + "</style></head><body>\n")
	return p
}

func (p *page) end() error {
	p.raw("</body></html>\n")
	return p.w.Flush()
}

// raw writes HTML; errors stay with the writer until it is flushed.
func (p *page) raw(s string) { _, _ = p.w.WriteString(s) }

// text writes a format whose arguments are escaped and made visible.
func (p *page) text(format string, args ...string) {
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = html.EscapeString(plain(a))
	}
	fmt.Fprintf(p.w, format, safe...)
}

func (p *page) comparison(c Comparison, id string) {
	p.text("<h1>%s and %s</h1>\n", c.Left.Title, c.Right.Title)
	words, evidence, _ := strings.Cut(c.Words, "\n")
	p.text("<p>%s %% of the shorter work is in the other; score %s of 100. %s</p>\n",
		fmt.Sprint(c.Match.Pct), fmt.Sprint(Rounded(c.Score)), words)
	if evidence != "" {
		p.raw("<ul>\n")
		for line := range strings.Lines(evidence) {
			p.text("<li><bdi>%s</bdi></li>\n", strings.TrimSpace(line))
		}
		p.raw("</ul>\n")
	}
	p.raw("<p class=\"note\">To look at. Who copied from whom, or whether anyone did, this page cannot tell.</p>\n")
	p.legend(c, id)
	p.raw("<div class=\"sides\">\n")
	p.side(c.Left, id+"l", id+"r", marks(c.Match, true), false)
	p.side(c.Right, id+"r", id+"l", marks(c.Match, false), c.PassagesOnly)
	p.raw("</div>\n")
}

// legend lists the passages with links to both sides.
func (p *page) legend(c Comparison, id string) {
	p.raw("<table><tr><th></th><th>left</th><th>right</th><th>tokens</th></tr>\n")
	for i, m := range c.Match.Passages[:min(len(c.Match.Passages), maxMarks)] {
		p.raw(fmt.Sprintf(`<tr><td>%d</td><td><a href="#%sl%d">`, i+1, id, i+1))
		p.text("%s, line %s to %s", m.Left.Name, fmt.Sprint(m.Left.StartLine), fmt.Sprint(m.Left.EndLine))
		p.raw(fmt.Sprintf(`</a></td><td><a href="#%sr%d">`, id, i+1))
		if !c.PassagesOnly { // a file may be named after its author
			p.text("%s, ", m.Right.Name)
		}
		p.text("line %s to %s", fmt.Sprint(m.Right.StartLine), fmt.Sprint(m.Right.EndLine))
		p.raw(fmt.Sprintf("</a></td><td>%d</td></tr>\n", m.Tokens))
	}
	p.raw("</table>\n")
	if len(c.Match.Passages) > maxMarks {
		p.raw(fmt.Sprintf("<p class=\"note\">%d more passages are not listed.</p>\n", len(c.Match.Passages)-maxMarks))
	}
}

// Rounded makes a whole number of a score, 100 only of all of it.
func Rounded(score float64) int { return int(score + 1e-9) }
