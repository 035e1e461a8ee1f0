package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// canvas is a vg.Canvas that writes plain SVG: final coordinates with the
// origin at the top left, attributes instead of styles, textures and a
// tooltip on what is drawn with an ink. The plotting library's own SVG canvas
// can do neither of the last two, and nests a flip around every mark.
type canvas struct {
	body          bytes.Buffer
	width, height vg.Length
	state         state
	saved         []state
	prefix        string         // of the ids in the picture
	textures      map[string]ink // those used, by id
}

// state is what Push saves and Pop restores.
type state struct {
	move      matrix
	ink       color.Color
	line      vg.Length
	dashes    []vg.Length
	dashStart vg.Length
}

// matrix is an affine map: x' = a*x + c*y + e, y' = b*x + d*y + f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func newCanvas(width, height vg.Length) *canvas {
	c := &canvas{width: width, height: height, textures: map[string]ink{}}
	c.state.move = matrix{a: 1, d: 1}
	vg.Initialize(c)
	return c
}

func (c *canvas) Size() (vg.Length, vg.Length)            { return c.width, c.height }
func (c *canvas) SetLineWidth(w vg.Length)                { c.state.line = w }
func (c *canvas) SetLineDash(d []vg.Length, at vg.Length) { c.state.dashes, c.state.dashStart = d, at }
func (c *canvas) Push()                                   { c.saved = append(c.saved, c.state) }

func (c *canvas) Pop() {
	last := len(c.saved) - 1
	c.state, c.saved = c.saved[last], c.saved[:last]
}

func (c *canvas) SetColor(paint color.Color) {
	if paint == nil {
		paint = color.Black
	}
	c.state.ink = paint
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.state.move = c.state.move.times(matrix{a: cos, b: sin, c: -sin, d: cos})
}

func (c *canvas) Translate(p vg.Point) {
	c.state.move = c.state.move.times(matrix{a: 1, d: 1, e: p.X.Points(), f: p.Y.Points()})
}

func (c *canvas) Scale(x, y float64) {
	c.state.move = c.state.move.times(matrix{a: x, d: y})
}

// at gives the place of p on the page, y growing downwards.
func (c *canvas) at(p vg.Point) (x, y float64) {
	m, px, py := c.state.move, p.X.Points(), p.Y.Points()
	return m.a*px + m.c*py + m.e, c.height.Points() - (m.b*px + m.d*py + m.f)
}

func (c *canvas) Stroke(p vg.Path) {
	if c.state.line <= 0 {
		return
	}
	paint, opacity := solid(c.state.ink)
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s"%s stroke-width="%s"`,
		c.outline(p), paint, attribute("stroke-opacity", opacity), num(c.state.line.Points()))
	if len(c.state.dashes) > 0 {
		parts := make([]string, len(c.state.dashes))
		for i, d := range c.state.dashes {
			parts[i] = num(d.Points())
		}
		fmt.Fprintf(&c.body, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
	}
	c.body.WriteString("/>\n")
}

func (c *canvas) Fill(p vg.Path) {
	paint, opacity := solid(c.state.ink)
	mark, isInk := c.state.ink.(ink)
	if isInk && mark.texture != plain {
		id := c.prefix + "-" + mark.textureID()
		c.textures[id] = mark
		paint = "url(#" + id + ")"
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="%s"%s`, c.outline(p), paint, attribute("fill-opacity", opacity))
	if isInk && mark.edged {
		c.body.WriteString(` stroke="#FFFFFF"`)
	}
	if isInk && mark.says != "" {
		fmt.Fprintf(&c.body, "><title>%s</title></path>\n", escape(mark.says))
		return
	}
	c.body.WriteString("/>\n")
}

// outline writes a path as SVG path data.
func (c *canvas) outline(p vg.Path) string {
	var b strings.Builder
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			c.step(&b, "M", part.Pos)
		case vg.LineComp:
			c.step(&b, "L", part.Pos)
		case vg.ArcComp:
			c.arc(&b, part)
		case vg.CurveComp:
			c.step(&b, map[int]string{1: "Q", 2: "C"}[len(part.Control)], append(part.Control, part.Pos)...)
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

func (c *canvas) step(b *strings.Builder, verb string, points ...vg.Point) {
	b.WriteString(verb)
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		x, y := c.at(p)
		b.WriteString(num(x) + " " + num(y))
	}
}

// arc writes an arc in two halves: SVG draws nothing for one that ends where
// it starts, as every round marker does.
func (c *canvas) arc(b *strings.Builder, part vg.PathComp) {
	on := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)}
	}
	sweep := "0"
	if part.Angle < 0 {
		sweep = "1"
	}
	c.step(b, "L", on(part.Start))
	radius := num(part.Radius.Points())
	for _, share := range []float64{0.5, 1} {
		c.step(b, "A"+radius+" "+radius+" 0 0 "+sweep+" ", on(part.Start+share*part.Angle))
	}
}

func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	if f.Font.Size <= 0 || text == "" {
		return
	}
	x, y := c.at(p)
	paint, _ := solid(c.state.ink)
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" fill="%s"`, num(x), num(y), num(f.Font.Size.Points()),
		paint)
	if f.Font.Weight > 0 {
		c.body.WriteString(` font-weight="bold"`)
	}
	if turn := math.Atan2(c.state.move.b, c.state.move.a); turn != 0 {
		fmt.Fprintf(&c.body, ` transform="rotate(%s %s %s)"`, num(-turn*180/math.Pi), num(x), num(y))
	}
	// Where the viewer lacks the measuring font, another is made to fit its room.
	if known, others := parted(text); others == 0 && known == text && len(text) > 3 {
		fmt.Fprintf(&c.body, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, num(f.Width(text).Points()))
	}
	fmt.Fprintf(&c.body, ">%s</text>\n", escape(text))
}

// DrawImage draws nothing: no picture here holds another.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// attribute writes name="value", or nothing for an empty value.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(` %s="%s"`, name, value)
}

// solid gives a colour as SVG writes it, and its opacity when it has one.
func solid(paint color.Color) (name, opacity string) {
	c := color.NRGBAModel.Convert(paint).(color.NRGBA)
	if c.A < 255 {
		opacity = num(float64(c.A) / 255)
	}
	return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B), opacity
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
