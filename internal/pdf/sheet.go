package pdf

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
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

// sheet draws on the pages of our own making, from top to bottom.
type sheet struct {
	doc   *fpdf.Fpdf
	fonts *fonts
	y     float64
	left  int  // pages the current section may still take
	full  bool // the section took all its pages; what follows is not drawn
	face  *face
	size  float64
}

func newSheet(fs *fonts) *sheet {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: pageW, Ht: pageH}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true)
	doc.SetCellMargin(0)
	return &sheet{doc: doc, fonts: fs}
}

// newPage starts a page, or stops the section when it has had its share.
func (s *sheet) newPage() {
	if s.left <= 0 {
		s.full = true
		return
	}
	s.left--
	s.doc.AddPage()
	s.face = nil
	s.y = top
}

// room makes sure that h points are free, on a new page if need be. False
// means that the section is full.
func (s *sheet) room(h float64) bool {
	if s.y+h > bottom && s.y > top {
		s.newPage()
	}
	return !s.full
}

func (s *sheet) gap(h float64) {
	if s.y > top {
		s.y += h
	}
}

// goTo continues drawing on an earlier page.
func (s *sheet) goTo(page int) {
	s.doc.SetPage(page)
	s.face = nil
}

func (c RGB) parts() (int, int, int) { return int(c >> 16 & 255), int(c >> 8 & 255), int(c & 255) }

// text draws a span with its baseline at y and gives its width.
func (s *sheet) text(x, y, size float64, sp Span) float64 {
	start := x
	for _, p := range s.fonts.pieces(sp.Text, s.fonts.pick(sp)) {
		x += s.piece(x, y, size, sp, p)
	}
	w := x - start
	if sp.Strike {
		s.line(start, y-size*0.28, x, y-size*0.28, sp.Color.or(ink), 0.6)
	}
	if sp.Link != "" {
		s.doc.LinkString(start, y-size, w, size*1.3, sp.Link)
	}
	return w
}

// piece draws one stretch of text. A mark carries the character it stands for
// as the text to copy (ActualText), so that nothing is lost to the reader.
func (s *sheet) piece(x, y, size float64, sp Span, p piece) float64 {
	w := p.face.width(p.text, size)
	color := sp.Color.or(ink)
	if p.mark {
		s.box(x, y-size*0.86, w, size*1.12, markFill)
		color = markInk
	} else if sp.Fill != 0 {
		s.box(x, y-size*0.9, w, size*1.22, sp.Fill)
	}
	if s.face != p.face || s.size != size {
		p.face.use(s.doc, size)
		s.face, s.size = p.face, size
	}
	s.doc.SetTextColor(color.parts())
	if p.real != "" {
		s.doc.RawWriteStr("/Span <</ActualText <" + utf16Hex(p.real) + ">>> BDC")
	}
	s.doc.Text(x, y, p.text)
	if p.real != "" {
		s.doc.RawWriteStr("EMC")
	}
	return w
}

func (c RGB) or(d RGB) RGB {
	if c == 0 {
		return d
	}
	return c
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

func (s *sheet) width(size float64, sp Span) float64 {
	total := 0.0
	for _, p := range s.fonts.pieces(sp.Text, s.fonts.pick(sp)) {
		total += p.face.width(p.text, size)
	}
	return total
}

// textRight draws a span that ends at x.
func (s *sheet) textRight(x, y, size float64, sp Span) {
	s.text(x-s.width(size, sp), y, size, sp)
}

// fit shortens a line to a width, with an ellipsis.
func (s *sheet) fit(sp Span, size, max float64) Span {
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

func (s *sheet) box(x, y, w, h float64, fill RGB) {
	s.doc.SetFillColor(fill.parts())
	s.doc.Rect(x, y, w, h, "F")
}

func (s *sheet) rounded(x, y, w, h, r float64, fill RGB) {
	s.doc.SetFillColor(fill.parts())
	s.doc.RoundedRect(x, y, w, h, r, "1234", "F")
}

func (s *sheet) line(x1, y1, x2, y2 float64, color RGB, width float64) {
	s.doc.SetDrawColor(color.parts())
	s.doc.SetLineWidth(width)
	s.doc.Line(x1, y1, x2, y2)
}

// parseColor reads "#rrggbb"; anything else is the quiet grey.
func parseColor(hex string) RGB {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil || len(hex) != 7 {
		return quiet
	}
	return RGB(v)
}

// sizeText tells a number of bytes the way people read it.
func sizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
