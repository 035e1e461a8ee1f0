package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	bodySize    = 10.0
	bodyLeading = 14.6
	listIndent  = 18.0
	quoteIndent = 14.0
)

var headingSizes = [7]float64{0, 17, 14, 12, 11, 10.5, 10}

// word is a stretch of text that is not broken at a line's end. Its spans may
// differ in style.
type word struct {
	spans []Span
	width float64
	space bool // a blank, dropped at a line's end
	brk   bool // a forced line end
}

// words cuts spans where lines may break: at blanks, and between ideographs,
// which are written without any, but not before their closing marks.
func (s *sheet) words(spans []Span, size float64) []word {
	var out []word
	glue := false // the next stretch continues the last word
	add := func(sp Span, text string, space, mayGlue bool) {
		sp.Text = text
		w := s.width(size, sp)
		if mayGlue && glue && len(out) > 0 {
			last := &out[len(out)-1]
			last.spans, last.width = append(last.spans, sp), last.width+w
			return
		}
		out = append(out, word{spans: []Span{sp}, width: w, space: space})
	}
	for _, sp := range spans {
		for rest := sp.Text; rest != ""; {
			text, kind := cutWord(rest)
			rest = rest[len(text):]
			switch kind {
			case '\n':
				out = append(out, word{brk: true})
				glue = false
			case ' ':
				add(sp, " ", true, false)
				glue = false
			case 'i':
				add(sp, text, false, false)
				glue = false
			case 'p':
				glue = len(out) > 0 && !out[len(out)-1].space && !out[len(out)-1].brk
				add(sp, text, false, true)
				glue = false
			default:
				add(sp, text, false, true)
				glue = true
			}
		}
	}
	return out
}

// cutWord takes the first stretch of text: a line end, blanks, an ideograph or a word.
func cutWord(text string) (string, rune) {
	kind := rune(0)
	for i, r := range text {
		k := wordKind(r)
		if i == 0 {
			kind = k
			if k == '\n' || k == 'i' {
				return text[:utf8.RuneLen(r)], k
			}
			continue
		}
		if k != kind {
			return text[:i], kind
		}
	}
	return text, kind
}

func wordKind(r rune) rune {
	switch {
	case r == '\n':
		return '\n'
	case r == ' ' || r == '\t':
		return ' '
	case strings.ContainsRune("，。、！？：；）」』】》〉・ー", r):
		return 'p'
	case r != utf8.RuneError && r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 'i'
	}
	return 'w'
}

// wrap breaks spans into lines no wider than limit, which is taken to have
// room for two letters at least: a table may have more columns than fit.
func (s *sheet) wrap(spans []Span, size, limit float64) [][]Span {
	limit = max(limit, 2*size)
	var lines [][]Span
	var line []Span
	used := 0.0
	flush := func() {
		lines = append(lines, line)
		line, used = nil, 0
	}
	for _, w := range s.words(spans, size) {
		if w.brk {
			flush()
			continue
		}
		if used+w.width > limit && used > 0 && !w.space {
			flush()
		}
		if w.space && (used == 0 || used+w.width > limit) {
			continue
		}
		for w.width > limit {
			head, tail := s.chop(w, size, limit)
			lines = append(lines, head)
			w = tail
		}
		line = appendSpans(line, w.spans)
		used += w.width
	}
	if len(line) > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}

// chop takes from an overlong word what fits on one line, at least a letter.
func (s *sheet) chop(w word, size, limit float64) (head []Span, tail word) {
	used := 0.0
	for i, sp := range w.spans {
		for at := 0; at < len(sp.Text); {
			_, n := utf8.DecodeRuneInString(sp.Text[at:])
			one := sp
			one.Text = sp.Text[at : at+n]
			cw := s.width(size, one)
			if used+cw > limit && used > 0 {
				first, rest := sp, sp
				first.Text, rest.Text = sp.Text[:at], sp.Text[at:]
				head = appendSpans(head, []Span{first})
				tail.spans = append([]Span{rest}, w.spans[i+1:]...)
				tail.width = w.width - used
				return head, tail
			}
			used += cw
			at += n
		}
		head = appendSpans(head, []Span{sp})
	}
	return head, word{}
}

// appendSpans adds spans to a line, joining neighbours of one style so that
// they are drawn and copied as one text.
func appendSpans(line, more []Span) []Span {
	for _, sp := range more {
		if sp.Text == "" {
			continue
		}
		if n := len(line); n > 0 && sameStyle(line[n-1], sp) {
			line[n-1].Text += sp.Text
			continue
		}
		line = append(line, sp)
	}
	return line
}

func sameStyle(a, b Span) bool {
	a.Text, b.Text = "", ""
	return a == b
}

// blocks draws blocks one below the other.
func (s *sheet) blocks(bs []Block) {
	for i := range bs {
		if s.full {
			return
		}
		s.block(&bs[i])
	}
}

func (s *sheet) block(b *Block) {
	x := marginX + float64(b.Indent)*listIndent + float64(b.Quote)*quoteIndent
	if limit := marginX + textW*0.6; x > limit {
		x = limit // deep nesting stops moving right while there is room to read
	}
	switch {
	case b.Rule:
		s.gap(8)
		if s.room(10) {
			s.line(x, s.y, marginX+textW, s.y, hairline, 0.8)
			s.y += 10
		}
	case b.Heading > 0:
		s.heading(b, x)
	case b.Table != nil:
		s.gap(6)
		s.table(b.Table, x, marginX+textW-x)
		s.y += 8
	case b.Listing != nil:
		s.gap(3)
		s.listing(b.Listing, x, marginX+textW-x)
		s.y += 7
	case b.Figure != nil:
		if b.Inset {
			x += gutter
		}
		s.figure(b.Figure, x, marginX+textW-x)
	case b.Notice:
		s.notice(b.Spans)
	default:
		s.paragraph(b, x)
	}
}

func (s *sheet) heading(b *Block, x float64) {
	size := headingSizes[min(b.Heading, 6)]
	spans := make([]Span, len(b.Spans))
	for i, sp := range b.Spans {
		sp.Bold = true
		spans[i] = sp
	}
	lines := s.wrap(spans, size, marginX+textW-x)
	s.gap(size * 0.75)
	// A heading keeps the first lines of what follows on its page.
	if !s.room(float64(len(lines))*size*1.3 + 3*bodyLeading) {
		return
	}
	for _, line := range lines {
		s.y += size * 1.25
		s.drawLine(line, x, s.y-size*0.25, size)
	}
	s.y += size * 0.45
}

func (s *sheet) paragraph(b *Block, x float64) {
	lines := s.wrap(b.Spans, bodySize, marginX+textW-x)
	for i, line := range lines {
		if !s.room(bodyLeading) {
			return
		}
		base := s.y + bodySize
		if b.Quote > 0 {
			s.quoteBars(b, bodyLeading)
		}
		if i == 0 && b.Marker != "" {
			s.textRight(x-6, base, bodySize, Span{Text: b.Marker, Color: quiet})
		}
		s.drawLine(line, x, base, bodySize)
		s.y += bodyLeading
	}
	s.y += 4
}

func (s *sheet) quoteBars(b *Block, h float64) {
	for q := range min(b.Quote, 8) {
		x := marginX + float64(b.Indent)*listIndent + float64(q)*quoteIndent + 3
		s.box(x, s.y, 2, h, hairline)
	}
}

func (s *sheet) drawLine(line []Span, x, base, size float64) {
	for _, sp := range line {
		x += s.text(x, base, size, sp)
	}
}

// notice draws a message set apart, such as why a file is not shown.
func (s *sheet) notice(spans []Span) {
	const pad = 12.0
	lines := s.wrap(spans, bodySize, textW-2*pad-4)
	h := float64(len(lines))*bodyLeading + 2*pad - 3
	s.gap(6)
	if !s.room(h) {
		return
	}
	s.box(marginX, s.y, textW, h, amber)
	s.box(marginX, s.y, 3, h, amberBar)
	for i, line := range lines {
		s.drawLine(line, marginX+pad+4, s.y+pad+bodySize-1+float64(i)*bodyLeading, bodySize)
	}
	s.y += h + 10
}

// figure draws an image at 144 pixels to the inch, or 48 when it stands alone;
// smaller where the page is.
func (s *sheet) figure(f *Figure, x, max float64) {
	w, h := float64(f.Width)*0.5, float64(f.Height)*0.5
	if f.Large {
		w, h = w*3, h*3
	}
	tall := bottom - top - 4
	if f.Large {
		tall = bottom - s.y - 4 // below its title
	}
	scale := min(1, max/w, tall/h)
	w, h = w*scale, h*scale
	s.gap(4)
	if !s.room(h) {
		return
	}
	s.doc.ImageOptions(f.Path, x, s.y, w, h, false, imageOptions(f.Path), 0, "")
	s.y += h + 8
}
