package pdf

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	codeSize    = 8.0
	codeLeading = 11.3
	codeColumn  = codeSize * 0.60205 // DejaVu Sans Mono's one advance
	gutter      = 30.0
)

// gridPiece is a piece of a code line with its place on the fixed pitch.
type gridPiece struct {
	styled
	col   int
	size  float64
	pitch float64 // 0 where letters follow each other by their own widths
	joins bool    // box drawing, which meets the lines above and below
}

// gridLines breaks a line of code at max columns, and lays each part of it on
// the fixed pitch in the order it is seen.
func (s *pageWriter) gridLines(spans []Span, max int) [][]gridPiece {
	var out [][]gridPiece
	for _, line := range s.cutGrid(spans, max) {
		col := 0
		var pieces []gridPiece
		for _, p := range s.arrange(line, false) {
			for _, one := range cutBoxes(p) {
				g := gridPiece{styled: one, col: col, size: gridSize(one.piece), pitch: codeColumn}
				g.joins = one.letters == nil && startsWithBox(one.text)
				if one.letters != nil && !s.fonts.pitched(one.face) {
					g.pitch = 0 // words from the right stay as close as their font has them
				}
				pieces = append(pieces, g)
				col += g.columns()
			}
		}
		out = append(out, pieces)
	}
	return out
}

// cutGrid breaks a line in the order it is read into lines of max columns.
func (s *pageWriter) cutGrid(spans []Span, max int) [][]Span {
	var lines [][]Span
	var line []Span
	room := max
	for _, sp := range spans {
		sp.Mono = true
		want := s.fonts.pick(sp)
		for rest := sp.Text; rest != ""; {
			n, cols := s.cutColumns(rest, want, room)
			if n == 0 { // nothing fits any more
				lines, line, room = append(lines, line), nil, max
				continue
			}
			one := sp
			one.Text = rest[:n]
			line, rest, room = append(line, one), rest[n:], room-cols
		}
	}
	return append(lines, line)
}

// cutColumns tells how much of a text fits into room columns, and how many it
// takes. A mark is not broken, and a letter stays with its combining signs.
func (s *pageWriter) cutColumns(text string, want *face, room int) (n, cols int) {
	if n = min(len(text), max(room, 0)); n == 0 || printableASCII(text[:n]) {
		return n, n
	}
	n = 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		c := s.runeColumns(r, size, want)
		if cols+c > room {
			return n, cols
		}
		n, cols = n+size, cols+c
	}
	return n, cols
}

func (s *pageWriter) runeColumns(r rune, size int, want *face) int {
	if r == utf8.RuneError && size == 1 {
		return len(byteMark(0))
	}
	if treat(r) == asNothing {
		return 0
	}
	f := s.fonts.faceFor(r, want, want)
	if f == nil {
		return len(mark(r))
	}
	return columns(f, r)
}

// columns is how many places of the pitch a letter takes: ideographs take two.
func columns(f *face, r rune) int {
	if r < 0x7f {
		return 1
	}
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	w, _ := f.advance(r)
	return max(1, int(math.Ceil(w*codeSize/codeColumn-0.3)))
}

// columns is how many places of the pitch a piece takes.
func (g gridPiece) columns() (cols int) {
	if g.pitch == 0 {
		return int(math.Ceil(g.width(g.size) / codeColumn))
	}
	if g.mark {
		return utf8.RuneCountInString(g.text)
	}
	g.each(func(l letter, _ bool) {
		if !l.ghost {
			cols += columns(g.face, l.draw)
		}
	})
	return cols
}

// gridSize makes letters that are about an em wide, as ideographs are, fill
// their two columns.
func gridSize(p piece) float64 {
	r, _ := utf8.DecodeRuneInString(p.text)
	if w, _ := p.face.advance(r); !p.mark && w > 0.85 && w < 1.03 {
		return 2 * codeColumn / w
	}
	return codeSize
}

// listing draws preformatted text from x on, w wide.
func (s *pageWriter) listing(l *Listing, x, w float64) {
	textX, pad := x, 0.0
	if l.Number || l.Label != "" {
		textX += gutter
	} else if l.Tint != 0 || l.Bar != 0 {
		textX += 8
	}
	if l.Tint != 0 {
		pad = 4
	}
	max := int((x + w - textX) / codeColumn)
	s.padding(l, x, w, pad)
	code := s.tags.add("Code", "")
	for i, spans := range l.Lines {
		for j, line := range s.gridLines(spans, max) {
			if !s.room(codeLeading + pad) {
				return
			}
			if i == 0 && j == 0 && l.Label != "" {
				s.text(x, s.y+codeLeading*0.78, 6.5, Span{Text: l.Label, Mono: true, Color: accent})
			}
			s.background(l, x, w, codeLeading)
			if l.Number {
				s.lineNumber(textX, i+1, j > 0)
			}
			if len(line) > 0 {
				s.drawInto(code, func() { s.gridLine(line, textX) })
			}
			s.y += codeLeading
		}
	}
	s.padding(l, x, w, pad)
}

func (s *pageWriter) padding(l *Listing, x, w, pad float64) {
	if pad > 0 && s.room(pad+codeLeading) {
		s.background(l, x, w, pad)
		s.y += pad
	}
}

func (s *pageWriter) background(l *Listing, x, w, h float64) {
	if l.Label != "" {
		x, w = x+gutter-6, w-gutter+6
	}
	if l.Tint != 0 {
		s.box(x, s.y, w, h+0.2, l.Tint)
	}
	if l.Bar != 0 {
		s.box(x, s.y, 2, h+0.2, l.Bar)
	}
}

func (s *pageWriter) lineNumber(textX float64, n int, continued bool) {
	sp := Span{Text: strconv.Itoa(n), Mono: true, Color: faint}
	if continued {
		sp.Text = "↪"
	}
	s.textRight(textX-9, s.y+codeLeading*0.78, 6.5, sp)
}

func (s *pageWriter) gridLine(line []gridPiece, x float64) {
	base := s.y + codeLeading*0.78
	for _, g := range line {
		at := x + float64(g.col)*codeColumn
		if !g.joins {
			s.piece(at, base, g.size, g.pitch, g.styled)
			continue
		}
		s.stretched(base-codeSize*glyphMiddle, codeLeading/(codeSize*glyphHeight), func() {
			s.piece(at, base, codeSize, codeColumn, g.styled)
		})
	}
}

// What box drawing letters of the fixed pitch font measure, in ems: they are
// stretched to the line's height so that lines meet.
const (
	glyphHeight = 1.164
	glyphMiddle = 0.346
)

func isBox(r rune) bool { return r >= 0x2500 && r <= 0x259f }

func startsWithBox(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isBox(r)
}

// cutBoxes cuts a piece into stretches that are all box drawing or have none.
func cutBoxes(p styled) []styled {
	if p.letters != nil || p.mark || !strings.ContainsFunc(p.text, isBox) {
		return []styled{p}
	}
	var out []styled
	start := 0
	for i, r := range p.text {
		if i > 0 && isBox(r) != startsWithBox(p.text[start:]) {
			one := p
			one.text = p.text[start:i]
			out, start = append(out, one), i
		}
	}
	p.text = p.text[start:]
	return append(out, p)
}
