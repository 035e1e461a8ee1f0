package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Five is a five-number summary with the name and size of the group it is of.
type Five struct {
	Label                          string
	Students                       int
	Min, Lower, Median, Upper, Max float64
}

// Completion shows how many tasks students have completed: a box for the
// unit, one for each tutorial and one for each target grade. Every student of a
// group counts, also those who have completed nothing.
type Completion struct {
	Unit      string // code and name, as a heading
	Tasks     int    // how many tasks the unit has
	Whole     *Five  // nil when the unit has no students
	Tutorials []Five
	Grades    []Five
}

// box is a row of the picture: a heading, or a group's summary.
type box struct {
	heading string
	five    Five
}

// SVG draws the picture.
func (c Completion) SVG() []byte {
	p := page{title: "Tasks completed by students", subtitle: clean(c.Unit)}
	boxes, left := c.rows()
	if len(boxes) == 0 {
		return p.svg()
	}
	most := 0.0
	for _, b := range boxes {
		most = math.Max(most, b.five.Max)
	}
	limit := roundUp(most)
	p.says = describe(boxes, left)
	p.keys = []key{
		{label: "line: fewest to most", line: draw.LineStyle{Color: muted, Width: 1.2}},
		{label: "box: 30th to 80th percentile", fill: new(sky)},
		{label: "bar in the box: median", line: draw.LineStyle{Color: text, Width: 3}},
		{label: "dot: all the same", glyph: draw.GlyphStyle{Color: blue, Radius: 5, Shape: draw.CircleGlyph{}}},
	}
	p.plot = boxPlot(boxes, limit, c.axis())
	p.height = rowsHeight(len(boxes))
	if left > 0 {
		p.subtitle = join(" · ", p.subtitle, fmt.Sprintf("%d more tutorials are not shown", left))
	}
	return p.svg()
}

// axis names the axis, which ends where the data does, and how far it could go.
func (c Completion) axis() string {
	if c.Tasks <= 0 {
		return "tasks completed"
	}
	return fmt.Sprintf("tasks completed, of %d in the unit", c.Tasks)
}

// roundUp is a good end for an axis that must reach most: a round number, with
// a little room.
func roundUp(most float64) float64 {
	if most <= 4 {
		return math.Max(math.Ceil(most), 1) + 0.25
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1} {
		if most/(step*part) <= 12 {
			step *= part
			break
		}
	}
	return math.Ceil(most/step)*step + step/4
}

// Table gives the same numbers as a table.
func (c Completion) Table() Table {
	t := Table{Title: join(": ", "Tasks completed by students", clean(c.Unit)), Rows: [][]string{},
		Head: []string{"Group", "Students", "Fewest", "30th percentile", "Median", "80th percentile", "Most"}}
	boxes, _ := c.rows()
	for _, b := range boxes {
		if f := b.five; b.heading == "" {
			t.Rows = append(t.Rows, []string{f.Label, strconv.Itoa(f.Students), num(f.Min), num(f.Lower), num(f.Median),
				num(f.Upper), num(f.Max)})
		}
	}
	return t
}

// rows puts the groups in order under their headings, leaving out tutorials
// past the limit.
func (c Completion) rows() (boxes []box, left int) {
	if c.Whole == nil {
		return nil, 0
	}
	unit := *c.Whole
	unit.Label = "All students"
	boxes = append(boxes, box{five: unit.sane()})
	for _, group := range []struct {
		heading string
		fives   []Five
	}{{"By target grade", c.Grades}, {"By tutorial", c.Tutorials}} {
		if len(group.fives) == 0 {
			continue
		}
		boxes = append(boxes, box{heading: group.heading})
		for i, f := range group.fives {
			if len(boxes) >= maxRows {
				return boxes, left + len(group.fives) - i
			}
			boxes = append(boxes, box{five: f.sane()})
		}
	}
	return boxes, left
}

// sane cleans the label and puts numbers nobody should send into order, so
// that a picture is drawn in any case.
func (f Five) sane() Five {
	f.Label, f.Students = clean(f.Label), max(f.Students, 0)
	last := 0.0
	for _, v := range []*float64{&f.Min, &f.Lower, &f.Median, &f.Upper, &f.Max} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) || *v < last {
			*v = last
		}
		last = *v
	}
	return f
}

// whom is the group with how many it counts.
func (f Five) whom() string { return fmt.Sprintf("%s (%d)", isolated(f.Label), f.Students) }

func (f Five) words() string {
	return fmt.Sprintf("%s, %s: fewest %s, 30th percentile %s, median %s, 80th percentile %s, most %s",
		f.Label, plural(f.Students, "student"), num(f.Min), num(f.Lower), num(f.Median), num(f.Upper), num(f.Max))
}

func describe(boxes []box, left int) string {
	var b strings.Builder
	b.WriteString("Box plots of the number of tasks completed by a student; those who completed none count.")
	for _, x := range boxes {
		if x.heading != "" {
			b.WriteString(" " + x.heading + ".")
			continue
		}
		b.WriteString(" " + x.five.words() + ".")
	}
	if left > 0 {
		fmt.Fprintf(&b, " %d more tutorials are not shown.", left)
	}
	return b.String()
}

func boxPlot(boxes []box, limit float64, axis string) *plot.Plot {
	labels, notes := make([]string, len(boxes)), make([]string, len(boxes))
	for i, b := range boxes {
		if b.heading == "" {
			labels[i] = b.five.whom()
			notes[i] = "median " + num(b.five.Median)
		}
	}
	p := rowPlot(labels)
	p.X.Min, p.X.Max = 0, limit
	p.X.Tick.Marker = whole(limit)
	p.X.Label.Text = axis
	for i, b := range boxes {
		if b.heading != "" {
			p.Add(labelled(plotter.XYLabels{XYs: plotter.XYs{{X: 0, Y: row(i)}}, Labels: []string{b.heading}},
				style(12, text, xfont.WeightBold), vg.Point{Y: -3}))
			continue
		}
		p.Add(b.five.plotter(row(i)))
		if b.five.Min == b.five.Max {
			p.Add(b.five.dot(row(i)))
		}
	}
	p.Add(sideNotes(limit, notes))
	return p
}

// dot marks a group whose students all stand at one number, where a box would
// be a line that is hardly seen.
func (f Five) dot(y float64) *plotter.Scatter {
	mark := draw.GlyphStyle{Color: blue.saying("%s", f.words()), Radius: 6, Shape: draw.CircleGlyph{}}
	return &plotter.Scatter{XYs: plotter.XYs{{X: f.Median, Y: y}}, GlyphStyle: mark}
}

// plotter makes the box: the library would work the numbers out from all
// values, but they are already known and follow the service's own rule.
func (f Five) plotter(y float64) *plotter.BoxPlot {
	values := plotter.Values{f.Min, f.Lower, f.Median, f.Upper, f.Max}
	b, err := plotter.NewBoxPlot(12, y, values)
	if err != nil { // only for no values or infinite ones, which sane has put right
		panic(err)
	}
	b.Quartile1, b.Median, b.Quartile3 = f.Lower, f.Median, f.Upper
	b.Min, b.AdjLow, b.AdjHigh, b.Max = f.Min, f.Min, f.Max, f.Max
	b.Outside = nil
	b.Horizontal = true
	b.CapWidth = 8
	b.FillColor = sky.saying("%s", f.words())
	b.BoxStyle = draw.LineStyle{Color: blue, Width: 1}
	b.MedianStyle = draw.LineStyle{Color: text, Width: 3}
	b.WhiskerStyle = draw.LineStyle{Color: muted, Width: 1.2}
	return b
}
