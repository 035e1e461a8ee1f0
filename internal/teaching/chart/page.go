// Package chart draws the service's pictures: what a unit's statistics and a
// project's burndown look like. Each kind of picture is a struct of plain
// values with an SVG method; the same values always give the same bytes.
//
// The pictures stand alone: a title and a description in words for those who
// do not see them, textures and markers beside colours, no script, and no
// reference to anything outside. Names in them come from people and are
// treated as hostile.
package chart

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	pageWidth = 900
	margin    = 24
	rowHeight = 24
	maxRows   = 150 // past this a picture helps nobody; the rest is counted in a note

	// Liberation Sans is what text is measured with; Arial and Helvetica have
	// its widths, and the generic family is there for everyone else.
	families = "Liberation Sans, Arial, Helvetica, sans-serif"
)

// Table is what a picture shows as plain text, for who cannot see it: each row
// has a field for each of the heads.
type Table struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// page is a picture before it is drawn: its words, its legend and its plot.
type page struct {
	title    string
	subtitle string
	says     string // the description: the picture's content in words
	keys     []key
	none     string     // said instead of a plot; empty is English
	plot     *plot.Plot // nil: there is nothing to show yet
	height   vg.Length  // of the plot
}

// key is one entry of the legend: a swatch of an ink, or a line with a marker.
type key struct {
	label string
	fill  *ink
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

// svg draws the page.
func (p page) svg() []byte {
	if p.plot == nil {
		p.keys, p.height = nil, 160
		p.none = cmp.Or(p.none, "No data yet")
		p.says = p.none + "."
	}
	rows := flow(p.keys)
	head := vg.Length(66)
	if len(rows) > 0 {
		head += vg.Length(len(rows))*20 + 6
	}
	c := newCanvas(pageWidth, head+p.height+margin/2)
	c.prefix = p.prefix()
	dc := draw.New(c)
	top := dc.Max.Y
	title := style(17, text, xfont.WeightBold)
	dc.FillText(title, vg.Point{X: margin, Y: top - 20}, fit(p.title, title, pageWidth-2*margin))
	sub := style(12, muted, xfont.WeightNormal)
	dc.FillText(sub, vg.Point{X: margin, Y: top - 44}, fit(p.subtitle, sub, pageWidth-2*margin))
	drawKeys(dc, rows, top-72)
	p.body(draw.Crop(dc, margin, -margin, margin/2, -head))
	return p.wrap(c)
}

// body draws the plot, or says that there is none.
func (p page) body(dc draw.Canvas) {
	if p.plot != nil {
		p.plot.Draw(dc)
		return
	}
	dc.SetColor(mist)
	dc.Fill(dc.Rectangle.Path())
	said := style(14, muted, xfont.WeightNormal)
	said.XAlign, said.YAlign = draw.XCenter, draw.YCenter
	dc.FillText(said, dc.Center(), p.none)
}

// prefix keeps the ids of this picture apart from those of another on the
// same web page.
func (p page) prefix() string {
	sum := sha256.Sum256([]byte(p.title + "\x00" + p.subtitle + "\x00" + p.says))
	return "c" + hex.EncodeToString(sum[:5])
}

// wrap puts the drawn marks into a document with its words and textures.
func (p page) wrap(c *canvas) []byte {
	var b bytes.Buffer
	w, h := num(c.width.Points()), num(c.height.Points())
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" `+
		`aria-labelledby="%s-title %s-desc" font-family="%s">`+"\n", w, h, w, h, c.prefix, c.prefix, families)
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title>\n", c.prefix, escape(join(": ", p.title, p.subtitle)))
	fmt.Fprintf(&b, "<desc id=\"%s-desc\">%s</desc>\n", c.prefix, escape(p.says))
	if len(c.textures) > 0 {
		b.WriteString("<defs>\n")
		for _, id := range slices.Sorted(maps.Keys(c.textures)) {
			b.WriteString(c.textures[id].pattern(id) + "\n")
		}
		b.WriteString("</defs>\n")
	}
	fmt.Fprintf(&b, "<rect width=\"%s\" height=\"%s\" fill=\"#FFFFFF\"/>\n", w, h)
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// flow breaks the legend into rows that fit the page.
func flow(keys []key) [][]key {
	var rows [][]key
	room := vg.Length(0)
	for _, k := range keys {
		need := keyWidth(k)
		if len(rows) == 0 || need > room {
			rows, room = append(rows, nil), pageWidth-2*margin
		}
		last := len(rows) - 1
		rows[last], room = append(rows[last], k), room-need
	}
	return rows
}

func keyWidth(k key) vg.Length {
	return 34 + style(12, text, xfont.WeightNormal).Width(k.label) + 18
}

func drawKeys(dc draw.Canvas, rows [][]key, y vg.Length) {
	label := style(12, text, xfont.WeightNormal)
	label.YAlign = draw.YCenter
	for _, row := range rows {
		x := vg.Length(margin)
		for _, k := range row {
			k.sample(dc, x, y)
			dc.FillText(label, vg.Point{X: x + 34, Y: y}, k.label)
			x += keyWidth(k)
		}
		y -= 20
	}
}

// sample draws what the key's label stands for, 26 wide.
func (k key) sample(dc draw.Canvas, x, y vg.Length) {
	if k.fill != nil {
		dc.SetColor(*k.fill)
		dc.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - 6}, Max: vg.Point{X: x + 26, Y: y + 6}}.Path())
		return
	}
	dc.StrokeLine2(k.line, x, y, x+26, y)
	if k.glyph.Shape != nil {
		dc.DrawGlyph(k.glyph, vg.Point{X: x + 13, Y: y})
	}
}

// newPlot is an empty plot in the house style: light grid, no box around it.
func newPlot(vertical, horizontal bool) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Width = 0
		axis.Tick.LineStyle.Width = 0
		axis.Tick.Label.Font.Size = 12
		axis.Tick.Label.Font.Variant = "Sans"
		axis.Tick.Label.Color = muted
		axis.Tick.Label.Handler = measuring
		axis.Label.TextStyle.Font.Size = 12
		axis.Label.TextStyle.Font.Variant = "Sans"
		axis.Label.TextStyle.Color = muted
		axis.Label.Padding = 6
		axis.Padding = 6
	}
	lines := plotter.NewGrid()
	lines.Vertical = draw.LineStyle{Color: grid, Width: 1}
	lines.Horizontal = lines.Vertical
	if !vertical {
		lines.Vertical.Color = nil
	}
	if !horizontal {
		lines.Horizontal.Color = nil
	}
	p.Add(lines)
	return p
}

func style(size vg.Length, paint color.Color, weight xfont.Weight) draw.TextStyle {
	return draw.TextStyle{
		Color:   paint,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		XAlign:  draw.XLeft,
		YAlign:  draw.YTop,
		Handler: measuring,
	}
}

// fit shortens s with an ellipsis until it is no wider than room.
func fit(s string, st draw.TextStyle, room vg.Length) string {
	if st.Width(s) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && st.Width(string(runes)+"…") > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + "…"
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

// whole gives ticks at round whole numbers from 0 to limit, about eight.
func whole(limit float64) plot.ConstantTicks {
	step := 1.0
	for _, next := range []float64{2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000, 100000, 1e6} {
		if limit/step <= 8 {
			break
		}
		step = next
	}
	var ticks plot.ConstantTicks
	for v := 0.0; v <= limit && len(ticks) < 20; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: num(v)})
	}
	return ticks
}

// percents are the ticks of an axis of shares.
var percents = plot.ConstantTicks{
	{Value: 0, Label: "0 %"}, {Value: 25, Label: "25 %"}, {Value: 50, Label: "50 %"},
	{Value: 75, Label: "75 %"}, {Value: 100, Label: "100 %"},
}

// rowTicks labels rows from the top down, shortened to the room there is.
func rowTicks(labels []string) plot.ConstantTicks {
	st := style(12, text, xfont.WeightNormal)
	ticks := make(plot.ConstantTicks, len(labels))
	for i, label := range labels {
		if label == "" {
			label = " " // an empty label would make the tick a minor one
		}
		ticks[i] = plot.Tick{Value: row(i), Label: fit(label, st, 230)}
	}
	return ticks
}

// row is where the row with index i lies on a vertical axis.
func row(i int) float64 { return -float64(i) }

// rowPlot is a plot of n labelled rows.
func rowPlot(labels []string) *plot.Plot {
	p := newPlot(true, false)
	p.Y.Tick.Label.Color = text
	p.Y.Tick.Marker = rowTicks(labels)
	p.Y.Min, p.Y.Max = row(len(labels)-1)-0.5, 0.5
	p.Y.Padding = 4
	return p
}

// sideNotes writes a short text right of each row.
func sideNotes(x float64, notes []string) *plotter.Labels {
	at := plotter.XYLabels{Labels: notes}
	for i := range notes {
		at.XYs = append(at.XYs, plotter.XY{X: x, Y: row(i)})
	}
	return labelled(at, style(12, muted, xfont.WeightNormal), vg.Point{X: 8, Y: 2})
}

// labelled puts texts, centred on the height of their points.
func labelled(at plotter.XYLabels, st draw.TextStyle, offset vg.Point) *plotter.Labels {
	st.YAlign = draw.YCenter
	styles := make([]draw.TextStyle, len(at.Labels))
	for i := range styles {
		styles[i] = st
	}
	return &plotter.Labels{XYs: at.XYs, Labels: at.Labels, TextStyle: styles, Offset: offset}
}

// rowsHeight is the room n rows and their axis need.
func rowsHeight(n int) vg.Length { return vg.Length(n)*rowHeight + 50 }
