package pdf

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The page: A4 in points, with the same measures on every page of ours.
const (
	pageW, pageH = 595.28, 841.89
	marginX      = 56.0
	top, bottom  = 68.0, pageH - 62
	textW        = pageW - 2*marginX
)

// The colours of our pages.
const (
	ink      RGB = 0x1f2933
	quiet    RGB = 0x66707c
	faint    RGB = 0x9aa5b1
	hairline RGB = 0xd9dee5
	accent   RGB = 0x1d4f7c
	paper    RGB = 0xf5f7f9
	amber    RGB = 0xfff6e0
	amberBar RGB = 0xd98e04
	markInk  RGB = 0x8a3ffc
	markFill RGB = 0xf1eafe
)

// page is one page of ours while it is drawn. Its header and footer are kept
// apart from its content, so that a document it is put into can have its own.
type page struct {
	layer // what is drawn on now
	body  bytes.Buffer
	extra bytes.Buffer // header and footer
	links []webAddress
	marks []*element // what each marked stretch of the content belongs to
}

// layer is a stream of drawing with the state it has reached.
type layer struct {
	to           *bytes.Buffer
	face         *face
	size         float64
	fill, stroke RGB
	inked        bool    // fill has been set
	thick        float64 // of lines
	artifact     bool    // what is drawn now belongs to no part of the text
}

// webAddress is a place on a page that leads to the web.
type webAddress struct {
	x1, y1, x2, y2 float64
	to             string
}

// pageWriter draws on the pages of our own making, from top to bottom.
type pageWriter struct {
	*page  // the one drawn on
	fonts  *fonts
	pages  []*page
	images []*Figure // in the order of their first use
	y      float64
	left   int  // pages the current section may still take
	full   bool // the section took all its pages; what follows is not drawn
	tags   tagger
}

func newPageWriter(fs *fonts) *pageWriter {
	return &pageWriter{fonts: fs, tags: newTagger()}
}

// newPage starts a page, or stops the section when it has had its share.
func (s *pageWriter) newPage() {
	if s.left <= 0 {
		s.full = true
		return
	}
	s.left--
	s.closeMark()
	s.page = &page{}
	s.page.layer.to = &s.page.body
	s.pages = append(s.pages, s.page)
	s.openMark()
	s.y = top
}

// room makes sure that h points are free, on a new page if need be. False
// means that the section is full.
func (s *pageWriter) room(h float64) bool {
	if s.y+h > bottom && s.y > top {
		s.newPage()
	}
	return !s.full
}

func (s *pageWriter) gap(h float64) {
	if s.y > top {
		s.y += h
	}
}

// goTo continues drawing on an earlier page, from 0.
func (s *pageWriter) goTo(page int) { s.page = s.pages[page] }

// furnish draws the header and footer of an earlier page.
func (s *pageWriter) furnish(page int, draw func()) {
	s.goTo(page)
	s.endArtifact()
	before := s.page.layer
	s.page.layer = layer{to: &s.page.extra}
	draw()
	s.endArtifact()
	s.page.layer = before
}

// op writes one instruction to the page. Whatever is drawn outside of a part
// of the text is marked as no part of it, for those who have it read to them.
func (s *pageWriter) op(format string, args ...any) {
	if s.tags.leaf == nil && !s.artifact {
		s.to.WriteString("/Artifact BMC\n")
		s.artifact = true
	}
	fmt.Fprintf(s.to, format+"\n", args...)
}

func (s *pageWriter) endArtifact() {
	if s.page != nil && s.artifact {
		s.to.WriteString("EMC\n")
		s.artifact = false
	}
}

// n writes a number with two decimals, which is finer than any printer.
func n(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	text := strconv.FormatFloat(v, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

func (c RGB) parts() (int, int, int) { return int(c >> 16 & 255), int(c >> 8 & 255), int(c & 255) }

// numbers writes a colour as PDF does.
func (c RGB) numbers() string {
	r, g, b := c.parts()
	part := func(v int) string { return strconv.FormatFloat(float64(v)/255, 'f', 3, 64) }
	return part(r) + " " + part(g) + " " + part(b)
}

func (c RGB) or(d RGB) RGB {
	if c == 0 {
		return d
	}
	return c
}

func (s *pageWriter) setFill(c RGB) {
	if s.inked && s.fill == c {
		return
	}
	s.op("%s rg", c.numbers())
	s.fill, s.inked = c, true
}

func (s *pageWriter) box(x, y, w, h float64, fill RGB) {
	s.setFill(fill)
	s.op("%s %s %s %s re f", n(x), n(pageH-y-h), n(w), n(h))
}

// rounded draws a box whose corners have the radius r.
func (s *pageWriter) rounded(x, y, w, h, r float64, fill RGB) {
	const k = 0.5523 // of the radius: where the handles of a quarter circle are
	s.setFill(fill)
	x1, x2, y1, y2 := x, x+w, pageH-y-h, pageH-y
	c := r * (1 - k)
	curve := func(x1, y1, x2, y2, x3, y3 float64) string {
		return fmt.Sprintf("%s %s %s %s %s %s c", n(x1), n(y1), n(x2), n(y2), n(x3), n(y3))
	}
	s.op("%s %s m %s %s l %s", n(x1+r), n(y1), n(x2-r), n(y1), curve(x2-c, y1, x2, y1+c, x2, y1+r))
	s.op("%s %s l %s", n(x2), n(y2-r), curve(x2, y2-c, x2-c, y2, x2-r, y2))
	s.op("%s %s l %s", n(x1+r), n(y2), curve(x1+c, y2, x1, y2-c, x1, y2-r))
	s.op("%s %s l %s h f", n(x1), n(y1+r), curve(x1, y1+c, x1+c, y1, x1+r, y1))
}

func (s *pageWriter) line(x1, y1, x2, y2 float64, color RGB, width float64) {
	if s.stroke != color || s.thick != width {
		s.op("%s RG %s w", color.numbers(), n(width))
		s.stroke, s.thick = color, width
	}
	s.op("%s %s m %s %s l S", n(x1), n(pageH-y1), n(x2), n(pageH-y2))
}

// dots draws a dotted line.
func (s *pageWriter) dots(x1, x2, y float64, color RGB) {
	s.op("[0.6 3] 0 d")
	s.line(x1, y, x2, y, color, 0.6)
	s.op("[] 0 d")
}

// picture draws an image with its upper left corner at x, y.
func (s *pageWriter) picture(f *Figure, x, y, w, h float64) {
	at := -1
	for i, known := range s.images {
		if known.Path == f.Path {
			at = i
		}
	}
	if at < 0 {
		at = len(s.images)
		s.images = append(s.images, f)
	}
	s.op("q %s 0 0 %s %s %s cm /I%d Do Q", n(w), n(h), n(x), n(pageH-y-h), at)
}

// stretched draws with heights scaled around the line y.
func (s *pageWriter) stretched(y, scale float64, draw func()) {
	s.op("q 1 0 0 %s 0 %s cm", strconv.FormatFloat(scale, 'f', 4, 64), n((pageH-y)*(1-scale)))
	before := s.layer
	draw()
	before.artifact = s.artifact
	s.layer = before
	s.op("Q")
}

// text draws a span with its baseline at y and gives its width.
func (s *pageWriter) text(x, y, size float64, sp Span) float64 {
	return s.drawLine([]Span{sp}, x, y, size, false)
}

// drawLine draws the spans of a line and gives its width. right is for a line
// of a paragraph written from the right.
func (s *pageWriter) drawLine(line []Span, x, base, size float64, right bool) float64 {
	start := x
	for _, p := range s.arrange(line, right) {
		if p.style.Math {
			x += s.formula(x, base, size, p.style)
			continue
		}
		w := s.piece(x, base, size, 0, p)
		if p.style.Strike {
			s.line(x, base-size*0.28, x+w, base-size*0.28, p.style.Color.or(ink), 0.6)
		}
		if p.style.Link != "" {
			s.links = append(s.links, webAddress{x, pageH - base - size*0.3, x + w, pageH - base + size, p.style.Link})
		}
		x += w
	}
	return x - start
}

// piece draws one stretch of text. A mark carries the character it stands for
// as the text to copy (ActualText), so that nothing is lost to the reader.
// With a pitch, each letter takes a whole number of columns.
func (s *pageWriter) piece(x, y, size, pitch float64, p styled) float64 {
	text, w := p.glyphs(size, pitch)
	color := p.style.Color.or(ink)
	if p.mark {
		s.box(x, y-size*0.86, w, size*1.12, markFill)
		color = markInk
	} else if p.style.Fill != 0 {
		s.box(x, y-size*0.9, w, size*1.22, p.style.Fill)
	}
	thicken := p.style.Bold && s.fonts.lacksBold(p.face)
	if thicken {
		s.op("%s RG %s w 2 Tr", color.numbers(), n(size*0.03))
		s.stroke, s.thick = color, size*0.03
	}
	s.show(p.face, x, y, size, color, text, p.real)
	if thicken {
		s.op("0 Tr")
	}
	return w
}

// show writes text that is ready for the page.
func (s *pageWriter) show(f *face, x, y, size float64, color RGB, text, real string) {
	s.setFill(color)
	if real != "" {
		s.op("/Span <</ActualText <%s>>> BDC", utf16Hex(real))
	}
	if s.face != f || s.size != size {
		s.op("/%s %s Tf", f.name, n(size))
		s.face, s.size = f, size
	}
	s.op("BT %s %s Td %s ET", n(x), n(pageH-y), text)
	if real != "" {
		s.op("EMC")
	}
}

// glyphs writes a piece as PDF shows text: the numbers of its glyphs, with how
// far to step between them where that is not the glyph's own width. It also
// gives the width of the whole.
func (p piece) glyphs(size, pitch float64) (string, float64) {
	w := &glyphWriter{face: p.face, size: size}
	p.each(func(l letter, combines bool) {
		m := p.face.metric(l.draw)
		u := glyphUse{glyph: m.glyph, text: l.text, ghost: l.ghost}
		switch {
		case l.ghost:
			w.write(p.face.number(u))
		case combines:
			w.combine(u, m.advance)
		case pitch > 0 && !p.mark:
			room := float64(columns(p.face, l.draw)) * pitch / size
			w.step((room - m.advance) / 2)
			w.put(u, m.advance)
			w.step((room - m.advance) / 2)
		default:
			w.put(u, m.advance)
		}
	})
	return w.finish()
}

// glyphWriter writes the operand of PDF's text instruction. Its measures are ems.
type glyphWriter struct {
	face     *face
	size     float64
	b        strings.Builder
	open     bool // within a string of glyphs
	owed     float64
	total    float64
	middle   float64 // of the last letter, from its origin
	advanced float64 // by the last letter
	stepped  bool
}

func (w *glyphWriter) step(by float64) {
	w.owed += by
	w.total += by
}

func (w *glyphWriter) put(u glyphUse, advance float64) {
	w.write(w.face.number(u))
	w.total += advance
	x1, _, x2, _ := w.face.font.box(u.glyph)
	w.middle, w.advanced = (x1+x2)/2, advance
}

func (w *glyphWriter) write(number int) {
	if math.Abs(w.owed) > 0.0005 {
		if w.open {
			w.b.WriteString("> ")
		}
		w.b.WriteString(n(-1000*w.owed) + " ")
		w.open, w.owed, w.stepped = false, 0, true
	}
	if !w.open {
		w.b.WriteByte('<')
		w.open = true
	}
	fmt.Fprintf(&w.b, "%04X", number)
}

// combine draws a sign over or under the middle of the last letter and comes
// back to where the pen was.
func (w *glyphWriter) combine(u glyphUse, advance float64) {
	x1, _, x2, _ := w.face.font.box(u.glyph)
	back := w.middle - (x1+x2)/2 - w.advanced
	w.owed += back
	w.write(w.face.number(u))
	w.owed -= back + advance
}

func (w *glyphWriter) finish() (string, float64) {
	if w.open {
		w.b.WriteByte('>')
	}
	if w.stepped {
		return "[" + w.b.String() + "] TJ", w.total * w.size
	}
	return w.b.String() + " Tj", w.total * w.size
}

// utf16Hex writes text as a PDF hexadecimal string's digits, with its byte order mark.
func utf16Hex(text string) string {
	units := utf16.Encode([]rune(text))
	b := make([]byte, 2, 2+2*len(units))
	b[0], b[1] = 0xfe, 0xff
	for _, u := range units {
		b = append(b, byte(u>>8), byte(u))
	}
	return strings.ToUpper(hex.EncodeToString(b))
}

// width measures a span. The order of its letters does not change it.
func (s *pageWriter) width(size float64, sp Span) float64 {
	if sp.Math {
		return s.layoutMath(sp.Text, size, false).w
	}
	total := 0.0
	if hasRight(sp.Text) {
		for _, p := range s.arrange([]Span{sp}, false) {
			total += p.width(size)
		}
		return total
	}
	for _, p := range s.fonts.pieces(sp.Text, s.fonts.pick(sp)) {
		total += p.width(size)
	}
	return total
}

// textRight draws a span that ends at x.
func (s *pageWriter) textRight(x, y, size float64, sp Span) {
	s.text(x-s.width(size, sp), y, size, sp)
}

// fit shortens a line to a width, with an ellipsis.
func (s *pageWriter) fit(sp Span, size, max float64) Span {
	if s.width(size, sp) <= max {
		return sp
	}
	rs := []rune(sp.Text)
	lo, hi := 0, len(rs)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		sp.Text = string(rs[:mid]) + "…"
		if s.width(size, sp) <= max {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	sp.Text = string(rs[:lo]) + "…"
	return sp
}

// parseColor reads "#rrggbb"; anything else is the quiet grey.
func parseColor(hex string) RGB {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil || len(hex) != 7 {
		return quiet
	}
	return RGB(v)
}

// SizeText tells a number of bytes the way people read it.
func SizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
