package chart

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// drawing is a picture that is being drawn. The origin is at the top left.
type drawing struct {
	body          bytes.Buffer
	alone         bool // colours stand in the marks; in a page its style has them
	width, height float64
	prefix        string         // of the ids in the picture
	textures      map[string]ink // those used, by id
}

// look is how a mark looks: the class by which the style of pages knows it, and what that style
// says in the light theme, written as attributes. {} stands for the colour of a family.
type look struct{ class, attributes string }

// The names of looks and families are those of chart.css; the colours, those of tokens.css.
const (
	surface    = "#ffffff"
	lineColour = "#e2e5ea"
	textColour = "#15181e"
	softColour = "#5d6573"
	nowColour  = "#3640b0"
)

var (
	titleText = look{"", `font-size="17" font-weight="bold" fill="` + textColour + `"`}
	headText  = look{"", `font-weight="bold" fill="` + textColour + `"`}
	tickText  = look{"tick", `fill="` + softColour + `"`}
	nameText  = look{"name", `fill="` + textColour + `"`}
	valueText = look{"val", `font-weight="bold" fill="` + textColour + `"`}
	nowText   = look{"now-label", `font-weight="bold" fill="` + nowColour + `"`}

	gridLine = look{"grid", `stroke="` + lineColour + `"`}
	nowLine  = look{"now", `stroke="` + nowColour + `" stroke-width="1.5" stroke-dasharray="2 3"`}
	planned  = look{"series plan", `fill="none" stroke="` + softColour + `" stroke-width="1.75" stroke-dasharray="5 4"`}
	series   = look{"series", `fill="none" stroke="{}" stroke-width="2.25"`}
	guessed  = look{"series guess", `fill="none" stroke="{}" stroke-width="2.25" stroke-dasharray="2 4"`}
	whisker  = look{"", `stroke="` + softColour + `" stroke-width="1.2"`}
	gap      = look{"", `stroke="` + surface + `"`}
	median   = look{"", `stroke="` + textColour + `" stroke-width="3"`}

	column = look{"bar", `fill="{}"`}
	point  = look{"pt", `fill="` + surface + `" stroke="{}" stroke-width="2.25"`}
	empty  = look{"none", `fill="#f1f3f6"`}
)

// as gives a mark its look.
func (d *drawing) as(l look, family string) string {
	if d.alone {
		return " " + strings.ReplaceAll(l.attributes, "{}", solid[family])
	}
	return ` class="` + join(" ", l.class, family) + `"`
}

func (d *drawing) line(l look, family string, x1, y1, x2, y2 float64) {
	d.polyline(l, family, [][2]float64{{x1, y1}, {x2, y2}})
}

func (d *drawing) polyline(l look, family string, points [][2]float64) {
	d.body.WriteString(`<path d="`)
	for i, p := range points {
		step := "L"
		if i == 0 {
			step = "M"
		}
		d.body.WriteString(step + num(p[0]) + " " + num(p[1]))
	}
	d.body.WriteString(`"` + d.as(l, family) + "/>\n")
}

// rect fills a part of the drawing. What it says is shown where somebody points at it.
func (d *drawing) rect(l look, family, says string, at box) {
	d.body.WriteString(area(at) + d.as(l, family))
	d.close("rect", says)
}

// fill fills a part of the drawing with an ink.
func (d *drawing) fill(k ink, says string, at box) {
	if k.texture == plain {
		d.rect(column, k.family, says, at)
		return
	}
	id := d.prefix + "-" + k.family + "-" + string(k.texture)
	if d.textures == nil {
		d.textures = map[string]ink{}
	}
	d.textures[id] = k
	d.body.WriteString(area(at) + ` fill="url(#` + id + `)"`)
	d.close("rect", says)
}

func area(at box) string {
	return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s"`, num(at.left), num(at.top),
		num(max(at.right-at.left, 0)), num(max(at.bottom-at.top, 0)))
}

// close ends a mark, with what it says.
func (d *drawing) close(element, says string) {
	if says == "" {
		d.body.WriteString("/>\n")
		return
	}
	d.body.WriteString("><title>" + escape(says) + "</title></" + element + ">\n")
}

// anchor is which end of a text stands at its place.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

func (d *drawing) text(l look, x, y float64, at anchor, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(&d.body, `<text x="%s" y="%s"`, num(x), num(y))
	if at != start {
		d.body.WriteString(` text-anchor="` + string(at) + `"`)
	}
	d.body.WriteString(d.as(l, "") + ">" + escape(s) + "</text>\n")
}

// marker is the shape of the points of a line, which tells it from others without colour.
type marker string

const (
	none     marker = ""
	circle   marker = "circle"
	square   marker = "square"
	triangle marker = "triangle"
)

func (m marker) draw(d *drawing, family string, x, y float64, says string) {
	shape := map[marker]string{
		circle:   fmt.Sprintf(`<path d="M%s %sa4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"`, num(x-4), num(y)),
		square:   fmt.Sprintf(`<path d="M%s %sh7v7h-7Z"`, num(x-3.5), num(y-3.5)),
		triangle: fmt.Sprintf(`<path d="M%s %sl4.5 7.5h-9Z"`, num(x), num(y-4.5)),
	}[m]
	if shape == "" {
		return
	}
	d.body.WriteString(shape + d.as(point, family))
	d.close("path", says)
}

// num writes a number with at most two decimals, which is finer than any
// screen and keeps the picture small and the same on every machine.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// escape makes text safe inside an element or an attribute. Names have been
// through clean already; the words of this package need nothing else.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
