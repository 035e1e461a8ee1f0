package pdf

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"codeberg.org/go-fonts/dejavu/dejavusansmonobold"
	"codeberg.org/go-fonts/dejavu/dejavusansmonooblique"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansbolditalic"
	"codeberg.org/go-fonts/liberation/liberationsansitalic"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face is one font, loaded into the document when first drawn with.
type face struct {
	family string
	ttf    []byte
	loaded bool
	glyphs *sfnt.Font
	buf    sfnt.Buffer
	known  map[rune]float64
}

// advance gives the width of a letter in ems, and false where the font has no
// such letter. It is read from the font itself: the PDF writer can measure
// only by selecting the font on the page.
func (f *face) advance(r rune) (float64, bool) {
	if got, ok := f.known[r]; ok {
		return got, got >= 0
	}
	if f.known == nil {
		f.known = map[rune]float64{}
		f.glyphs, _ = sfnt.Parse(f.ttf)
	}
	w := f.measure(r)
	f.known[r] = w
	return w, w >= 0
}

func (f *face) measure(r rune) float64 {
	if f.glyphs == nil {
		return -1
	}
	i, err := f.glyphs.GlyphIndex(&f.buf, r)
	if err != nil || i == 0 {
		return -1
	}
	em := f.glyphs.UnitsPerEm()
	w, err := f.glyphs.GlyphAdvance(&f.buf, i, fixed.I(int(em)), font.HintingNone)
	if err != nil {
		return -1
	}
	return float64(w) / 64 / float64(em)
}

func (f *face) width(text string, size float64) float64 {
	total := 0.0
	for _, r := range text {
		if w, ok := f.advance(r); ok {
			total += w
		}
	}
	return total * size
}

// fonts holds the faces of a document and picks one for each letter.
type fonts struct {
	sans, bold, italic, boldItalic *face
	mono, monoBold, monoItalic     *face
	fallback                       []*face // tried in order after the wanted face
}

func newFonts(extra []string) (*fonts, []string) {
	fs := &fonts{
		sans:       &face{family: "sans", ttf: liberationsansregular.TTF},
		bold:       &face{family: "sansb", ttf: liberationsansbold.TTF},
		italic:     &face{family: "sansi", ttf: liberationsansitalic.TTF},
		boldItalic: &face{family: "sansbi", ttf: liberationsansbolditalic.TTF},
		mono:       &face{family: "mono", ttf: dejavusansmono.TTF},
		monoBold:   &face{family: "monob", ttf: dejavusansmonobold.TTF},
		monoItalic: &face{family: "monoi", ttf: dejavusansmonooblique.TTF},
	}
	fs.fallback = []*face{fs.mono, {family: "wide", ttf: dejavusans.TTF}}
	var notes []string
	for i, path := range extra {
		ttf, err := usableFont(path)
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		fs.fallback = append(fs.fallback, &face{family: fmt.Sprintf("extra%d", i), ttf: ttf})
	}
	return fs, notes
}

// usableFont reads a font named in the settings. The PDF writer takes TrueType
// outlines only: OpenType with CFF outlines and collections are refused here.
func usableFont(path string) ([]byte, error) {
	ttf, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("font not read: %w", err)
	}
	if bytes.HasPrefix(ttf, []byte("OTTO")) || bytes.HasPrefix(ttf, []byte("ttcf")) {
		return nil, fmt.Errorf("font %s is not a single TrueType font (.ttf)", path)
	}
	if _, err := sfnt.Parse(ttf); err != nil {
		return nil, fmt.Errorf("font %s: %w", path, err)
	}
	return ttf, nil
}

// pick gives the face for a style.
func (fs *fonts) pick(s Span) *face {
	switch {
	case s.Mono && s.Bold:
		return fs.monoBold
	case s.Mono && s.Italic:
		return fs.monoItalic
	case s.Mono:
		return fs.mono
	case s.Bold && s.Italic:
		return fs.boldItalic
	case s.Bold:
		return fs.bold
	case s.Italic:
		return fs.italic
	}
	return fs.sans
}

// find gives the face that can draw r, or nil.
func (fs *fonts) find(want *face, r rune) *face {
	if r < 0x7f || has(want, r) {
		return want
	}
	for _, f := range fs.fallback {
		if f != want && has(f, r) {
			return f
		}
	}
	return nil
}

func has(f *face, r rune) bool {
	_, ok := f.advance(r)
	return ok
}

// use selects a face in the document, loading it on first use.
func (f *face) use(doc *fpdf.Fpdf, size float64) {
	if !f.loaded {
		doc.AddUTF8FontFromBytes(f.family, "", f.ttf)
		f.loaded = true
	}
	doc.SetFont(f.family, "", size)
}

// piece is a stretch of text one face draws, or one mark.
type piece struct {
	face *face
	text string
	real string // what a mark stands for, carried for copying
	mark bool
}

// pieces is the one way text reaches the PDF writer, which panics on invalid
// UTF-8 and past U+FFFF: nothing such is left in what it returns.
func (fs *fonts) pieces(text string, want *face) []piece {
	if printableASCII(text) {
		return []piece{{face: want, text: text}}
	}
	var out []piece
	var b strings.Builder
	cur := want
	flush := func() {
		if b.Len() > 0 {
			out = append(out, piece{face: cur, text: b.String()})
			b.Reset()
		}
	}
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			flush()
			out = append(out, piece{face: fs.mono, text: byteMark(text[i]), mark: true})
			continue
		}
		how := treat(r)
		if how == asNothing {
			continue
		}
		var f *face
		if how == asGlyph {
			f = fs.find(want, r)
		}
		if f == nil {
			flush()
			p := piece{face: fs.mono, text: mark(r), mark: true}
			if keepsMeaning(r) {
				p.real = string(r)
			}
			out = append(out, p)
			continue
		}
		if f != cur {
			flush()
			cur = f
		}
		b.WriteRune(r)
	}
	flush()
	return out
}

func printableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
