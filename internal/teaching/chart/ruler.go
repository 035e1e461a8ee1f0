package chart

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// ruler measures text in any script. The measuring font has Latin, Greek and
// Cyrillic letters; the viewer draws the others with fonts of its own, in which
// ideographs are as wide as they are tall.
type ruler struct{ plottext.Plain }

var measuring = ruler{plottext.Plain{Fonts: font.DefaultCache}}

// Box measures a line of text.
func (r ruler) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	known, others := parted(txt)
	width, height, depth = r.Plain.Box(known, fnt)
	return width + vg.Length(others)*fnt.Size, height, depth
}

// Draw puts a line where its own measure says, and not the plain one.
func (r ruler) Draw(c vg.Canvas, txt string, sty plottext.Style, at vg.Point) {
	own, _, _ := r.Box(txt, sty.Font)
	plain, _, _ := r.Plain.Box(txt, sty.Font)
	at.X += vg.Length(sty.XAlign) * (own - plain)
	r.Plain.Draw(c, txt, sty, at)
}

// parted gives the letters the measuring font has, and how wide the others are
// taken to be, in ems.
func parted(s string) (known string, others float64) {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf):
		case fromRight(r):
			others += 0.58
		case r >= 0x1100 && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) &&
			(r < 0x2000 || r > 0x2bff):
			others++
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), others
}

// fromRight tells the letters of Hebrew, Arabic and their kin.
func fromRight(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
}

// isolated keeps a name written from the right from turning round what stands
// beside it.
func isolated(name string) string {
	if !strings.ContainsFunc(name, fromRight) {
		return name
	}
	return "\u2068" + name + "\u2069"
}
