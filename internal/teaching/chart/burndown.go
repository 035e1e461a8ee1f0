package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is how much work remained on a day, in percent of all of it.
type Point struct {
	Day       time.Time
	Remaining float64
}

// BurndownWords is what the picture says.
type BurndownWords struct {
	Title, Target, Projected, Submitted, Done string
	Axis, Today, None                         string
	About                                     string                 // what it shows, before the lines are told
	Line                                      string                 // of a line: its name, how much on which day, and at the end
	Point                                     string                 // of a point: its line, how much, the day
	Short, Long                               func(time.Time) string // how days are written
}

// EnglishBurndown is what it says where nobody asks for another language.
var EnglishBurndown = BurndownWords{Title: "Burndown", Target: "Target", Projected: "Projected", Submitted: "Submitted",
	Done: "Done", Axis: "work remaining", Today: "today", None: "No data yet",
	About: "Lines of the share of work that remains over time.",
	Line:  "%s: from %.0f %% on %s to %.0f %% on %s.", Point: "%s: %.0f %% remains on %s",
	Short: func(t time.Time) string { return t.Format("2 Jan") },
	Long:  func(t time.Time) string { return t.Format("2 January 2006") }}

// Burndown shows how the work of a project shrinks: as planned, as marked
// complete, as handed in, and as it will at the present pace.
type Burndown struct {
	Words     BurndownWords
	Unit      string
	Student   string
	Start     time.Time
	End       time.Time
	Today     time.Time // a line marks it; the zero time draws none
	Target    []Point
	Done      []Point
	Submitted []Point
	Projected []Point
}

// course is one line of the burndown.
type course struct {
	says   *BurndownWords
	label  string
	points []Point
	ink    ink
	width  vg.Length
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

func (b Burndown) courses() []course {
	return []course{
		{&b.Words, b.Words.Target, b.Target, slate, 2, []vg.Length{8, 4}, nil},
		{&b.Words, b.Words.Projected, b.Projected, purple, 2, []vg.Length{2, 4}, draw.PyramidGlyph{}},
		{&b.Words, b.Words.Submitted, b.Submitted, orange, 2.2, nil, draw.BoxGlyph{}},
		{&b.Words, b.Words.Done, b.Done, blue, 2.6, nil, draw.CircleGlyph{}},
	}
}

// SVG draws the picture. Days outside Start to End are drawn too: the axis
// grows to hold them.
func (b Burndown) SVG() []byte {
	p := page{title: b.Words.Title, none: b.Words.None, subtitle: join(" · ", isolated(clean(b.Student)), clean(b.Unit))}
	var told []string
	lines := newPlot(true, true)
	from, to := b.Start, b.End
	for _, c := range b.courses() {
		c.points = sanePoints(c.points)
		if len(c.points) == 0 {
			continue
		}
		from, to = earlier(from, c.points[0].Day), later(to, c.points[len(c.points)-1].Day)
		p.keys = append(p.keys, key{label: c.label, line: c.line(), glyph: c.marker()})
		told = append(told, c.words())
		c.addTo(lines)
	}
	if len(told) == 0 {
		return p.svg()
	}
	b.axes(lines, from, to)
	p.says = b.Words.About + " " + strings.Join(told, " ")
	p.plot, p.height = lines, 380
	return p.svg()
}

// sanePoints drops what is no number, bounds the rest to 0 to 100, puts it
// in order and keeps it to what a line of this width can show.
func sanePoints(points []Point) []Point {
	points = slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return math.IsNaN(p.Remaining) || p.Day.IsZero()
	})
	for i := range points {
		points[i].Remaining = min(max(points[i].Remaining, 0), 100)
	}
	slices.SortStableFunc(points, func(a, b Point) int { return a.Day.Compare(b.Day) })
	return points[:min(len(points), 1000)]
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (c course) line() draw.LineStyle {
	return draw.LineStyle{Color: c.ink, Width: c.width, Dashes: c.dashes}
}

func (c course) marker() draw.GlyphStyle {
	return draw.GlyphStyle{Color: c.ink, Radius: 3.6, Shape: c.glyph}
}

func (c course) words() string {
	first, last := c.points[0], c.points[len(c.points)-1]
	return fmt.Sprintf(c.says.Line, c.label, first.Remaining, c.says.Long(first.Day.UTC()), last.Remaining,
		c.says.Long(last.Day.UTC()))
}

func (c course) addTo(p *plot.Plot) {
	at := make(plotter.XYs, len(c.points))
	for i, pt := range c.points {
		at[i] = plotter.XY{X: days(pt.Day), Y: pt.Remaining}
	}
	p.Add(&plotter.Line{XYs: at, LineStyle: c.line()})
	if c.glyph == nil || len(at) > 60 {
		return
	}
	for i, pt := range c.points {
		mark := c.marker()
		mark.Color = c.ink.saying("%s", fmt.Sprintf(c.says.Point, c.label, pt.Remaining, c.says.Long(pt.Day.UTC())))
		p.Add(&plotter.Scatter{XYs: at[i : i+1], GlyphStyle: mark})
	}
}

// axes sets the range, a tick a week or as many weeks as fit, and today.
func (b Burndown) axes(p *plot.Plot, from, to time.Time) {
	p.X.Min, p.X.Max = days(from), math.Max(days(to), days(from)+7)
	p.Y.Min, p.Y.Max = 0, 100
	p.Y.Tick.Marker = percents
	p.Y.Label.Text = b.Words.Axis
	weeks := (p.X.Max - p.X.Min) / 7
	step := 7 * math.Max(1, math.Ceil(weeks/14))
	var ticks plot.ConstantTicks
	for at := p.X.Min; at <= p.X.Max; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: b.Words.Short(date(at))})
	}
	p.X.Tick.Marker = ticks
	if now := days(b.Today); !b.Today.IsZero() && now >= p.X.Min && now <= p.X.Max {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: now, Y: 0}, {X: now, Y: 100}},
			LineStyle: draw.LineStyle{Color: muted, Width: 1}})
		p.Add(labelled(plotter.XYLabels{XYs: plotter.XYs{{X: now, Y: 100}}, Labels: []string{b.Words.Today}},
			style(12, muted, xfont.WeightNormal), vg.Point{X: 5, Y: -8}))
	}
}

func days(t time.Time) float64    { return math.Floor(float64(t.Unix()) / 86400) }
func date(days float64) time.Time { return time.Unix(int64(days)*86400, 0).UTC() }
