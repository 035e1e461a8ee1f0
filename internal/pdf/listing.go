package pdf

import (
	"math"
	"strconv"
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
	piece
	style Span
	col   int
	size  float64
	joins bool // box drawing, which meets the lines above and below
}

// gridLines lays a line of code on the fixed pitch and breaks it at max columns.
func (s *sheet) gridLines(spans []Span, max int) [][]gridPiece {
	lines := [][]gridPiece{nil}
	col := 0
	put := func(p piece, style Span, joins bool) {
		style.Text = ""
		last := len(lines) - 1
		lines[last] = append(lines[last], gridPiece{piece: p, style: style, col: col, size: gridSize(p), joins: joins})
		for _, r := range p.text {
			col += columns(p.face, r)
		}
	}
	for _, sp := range spans {
		sp.Mono = true
		for _, p := range s.fonts.pieces(sp.Text, s.fonts.pick(sp)) {
			for p.text != "" {
				head := cutColumns(p, max-col)
				if head == "" { // nothing fits any more
					lines, col = append(lines, nil), 0
					continue
				}
				head, boxes := cutBoxes(head)
				one := p
				one.text = head
				put(one, sp, boxes)
				p.text = p.text[len(head):]
			}
		}
	}
	return lines
}

// cutColumns takes what fits into room columns; a mark is not broken.
func cutColumns(p piece, room int) string {
	if p.mark {
		if utf8.RuneCountInString(p.text) <= room {
			return p.text
		}
		return ""
	}
	cols := 0
	for i, r := range p.text {
		c := columns(p.face, r)
		if cols+c > room {
			return p.text[:i]
		}
		cols += c
	}
	return p.text
}

// columns is how many places of the pitch a letter takes: ideographs take two.
func columns(f *face, r rune) int {
	if r < 0x7f {
		return 1
	}
	w, _ := f.advance(r)
	return int(math.Ceil(w*codeSize/codeColumn - 0.05))
}

// gridSize makes letters that are an em wide, as ideographs are, fill their
// two columns exactly.
func gridSize(p piece) float64 {
	r, _ := utf8.DecodeRuneInString(p.text)
	if w, _ := p.face.advance(r); !p.mark && math.Abs(w-1) < 0.03 {
		return 2 * codeColumn
	}
	return codeSize
}

// listing draws preformatted text from x on, w wide.
func (s *sheet) listing(l *Listing, x, w float64) {
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
			s.gridLine(line, textX)
			s.y += codeLeading
		}
	}
	s.padding(l, x, w, pad)
}

func (s *sheet) padding(l *Listing, x, w, pad float64) {
	if pad > 0 && s.room(pad+codeLeading) {
		s.background(l, x, w, pad)
		s.y += pad
	}
}

func (s *sheet) background(l *Listing, x, w, h float64) {
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

func (s *sheet) lineNumber(textX float64, n int, continued bool) {
	sp := Span{Text: strconv.Itoa(n), Mono: true, Color: faint}
	if continued {
		sp.Text = "↪"
	}
	s.textRight(textX-9, s.y+codeLeading*0.78, 6.5, sp)
}

func (s *sheet) gridLine(line []gridPiece, x float64) {
	base := s.y + codeLeading*0.78
	for _, g := range line {
		at := x + float64(g.col)*codeColumn
		if !g.joins {
			s.piece(at, base, g.size, g.style, g.piece)
			continue
		}
		s.doc.TransformBegin()
		s.doc.TransformScale(100, 100*codeLeading/(codeSize*glyphHeight), at, base-codeSize*glyphMiddle)
		s.face = nil
		s.piece(at, base, codeSize, g.style, g.piece)
		s.doc.TransformEnd()
		s.face = nil
	}
}

// What box drawing letters of the fixed pitch font measure, in ems: they are
// stretched to the line's height so that lines meet.
const (
	glyphHeight = 1.164
	glyphMiddle = 0.346
)

func isBox(r rune) bool { return r >= 0x2500 && r <= 0x259f }

// cutBoxes takes the first stretch of letters that are all box drawing or none.
func cutBoxes(text string) (head string, boxes bool) {
	for i, r := range text {
		if i == 0 {
			boxes = isBox(r)
		} else if isBox(r) != boxes {
			return text[:i], boxes
		}
	}
	return text, boxes
}
