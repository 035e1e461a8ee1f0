package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
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
var EnglishBurndown = BurndownWords{Title: "Work left", Target: "Planned", Projected: "At this pace",
	Submitted: "Submitted", Done: "Complete", Axis: "work left", Today: "today", None: "No data yet",
	About: "Share of work left over time.",
	Line:  "%s: from %.0f %% on %s to %.0f %% on %s.", Point: "%s: %.0f %% left on %s",
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
	look   look
	family string
	marker marker
}

func (b *Burndown) courses() []course {
	return []course{
		{&b.Words, b.Words.Target, b.Target, planned, "", none},
		{&b.Words, b.Words.Projected, b.Projected, guessed, "blue", triangle},
		{&b.Words, b.Words.Submitted, b.Submitted, series, "blue", square},
		{&b.Words, b.Words.Done, b.Done, series, "green", circle},
	}
}

// SVG draws the picture as a file.
func (b Burndown) SVG() []byte {
	p := b.picture()
	p.subtitle = join(" · ", isolated(clean(b.Student)), clean(b.Unit))
	return p.alone()
}

// InPage draws the picture for a page, which tells whose it is.
func (b Burndown) InPage() []byte { return b.picture().inPage() }

// picture is what both draw. Days outside Start to End are drawn too: the axis grows to hold
// them.
func (b *Burndown) picture() picture {
	p := picture{title: b.Words.Title, none: b.Words.None}
	var told []string
	var lines []course
	from, to := b.Start, b.End
	for _, c := range b.courses() {
		c.points = sanePoints(c.points)
		if len(c.points) == 0 {
			continue
		}
		from, to = earlier(from, c.points[0].Day), later(to, c.points[len(c.points)-1].Day)
		p.keys = append(p.keys, key{label: c.label, line: c.look, family: c.family, marker: c.marker})
		told = append(told, c.words())
		lines = append(lines, c)
	}
	if len(lines) == 0 {
		return p
	}
	p.says = b.Words.About + " " + strings.Join(told, " ")
	p.height = 320
	p.marks = func(d *drawing, at box) {
		inner, up := upright(d, at, b.Words.Axis, 100, percents)
		along := scale{days(from), math.Max(days(to), days(from)+7), inner.left, inner.right}
		b.calendar(d, inner, along)
		for _, c := range lines {
			c.draw(d, along, up)
		}
	}
	return p
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

func (c course) words() string {
	first, last := c.points[0], c.points[len(c.points)-1]
	return fmt.Sprintf(c.says.Line, c.label, first.Remaining, c.says.Long(first.Day.UTC()), last.Remaining,
		c.says.Long(last.Day.UTC()))
}

// mostMarkers is how many points of a line are marked; more of them would be a smear.
const mostMarkers = 60

func (c course) draw(d *drawing, along, up scale) {
	at := make([][2]float64, len(c.points))
	for i, pt := range c.points {
		at[i] = [2]float64{along.at(days(pt.Day)), up.at(pt.Remaining)}
	}
	d.polyline(c.look, c.family, at)
	if len(at) > mostMarkers {
		return
	}
	for i, pt := range c.points {
		says := fmt.Sprintf(c.says.Point, c.label, pt.Remaining, c.says.Long(pt.Day.UTC()))
		c.marker.draw(d, c.family, at[i][0], at[i][1], says)
	}
}

// calendar draws a tick a week, or as many weeks as fit, and today.
func (b *Burndown) calendar(d *drawing, inner box, along scale) {
	step := 7 * math.Max(1, math.Ceil((along.high-along.low)/7/14))
	for day := along.low; day <= along.high; day += step {
		d.text(tickText, along.at(day), inner.bottom+18, middle, b.Words.Short(date(day)))
	}
	now := days(b.Today)
	if b.Today.IsZero() || now < along.low || now > along.high {
		return
	}
	x := along.at(now)
	d.line(nowLine, "", x, inner.top, x, inner.bottom)
	d.text(nowText, x, inner.top-8, middle, b.Words.Today)
}

func days(t time.Time) float64    { return math.Floor(float64(t.Unix()) / 86400) }
func date(days float64) time.Time { return time.Unix(int64(days)*86400, 0).UTC() }
