package taskpart

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lectern/internal/ground/linediff"
	"lectern/internal/teaching/source"
	"lectern/internal/web/site/page"
)

// Span is a stretch of a line in one colour: k is a word of the language, s a string, d a number, c a
// remark and t a type; all else is as it is.
type Span = source.Span

// PlainLines are the lines of a text without colours.
func PlainLines(text string) [][]Span {
	lines := linediff.Lines([]byte(text))
	out, spans := make([][]Span, len(lines)), make([]Span, len(lines))
	for i, l := range lines {
		spans[i].Text = l
		out[i] = spans[i : i+1 : i+1]
	}
	return out
}

// Bounds of what one page shows of a file: its lines come in parts, and of a line that is longer than
// anybody reads only the beginning is shown.
const (
	mostLines = 5000
	mostOfOne = 5000 // characters of a line
	mostSigns = 2000 // characters that are shown by their names, in one part of a file
	together  = 50   // lines that a browser lays out together, when they come near
)

// SourceText is a file as it is to be shown.
type SourceText struct {
	Lines [][]Span // all of them
	// Name is the file's; ID begins the ids of its lines: with "f1", line 41 is f1-41.
	Name, ID string
	// Number is that of the file, for scripts.
	Number int
	// At is the address of a line but for its number: its last parameter is "line="; empty: the number of a
	// line leads to the line itself.
	At string
	// Show is the line that is asked for, which the part that is shown has; 0: the first.
	Show int
	// Notes are what was said at lines, by the last line of each.
	Notes map[int][]*Note
	// First and Last are lines that a form stands under, and Form the template of the page that draws it from
	// Data; empty: there is none.
	First, Last int
	Form        string
	Data        any
	// Cut tells that the file is longer than its lines, Guess how it was read where that is a guess.
	Cut   bool
	Guess string
}

// Source is a part of a file as the template "source" draws it.
type Source struct {
	*SourceText
	Blocks         []SourceBlock
	From, To       int    // its lines
	Before, Behind string // the addresses of the parts around it; empty: there is none
}

// SourceBlock are lines, and what stands under the last of them.
type SourceBlock struct {
	Lines template.HTML
	Notes []*Note
	Form  bool
}

// Shown draws the part of a file that has the line that is asked for.
func (t SourceText) Shown(l *page.Language) *Source {
	n := len(t.Lines)
	first := max(0, min(t.Show, n)-1) / mostLines * mostLines
	s := &Source{SourceText: &t, From: first + 1, To: min(first+mostLines, n)}
	if first > 0 {
		s.Before = t.part(first)
	}
	if s.To < n {
		s.Behind = t.part(s.To + 1)
	}
	d := drawing{text: &t, words: l, signs: mostSigns}
	for i := first; i < s.To; i++ {
		d.line(i + 1)
		end := SourceBlock{Notes: t.Notes[i+1], Form: t.Form != "" && t.Last == i+1}
		if end.Notes != nil || end.Form || i+1 == s.To || (i+1-first)%together == 0 {
			end.Lines = template.HTML(d.out.String()) //nolint:gosec // what it says is escaped where it is written
			s.Blocks = append(s.Blocks, end)
			d.out.Reset()
		}
	}
	return s
}

// part is the address of the part that has a line.
func (t *SourceText) part(line int) string {
	if t.At == "" {
		return ""
	}
	return fmt.Sprint(strings.TrimSuffix(t.At, "line="), "from=", line)
}

// drawing writes lines: a template for each would take longer than all else of the page.
type drawing struct {
	out   strings.Builder
	text  *SourceText
	words *page.Language
	signs int // how many characters may still be shown by their names
}

func (d *drawing) line(n int) {
	number, id := strconv.Itoa(n), d.text.ID+"-"+strconv.Itoa(n)
	d.out.WriteString(`<div class="ln`)
	if d.text.Form != "" && n >= d.text.First && n <= d.text.Last {
		d.out.WriteString(` at`)
	}
	if slices.ContainsFunc(d.text.Notes[n], func(one *Note) bool { return one.Place.DoneAt == nil }) {
		d.out.WriteString(` said`)
	}
	d.out.WriteString(`" id="` + id + `" data-line="` + number + `"><a href="`)
	if d.text.At != "" {
		template.HTMLEscape(&d.out, []byte(d.text.At))
		d.out.WriteString(number)
	}
	d.out.WriteString(`#` + id + `">` + number + `</a><code>`)
	left := mostOfOne
	for i, s := range d.text.Lines[n-1] {
		if left == 0 {
			d.rest(d.text.Lines[n-1][i:])
			break
		}
		left = d.span(s, left)
	}
	d.out.WriteString("</code></div>")
}

// classes are those of spans that have a colour.
var classes = []string{"k", "s", "d", "c", "t"}

// span writes as much of a stretch as there is room for, and tells how much is left.
func (d *drawing) span(s Span, left int) int {
	text, more := s.Text, 0
	if len(text) > left {
		if all := []rune(text); len(all) > left {
			text, more = string(all[:left]), len(all)-left
		}
	}
	coloured := slices.Contains(classes, s.Class) && text != ""
	if coloured {
		d.out.WriteString(`<span class="` + s.Class + `">`)
	}
	d.plain(text)
	if coloured {
		d.out.WriteString("</span>")
	}
	if more > 0 {
		d.cut(more)
		return 0
	}
	return max(1, left-len([]rune(text)))
}

// rest tells how much of a line is not shown.
func (d *drawing) rest(spans []Span) {
	more := 0
	for _, s := range spans {
		more += len([]rune(s.Text))
	}
	if more > 0 {
		d.cut(more)
	}
}

func (d *drawing) cut(more int) {
	d.out.WriteString(" <i>")
	template.HTMLEscape(&d.out, []byte(d.words.Word("source.more", more)))
	d.out.WriteString("</i>")
}

// plain writes text. What would turn its direction, or cannot be seen, is shown by its number.
func (d *drawing) plain(text string) {
	from := 0
	for i, r := range text {
		var as string
		switch {
		case r == '<':
			as = "&lt;"
		case r == '>':
			as = "&gt;"
		case r == '&':
			as = "&amp;"
		case unseen(r) && d.signs > 0:
			d.signs--
			as = fmt.Sprintf("<i>U+%04X</i>", r)
		case unseen(r):
			as = "\uFFFD"
		default:
			continue
		}
		d.out.WriteString(text[from:i])
		d.out.WriteString(as)
		from = i + len(string(r))
	}
	d.out.WriteString(text[from:])
}

// unseen tells of a character that cannot be seen, or changes what is seen of others. Those that join
// letters are a part of how some languages are written.
func unseen(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\t'
	}
	return unicode.Is(unicode.Cc, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
		unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}
