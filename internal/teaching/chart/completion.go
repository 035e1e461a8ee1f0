package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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

// group is a row of the picture: a heading, or a group's summary.
type group struct {
	heading string
	five    Five
}

// SVG draws the picture.
func (c Completion) SVG() []byte {
	p := picture{title: "Tasks completed by students", subtitle: clean(c.Unit)}
	groups, left := c.groups()
	if len(groups) == 0 {
		return p.alone()
	}
	p.says = describe(groups, left)
	p.keys = []key{
		{label: "line: fewest to most", line: whisker},
		{label: "box: 30th to 80th percentile", fill: new(ink{"teal", plain})},
		{label: "bar in the box: median", line: median},
		{label: "dot: all the same", family: "blue", marker: circle},
	}
	p.marks, p.height = boxes(groups, c.axis()), rowsHeight(len(groups))
	if left > 0 {
		p.subtitle = join(" · ", p.subtitle, fmt.Sprintf("%d more tutorials are not shown", left))
	}
	return p.alone()
}

// axis names the axis, which ends where the data does, and how far it could go.
func (c Completion) axis() string {
	if c.Tasks <= 0 {
		return "tasks completed"
	}
	return fmt.Sprintf("tasks completed, of %d in the unit", c.Tasks)
}

// Table gives the same numbers as a table.
func (c Completion) Table() Table {
	t := Table{Title: join(": ", "Tasks completed by students", clean(c.Unit)), Rows: [][]string{},
		Head: []string{"Group", "Students", "Fewest", "30th percentile", "Median", "80th percentile", "Most"}}
	groups, _ := c.groups()
	for _, b := range groups {
		if f := b.five; b.heading == "" {
			t.Rows = append(t.Rows, []string{f.Label, strconv.Itoa(f.Students), num(f.Min), num(f.Lower), num(f.Median),
				num(f.Upper), num(f.Max)})
		}
	}
	return t
}

// groups puts the groups in order under their headings, leaving out tutorials
// past the limit.
func (c Completion) groups() (out []group, left int) {
	if c.Whole == nil {
		return nil, 0
	}
	unit := *c.Whole
	unit.Label = "All students"
	out = append(out, group{five: unit.sane()})
	for _, part := range []struct {
		heading string
		fives   []Five
	}{{"By target grade", c.Grades}, {"By tutorial", c.Tutorials}} {
		if len(part.fives) == 0 {
			continue
		}
		out = append(out, group{heading: part.heading})
		for i, f := range part.fives {
			if len(out) >= maxRows {
				return out, left + len(part.fives) - i
			}
			out = append(out, group{five: f.sane()})
		}
	}
	return out, left
}

// sane cleans the label and puts numbers nobody should send into order, so
// that a picture is drawn in any case.
func (f Five) sane() Five {
	f.Label, f.Students = clean(f.Label), max(f.Students, 0)
	last := 0.0
	for _, v := range []*float64{&f.Min, &f.Lower, &f.Median, &f.Upper, &f.Max} {
		if math.IsNaN(*v) || *v < last {
			*v = last
		}
		*v = min(*v, 1e9)
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

func describe(groups []group, left int) string {
	var b strings.Builder
	b.WriteString("Box plots of the number of tasks completed by a student; those who completed none count.")
	for _, x := range groups {
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

// boxes draws a row for each group.
func boxes(groups []group, axis string) func(*drawing, box) {
	names, notes, most := make([]string, len(groups)), make([]string, len(groups)), 0.0
	for i, g := range groups {
		if g.heading == "" {
			names[i], notes[i] = g.five.whom(), "median "+num(g.five.Median)
			most = math.Max(most, g.five.Max)
		}
	}
	limit := roundUp(most)
	return func(d *drawing, at box) {
		along, middleOf := rows(d, at, names, notes, axis, limit, whole(limit))
		for i, g := range groups {
			if g.heading != "" {
				d.text(headText, along.from, middleOf(i)+6, start, g.heading)
				continue
			}
			g.five.draw(d, along, middleOf(i))
		}
	}
}

// draw draws the box. Where all students stand at one number it would be a line that is hardly
// seen, and is a dot.
func (f Five) draw(d *drawing, along scale, y float64) {
	if f.Min == f.Max {
		circle.draw(d, "blue", along.at(f.Median), y, f.words())
		return
	}
	d.line(whisker, "", along.at(f.Min), y, along.at(f.Max), y)
	for _, edge := range []float64{f.Min, f.Max} {
		d.line(whisker, "", along.at(edge), y-4, along.at(edge), y+4)
	}
	d.rect(column, "teal", f.words(), box{along.at(f.Lower), y - 6, along.at(f.Upper), y + 6})
	d.line(median, "", along.at(f.Median), y-6, along.at(f.Median), y+6)
}
