// Package chart draws the service's pictures: what a unit's statistics, a project's burndown
// and the work that waits look like. Each kind of picture is a struct of plain values; the
// same values always give the same bytes.
//
// One code draws a picture for two places. As a file it stands alone: a title, white ground
// and the colours of the light theme written into its marks. In a page it is an element among
// others: its marks have classes, which the style of pages colours, so that they follow the
// theme, and the page has the title.
//
// Either has a title and a description in words for those who do not see it, textures or
// markers beside colours, no script, and no reference to anything outside. Names in them come
// from people and are treated as hostile.
package chart

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	fileWidth = 900 // of a picture that stands alone
	pageWidth = 720 // of one in a page
	halfWidth = 540 // of one that stands beside another there
	margin    = 24  // around one that stands alone
	rowHeight = 24
	maxRows   = 150 // past this a picture helps nobody; the rest is counted in a note

	// Helvetica is what text is measured with; Arial and Liberation Sans have its widths, and
	// the generic family is there for everyone else.
	families = "Liberation Sans, Arial, Helvetica, sans-serif"
)

// Table is what a picture shows as plain text, for who cannot see it: each row
// has a field for each of the heads.
type Table struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// Figure is a picture for a page, with the table that stands behind it.
type Figure struct {
	SVG   []byte
	Table Table
}

// picture is one before it is drawn: its words, its legend and its marks.
type picture struct {
	title    string
	subtitle string
	says     string // the description: the picture's content in words
	none     string // said instead of marks; empty is English
	keys     []key
	wide     float64             // in a page; 0: as wide as usual
	height   float64             // of the marks
	marks    func(*drawing, box) // nil: there is nothing to show yet
}

// key is one entry of the legend: a swatch of an ink, or a line, a marker or both.
type key struct {
	label  string
	fill   *ink
	line   look
	family string
	marker marker
}

// box is a part of the drawing.
type box struct{ left, top, right, bottom float64 }

// alone draws the picture as a file.
func (p picture) alone() []byte { return p.draw(&drawing{alone: true, width: fileWidth}, margin, 52) }

// inPage draws the picture as a part of a page, which has a heading for it.
func (p picture) inPage() []byte { return p.draw(&drawing{width: cmp.Or(p.wide, pageWidth)}, 0, 0) }

// draw puts the legend under a head of some height, and the marks under both.
func (p picture) draw(d *drawing, side, head float64) []byte {
	if p.marks == nil {
		p.keys, p.height = nil, 160
		p.none = cmp.Or(p.none, "No data yet")
		p.says = p.none + "."
		p.marks = func(d *drawing, at box) {
			d.rect(empty, "", "", at)
			d.text(tickText, (at.left+at.right)/2, (at.top+at.bottom)/2+4, middle, p.none)
		}
	}
	d.prefix = p.prefix()
	if d.alone {
		d.text(titleText, side, 32, start, fit(p.title, 17, d.width-2*side))
		d.text(tickText, side, 50, start, fit(p.subtitle, 12, d.width-2*side))
		head += 14
	}
	for _, row := range flow(p.keys, d.width-2*side) {
		x := side
		for _, k := range row {
			k.sample(d, x, head+10)
			d.text(nameText, x+34, head+14, start, k.label)
			x += k.width()
		}
		head += 20
	}
	if len(p.keys) > 0 {
		head += 6
	}
	d.height = head + p.height + side/2
	p.marks(d, box{side, head, d.width - side, head + p.height})
	return p.wrap(d)
}

// prefix keeps the ids of this picture apart from those of another on the
// same web page.
func (p picture) prefix() string {
	sum := sha256.Sum256([]byte(p.title + "\x00" + p.subtitle + "\x00" + p.says))
	return "c" + hex.EncodeToString(sum[:5])
}

// wrap puts the marks into a document with its words and textures.
func (p picture) wrap(d *drawing) []byte {
	var b strings.Builder
	w, h := num(d.width), num(d.height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" `+
		`aria-labelledby="%s-title %s-desc"`, w, h, d.prefix, d.prefix)
	if d.alone {
		fmt.Fprintf(&b, ` width="%s" height="%s" font-family="%s" font-size="12">`, w, h, families)
	} else {
		b.WriteString(` class="chart">`)
	}
	fmt.Fprintf(&b, "\n<title id=\"%s-title\">%s</title>\n", d.prefix, escape(join(": ", p.title, p.subtitle)))
	fmt.Fprintf(&b, "<desc id=\"%s-desc\">%s</desc>\n", d.prefix, escape(p.says))
	if len(d.textures) > 0 {
		b.WriteString("<defs>\n")
		for _, id := range slices.Sorted(maps.Keys(d.textures)) {
			b.WriteString(d.textures[id].pattern(id) + "\n")
		}
		b.WriteString("</defs>\n")
	}
	if d.alone {
		fmt.Fprintf(&b, "<rect width=\"%s\" height=\"%s\" fill=\"%s\"/>\n", w, h, surface)
	}
	b.Write(d.body.Bytes())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// flow breaks the legend into rows that fit a width.
func flow(keys []key, width float64) [][]key {
	var rows [][]key
	room := 0.0
	for _, k := range keys {
		need := k.width()
		if len(rows) == 0 || need > room {
			rows, room = append(rows, nil), width
		}
		last := len(rows) - 1
		rows[last], room = append(rows[last], k), room-need
	}
	return rows
}

func (k key) width() float64 { return 34 + 1.08*width(k.label, 12) + 18 } // pages have a slightly wider font

// sample draws what the key's label stands for, 26 wide.
func (k key) sample(d *drawing, x, y float64) {
	if k.fill != nil {
		d.fill(*k.fill, "", box{x, y - 6, x + 26, y + 6})
		return
	}
	if k.line.class != "" {
		d.line(k.line, k.family, x, y, x+26, y)
	}
	k.marker.draw(d, k.family, x+13, y, "")
}

// longest bounds a name before anything measures it.
const longest = 200

// clean makes a name fit for a picture: one line of valid text without
// control characters and without those that turn the direction of what
// follows, at most 200 characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r), r == 0xFFFE, r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > longest {
		runes = append(runes[:longest-1], '…')
	}
	return string(runes)
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), sep)
}
