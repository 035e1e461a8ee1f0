package pdf

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mdReader turns Markdown into blocks. Nothing is fetched: an image must be in
// the text itself, or be found by attached.
type mdReader struct {
	job      *readJob
	source   []byte
	blocks   []Block
	marker   string // of the list item whose first block comes next
	attached func(name string) []byte
	figures  *int // images written so far, for their names
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
	goldmark.WithParserOptions(
		parser.WithInlineParsers(util.Prioritized(mathInline{}, 150)),
		parser.WithBlockParsers(util.Prioritized(mathLines{}, 650))))

func readMarkdown(j *readJob, data []byte) ([]Block, readDone, error) {
	if what := disguised(data); what != "" {
		return nil, readDone{}, tell("it is not a text file but %s", what)
	}
	source, note, err := decodeText(data)
	if err != nil {
		return nil, readDone{}, err
	}
	m := &mdReader{job: j, figures: new(int)}
	m.read(source)
	return m.blocks, readDone{About: "Markdown · " + SizeText(int64(len(data))), Note: note}, nil
}

// markdownBlocks reads text that people wrote outside of files, as in comments.
// Pictures in it are not shown.
func markdownBlocks(source string) []Block {
	m := &mdReader{job: &readJob{Limits: Limits{}.orDefaults()}, figures: new(int)}
	m.read(tidyLines(source))
	return m.blocks
}

// flattened gives blocks as the text of a table's cell.
func flattened(blocks []Block) []Span {
	var out []Span
	for _, b := range blocks {
		if len(out) > 0 {
			out = append(out, Span{Text: "\n"})
		}
		if b.Marker != "" {
			out = append(out, Span{Text: b.Marker + "\u00a0"})
		}
		switch {
		case b.Listing != nil:
			for i, line := range b.Listing.Lines {
				if i > 0 {
					out = append(out, Span{Text: "\n"})
				}
				for _, sp := range line {
					sp.Mono, sp.Text = true, strings.ReplaceAll(sp.Text, " ", "\u00a0")
					out = append(out, sp)
				}
			}
		case b.Table != nil:
			for _, row := range append([][]Cell{headCells(b.Table)}, b.Table.Rows...) {
				for _, c := range row {
					out = append(append(out, c.Spans...), Span{Text: "   "})
				}
				out = append(out, Span{Text: "\n"})
			}
		default:
			for _, sp := range b.Spans {
				sp.Bold, sp.Math = sp.Bold || b.Heading > 0, sp.Math || b.Math
				out = append(out, sp)
			}
		}
	}
	return out
}

func headCells(t *Table) (cells []Cell) {
	for _, h := range t.Head {
		cells = append(cells, Cell{Spans: []Span{{Text: h, Bold: true}}})
	}
	return cells
}

func (m *mdReader) read(source string) {
	m.source = []byte(source)
	m.children(markdown.Parser().Parse(text.NewReader(m.source)), 0, 0)
}

func (m *mdReader) children(n ast.Node, indent, quote int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.block(c, indent, quote)
	}
}

func (m *mdReader) block(n ast.Node, indent, quote int) {
	switch n := n.(type) {
	case *ast.Heading:
		m.add(Block{Heading: n.Level, Spans: m.inlines(n, Span{})}, indent, quote)
	case *ast.Paragraph, *ast.TextBlock:
		m.paragraph(n, indent, quote)
	case *ast.ThematicBreak:
		m.add(Block{Rule: true}, indent, quote)
	case *ast.FencedCodeBlock:
		m.code(n, string(n.Language(m.source)), indent, quote)
	case *ast.CodeBlock, *ast.HTMLBlock:
		m.code(n, "", indent, quote)
	case *ast.Blockquote:
		m.children(n, indent, quote+1)
	case *ast.List:
		m.list(n, indent, quote)
	case *east.Table:
		m.table(n, indent, quote)
	case *mathBlock:
		m.add(Block{Math: true, Spans: plain(strings.TrimSpace(m.lines(n)))}, indent, quote)
	default:
		m.children(n, indent, quote)
	}
}

func (m *mdReader) add(b Block, indent, quote int) {
	b.Indent, b.Quote, b.Marker = indent, quote, m.marker
	m.marker = ""
	m.blocks = append(m.blocks, b)
}

// paragraph adds a paragraph, and below it the images it holds.
func (m *mdReader) paragraph(n ast.Node, indent, quote int) {
	spans := m.inlines(n, Span{})
	from := 0
	for i, sp := range spans {
		if !sp.display {
			continue
		}
		m.text(spans[from:i], indent, quote)
		m.add(Block{Math: true, Spans: plain(sp.Text)}, indent, quote)
		from = i + 1
	}
	m.text(spans[from:], indent, quote)
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if img, ok := c.(*ast.Image); ok && entering {
			if fig := m.figure(string(img.Destination)); fig != nil {
				fig.Alt = spansText(m.inlines(img, Span{}))
				m.add(Block{Figure: fig}, indent, quote)
			}
		}
		return ast.WalkContinue, nil
	})
}

func (m *mdReader) text(spans []Span, indent, quote int) {
	if strings.TrimSpace(spansText(spans)) != "" {
		m.add(Block{Spans: spans}, indent, quote)
	}
}

// figure reads an image that came with the text; nil for any other.
func (m *mdReader) figure(dest string) *Figure {
	var data []byte
	if rest, ok := strings.CutPrefix(dest, "data:image/"); ok {
		_, b64, ok := strings.Cut(rest, ";base64,")
		if !ok {
			return nil
		}
		data, _ = base64.StdEncoding.DecodeString(b64)
	} else if name, ok := strings.CutPrefix(dest, "attachment:"); ok && m.attached != nil {
		data = m.attached(name)
	}
	if len(data) == 0 || m.job.Out == "" {
		return nil
	}
	*m.figures++
	fig, err := readImage(data, fmt.Sprintf("%s-%d", m.job.Out, *m.figures), m.job.Limits.Pixels)
	if err != nil {
		return nil
	}
	return fig
}

func (m *mdReader) code(n ast.Node, language string, indent, quote int) {
	source := m.lines(n)
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		source += string(h.ClosureLine.Value(m.source))
	}
	lexer := lexers.Get(language)
	if language == "" {
		lexer = nil
	}
	lines := coloured(lexer, source, m.job.Limits.HighlightKB)
	m.add(Block{Listing: &Listing{Lines: lines, Tint: paper}}, indent, quote)
}

// lines is the text of a block as it stands in the source.
func (m *mdReader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(m.source))
	}
	return b.String()
}

func (m *mdReader) list(n *ast.List, indent, quote int) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		m.marker = "•"
		if n.IsOrdered() {
			m.marker = fmt.Sprintf("%d%c", number, n.Marker)
			number++
		}
		m.children(item, indent+1, quote)
		m.marker = ""
	}
}

func (m *mdReader) table(n *east.Table, indent, quote int) {
	t := &Table{}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Cell
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, Cell{Spans: m.inlines(c, Span{})})
		}
		if row.Kind() == east.KindTableHeader {
			for _, c := range cells {
				t.Head = append(t.Head, spansText(c.Spans))
			}
			continue
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Widths = contentWidths(t)
	m.add(Block{Table: t}, indent, quote)
}

func spansText(spans []Span) string {
	var b strings.Builder
	for _, sp := range spans {
		b.WriteString(sp.Text)
	}
	return b.String()
}

// contentWidths gives each column a share that grows with its longest text,
// within limits that keep narrow columns readable.
func contentWidths(t *Table) []float64 {
	var widths []float64
	see := func(i, n int) {
		for len(widths) <= i {
			widths = append(widths, 6)
		}
		widths[i] = max(widths[i], min(float64(n), 40))
	}
	for i, h := range t.Head {
		see(i, len([]rune(h))+1)
	}
	for _, row := range t.Rows {
		for i, c := range row {
			see(i, len([]rune(spansText(c.Spans))))
		}
	}
	return widths
}

// inlines gathers the text below a node in its styles.
func (m *mdReader) inlines(n ast.Node, style Span) []Span {
	var out []Span
	put := func(s Span, text string) {
		s.Text = text
		out = appendSpans(out, []Span{s})
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		s := style
		switch c := c.(type) {
		case *ast.Text:
			put(s, m.plainText(c))
		case *mathNode:
			s.Math, s.display = true, c.display
			put(s, c.source)
		case *ast.String:
			put(s, string(c.Value))
		case *ast.CodeSpan:
			s.Mono, s.Fill = true, paper
			out = appendSpans(out, m.inlines(c, s))
		case *ast.Emphasis:
			s.Italic, s.Bold = s.Italic || c.Level == 1, s.Bold || c.Level == 2
			out = appendSpans(out, m.inlines(c, s))
		case *east.Strikethrough:
			s.Strike = true
			out = appendSpans(out, m.inlines(c, s))
		case *east.TaskCheckBox:
			put(s, map[bool]string{true: "☑ ", false: "☐ "}[c.IsChecked])
		case *ast.Link:
			out = appendSpans(out, m.inlines(c, linked(s, string(c.Destination))))
		case *ast.AutoLink:
			put(linked(s, string(c.URL(m.source))), string(c.Label(m.source)))
		case *ast.Image:
			s.Italic, s.Color = true, quiet
			put(s, "[image: "+spansText(m.inlines(c, Span{}))+"]")
		case *ast.RawHTML:
			put(s, rawHTML(c, m.source))
		default:
			out = appendSpans(out, m.inlines(c, s))
		}
	}
	return out
}

// linked styles text as a link; only links to the web lead anywhere.
func linked(s Span, dest string) Span {
	s.Color = accent
	if webLink(dest) {
		s.Link = dest
	}
	return s
}

func (m *mdReader) plainText(t *ast.Text) string {
	v := t.Segment.Value(m.source)
	if !t.IsRaw() && t.Parent().Kind() != ast.KindCodeSpan {
		v = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(v)))
	}
	switch {
	case t.HardLineBreak():
		return string(v) + "\n"
	case t.SoftLineBreak():
		return string(v) + " "
	}
	return string(v)
}

func rawHTML(n *ast.RawHTML, source []byte) string {
	var b strings.Builder
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		b.Write(seg.Value(source))
	}
	if strings.HasPrefix(strings.ToLower(b.String()), "<br") {
		return "\n"
	}
	return b.String()
}
