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
func (s *pageWriter) words(spans []Span, size float64) []word {
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
		if sp = s.settable(sp, size); sp.Math {
			add(sp, sp.Text, false, true)
			glue = true
			continue
		}
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

// settable turns a formula that cannot be set within a line into its source.
func (s *pageWriter) settable(sp Span, size float64) Span {
	if !sp.Math {
		return sp
	}
	if box, err := s.parseMath(sp.Text, size, false); err != nil || box.w > textW/2 {
		sp.Math, sp.Mono, sp.Fill = false, true, paper
	}
	return sp
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
	case r != utf8.RuneError && r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul):
		return 'i'
	}
	return 'w'
}

// wrap breaks spans into lines no wider than limit, which is taken to have
// room for two letters at least: a table may have more columns than fit.
func (s *pageWriter) wrap(spans []Span, size, limit float64) [][]Span {
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
func (s *pageWriter) chop(w word, size, limit float64) (head []Span, tail word) {
	used := 0.0
	for i, sp := range w.spans {
		for at := 0; at < len(sp.Text); {
			_, n := utf8.DecodeRuneInString(sp.Text[at:])
			if sp.Math {
				n = len(sp.Text)
			}
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
		if n := len(line); n > 0 && !sp.Math && sameStyle(line[n-1], sp) {
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

// blocks draws blocks one below the other, those of lists grouped as such.
func (s *pageWriter) blocks(bs []Block) {
	for i := 0; i < len(bs) && !s.full; {
		if bs[i].Indent == 0 {
			s.block(&bs[i])
			i++
			continue
		}
		end := i
		for end < len(bs) && bs[end].Indent > 0 {
			end++
		}
		s.group("L", func() { s.items(bs[i:end]) })
		i = end
	}
}

// items draws the blocks of a list: each marker begins an item.
func (s *pageWriter) items(bs []Block) {
	for i := 0; i < len(bs); {
		end := i + 1
		for end < len(bs) && bs[end].Marker == "" {
			end++
		}
		s.group("LI", func() {
			s.group("LBody", func() {
				for k := i; k < end && !s.full; k++ {
					s.block(&bs[k])
				}
			})
		})
		i = end
	}
}

func (s *pageWriter) block(b *Block) {
	x := marginX + float64(b.Indent)*listIndent + float64(b.Quote)*quoteIndent
	if limit := marginX + textW*0.6; x > limit {
		x = limit // deep nesting stops moving right while there is room to read
	}
	switch {
	case b.Markdown != "":
		s.blocks(markdownBlocks(b.Markdown))
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
	case b.Math:
		s.displayed(b, x)
	case b.Notice:
		s.notice(b.Spans)
	default:
		s.paragraph(b, x)
	}
}

func (s *pageWriter) heading(b *Block, x float64) {
	size := headingSizes[min(b.Heading, 6)]
	spans := make([]Span, len(b.Spans))
	for i, sp := range b.Spans {
		sp.Bold = true
		spans[i] = sp
	}
	right := startsRight(spansText(spans))
	lines := s.wrap(spans, size, marginX+textW-x)
	s.gap(size * 0.75)
	// A heading keeps the first lines of what follows on its page.
	if !s.room(float64(len(lines))*size*1.3 + 3*bodyLeading) {
		return
	}
	s.tagged(headingTag(b.Heading+1), "", func() {
		for _, line := range lines {
			s.y += size * 1.25
			s.aligned(line, x, marginX+textW, s.y-size*0.25, size, right)
		}
	})
	s.y += size * 0.45
}

// aligned draws a line at the left of what it has, or at its right where it is
// of a paragraph written from there.
func (s *pageWriter) aligned(line []Span, x, end, base, size float64, right bool) {
	if right {
		x = end - s.lineWidth(line, size)
	}
	s.drawLine(line, x, base, size, right)
}

func (s *pageWriter) lineWidth(line []Span, size float64) (w float64) {
	for _, sp := range line {
		w += s.width(size, sp)
	}
	return w
}

func (s *pageWriter) paragraph(b *Block, x float64) {
	lines := s.wrap(b.Spans, bodySize, marginX+textW-x)
	right := startsRight(spansText(b.Spans))
	s.tagged("P", "", func() {
		for i, line := range lines {
			above, below := s.overhang(line, bodySize)
			if !s.room(bodyLeading + above + below) {
				return
			}
			s.quoteBars(b, bodyLeading+above+below, right)
			base := s.y + bodySize + above
			switch {
			case i == 0 && b.Marker != "" && right:
				s.text(2*marginX+textW-x+6, base, bodySize, Span{Text: b.Marker, Color: quiet})
			case i == 0 && b.Marker != "":
				s.textRight(x-6, base, bodySize, Span{Text: b.Marker, Color: quiet})
			}
			if right { // the indentation is on the other side
				s.aligned(line, marginX, 2*marginX+textW-x, base, bodySize, true)
			} else {
				s.drawLine(line, x, base, bodySize, false)
			}
			s.y += bodyLeading + above + below
		}
	})
	s.y += 4
}

// overhang is how far formulas reach out of a line, upwards and downwards.
func (s *pageWriter) overhang(line []Span, size float64) (above, below float64) {
	for _, sp := range line {
		if sp.Math {
			box := s.layoutMath(sp.Text, size, false)
			above, below = max(above, box.up-size*0.95), max(below, box.down-size*0.4)
		}
	}
	return above, below
}

// displayed draws a formula on a line of its own, as small as it takes to fit.
// One that cannot be set is shown as its source.
func (s *pageWriter) displayed(b *Block, x float64) {
	source := spansText(b.Spans)
	const size = bodySize * 1.15
	end := marginX + textW
	box, err := s.parseMath(source, size, true)
	if err == nil && box.w > end-x {
		if scale := (end - x) / box.w; scale > 0.55 {
			box, err = s.parseMath(source, size*scale*0.98, true)
		} else {
			err = errMath
		}
	}
	if err != nil || box.up+box.down > (bottom-top)/2 {
		s.listing(&Listing{Lines: plainLines(source), Tint: paper}, x, end-x)
		s.y += 7
		return
	}
	s.gap(3)
	if !s.room(box.up + box.down + 8) {
		return
	}
	s.tagged("Formula", source, func() {
		s.drawFormula(box, x+(end-x-box.w)/2, s.y+box.up+2, source)
	})
	s.y += box.up + box.down + 10
}

func (s *pageWriter) quoteBars(b *Block, h float64, right bool) {
	for q := range min(b.Quote, 8) {
		x := marginX + float64(b.Indent)*listIndent + float64(q)*quoteIndent + 3
		if right {
			x = 2*marginX + textW - x - 2
		}
		s.box(x, s.y, 2, h, hairline)
	}
}

// notice draws a message set apart, such as why a file is not shown.
func (s *pageWriter) notice(spans []Span) {
	const pad = 12.0
	lines := s.wrap(spans, bodySize, textW-2*pad-4)
	h := float64(len(lines))*bodyLeading + 2*pad - 3
	s.gap(6)
	if !s.room(h) {
		return
	}
	s.box(marginX, s.y, textW, h, amber)
	s.box(marginX, s.y, 3, h, amberBar)
	s.tagged("P", "", func() {
		for i, line := range lines {
			s.drawLine(line, marginX+pad+4, s.y+pad+bodySize-1+float64(i)*bodyLeading, bodySize, false)
		}
	})
	s.y += h + 10
}

// smallest is what a picture's longer side measures at least: one of a single
// pixel can be seen, too.
const smallest = 64.0

// figure draws an image at 144 pixels to the inch, or 48 when it stands alone;
// smaller where the page is, larger where nobody would see it.
func (s *pageWriter) figure(f *Figure, x, max float64) {
	w, h := float64(f.Width)*0.5, float64(f.Height)*0.5
	tall := bottom - top - 4
	if f.Large {
		w, h = w*3, h*3
		tall = bottom - s.y - 4 // below its title
	}
	scale := min(1, max/w, tall/h)
	tiny := w < smallest && h < smallest
	if tiny {
		scale = min(smallest/w, smallest/h)
	}
	w, h = w*scale, h*scale
	s.gap(4)
	if !s.room(h) {
		return
	}
	s.tagged("Figure", f.alt(), func() { s.picture(f, x, s.y, w, h) })
	if tiny {
		s.frame(x, s.y, w, h)
	}
	s.y += h + 8
}

// frame draws a thin line around a picture that may be as white as the page.
func (s *pageWriter) frame(x, y, w, h float64) {
	s.line(x, y, x+w, y, faint, 0.5)
	s.line(x, y+h, x+w, y+h, faint, 0.5)
	s.line(x, y, x, y+h, faint, 0.5)
	s.line(x+w, y, x+w, y+h, faint, 0.5)
}
