package pdf

import (
	_ "embed" // for the fonts
	"fmt"
	"os"
	"slices"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavusansbold"
	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"codeberg.org/go-fonts/dejavu/dejavusansmonobold"
	"codeberg.org/go-fonts/dejavu/dejavusansmonooblique"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansbolditalic"
	"codeberg.org/go-fonts/liberation/liberationsansitalic"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
)

// The fonts of Chinese, Japanese and Korean. They are kept as they are, not
// packed: a child then reads only the few pages of them that it needs.
var (
	//go:embed fonts/DroidSansFallbackFull.ttf
	droidFallback []byte
	//go:embed fonts/NanumGothic.ttf
	nanumGothic []byte
)

// face is one font and what of it a document uses. Each pair of a glyph and
// the text it stands for has a number of its own, so that what is copied from
// the document is what was put in, whatever shape it was drawn in.
type face struct {
	name  string // as PDF viewers list it
	data  []byte
	font  *trueType
	known map[rune]metric
	used  []glyphUse // by number; the first is the glyph for what is missing
	index map[glyphUse]int
}

// metric is a glyph with its width in ems; glyph 0 is none.
type metric struct {
	glyph   uint16
	advance float64
}

type glyphUse struct {
	glyph uint16
	text  string
	ghost bool // it only carries text, and takes no room
}

func (f *face) metric(r rune) metric {
	if got, ok := f.known[r]; ok {
		return got
	}
	if f.known == nil {
		f.known = map[rune]metric{}
		f.font, _ = parseTrueType(f.data)
	}
	var m metric
	if f.font != nil {
		if m.glyph = f.font.glyph(r); m.glyph != 0 {
			m.advance = float64(f.font.advance(m.glyph)) / f.font.em
		}
	}
	f.known[r] = m
	return m
}

// advance gives the width of a letter in ems, and false where the font has no
// such letter.
func (f *face) advance(r rune) (float64, bool) {
	m := f.metric(r)
	return m.advance, m.glyph != 0
}

func has(f *face, r rune) bool { return f.metric(r).glyph != 0 }

// number gives the number a glyph has in the document.
func (f *face) number(u glyphUse) int {
	if f.index == nil {
		f.index = map[glyphUse]int{}
		f.used = []glyphUse{{}}
	}
	n, ok := f.index[u]
	if !ok {
		n = len(f.used)
		f.index[u] = n
		f.used = append(f.used, u)
	}
	return n
}

// fonts holds the faces of a document and picks one for each letter.
type fonts struct {
	sans, bold, italic, boldItalic *face
	mono, monoBold, monoItalic     *face
	serif, serifItalic, symbols    *face
	wideBold, korean               *face
	fallback                       []*face // tried in order after the wanted face
}

func newFonts(extra []string) (*fonts, []string) {
	fs := &fonts{
		sans:        &face{name: "LiberationSans", data: liberationsansregular.TTF},
		bold:        &face{name: "LiberationSans-Bold", data: liberationsansbold.TTF},
		italic:      &face{name: "LiberationSans-Italic", data: liberationsansitalic.TTF},
		boldItalic:  &face{name: "LiberationSans-BoldItalic", data: liberationsansbolditalic.TTF},
		mono:        &face{name: "DejaVuSansMono", data: dejavusansmono.TTF},
		monoBold:    &face{name: "DejaVuSansMono-Bold", data: dejavusansmonobold.TTF},
		monoItalic:  &face{name: "DejaVuSansMono-Oblique", data: dejavusansmonooblique.TTF},
		serif:       &face{name: "LiberationSerif", data: liberationserifregular.TTF},
		serifItalic: &face{name: "LiberationSerif-Italic", data: liberationserifitalic.TTF},
		symbols:     &face{name: "DejaVuSans", data: dejavusans.TTF},
		wideBold:    &face{name: "DejaVuSans-Bold", data: dejavusansbold.TTF},
		korean:      &face{name: "NanumGothic", data: nanumGothic},
	}
	fs.fallback = []*face{fs.symbols, fs.mono, fs.korean, {name: "DroidSansFallback", data: droidFallback}}
	var notes []string
	for i, path := range extra {
		data, err := usableFont(path)
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		fs.fallback = append(fs.fallback, &face{name: fmt.Sprintf("Extra%d", i), data: data})
	}
	return fs, notes
}

// usableFont reads a font named in the settings. Only TrueType outlines can be
// embedded: OpenType with CFF outlines and collections are refused here.
func usableFont(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("font not read: %w", err)
	}
	if _, err := parseTrueType(data); err != nil {
		return nil, fmt.Errorf("font %s: %w", path, err)
	}
	return data, nil
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
	if (want == fs.bold || want == fs.boldItalic || want == fs.monoBold) && has(fs.wideBold, r) {
		return fs.wideBold
	}
	if isMono := want == fs.monoBold || want == fs.monoItalic; isMono && has(fs.mono, r) {
		return fs.mono
	}
	for _, f := range fs.fallback {
		if f != want && has(f, r) && (f != fs.korean || isKorean(r)) {
			return f
		}
	}
	return nil
}

// lacksBold tells the faces whose strokes must be thickened to be bold.
func (fs *fonts) lacksBold(f *face) bool {
	return f != fs.symbols && f != fs.mono && slices.Contains(fs.fallback, f)
}

// pitched tells the faces in which all letters are of one width.
func (fs *fonts) pitched(f *face) bool { return f == fs.mono || f == fs.monoBold || f == fs.monoItalic }

// isKorean tells the letters for which the Korean font is asked: ideographs,
// kana and signs look as their readers expect in the other.
func isKorean(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0x3130 && r <= 0x318f || r >= 0xa960 && r <= 0xa97f ||
		r >= 0xac00 && r <= 0xd7ff || r >= 0xffa0 && r <= 0xffdc || r == 0x20a9
}
