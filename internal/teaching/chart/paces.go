package chart

import (
	"fmt"
	"math"
	"strings"
)

// PaceWeek is how many days work took that was marked in a week; nil: none was.
type PaceWeek struct {
	Name         string // under its points
	Long         string // in words and in the table
	Median, Most *float64
}

// PacesWords is what the picture says.
type PacesWords struct {
	Title, Axis, None    string
	About                string // what it shows, before the points are told
	Median, Most, Target string // the lines
	Point                string // of a point: its line, the week, the days
	First, Nothing       string // the head of the weeks, and what stands where there is no number
}

// Paces shows how soon work was marked, week by week in the order given: within which time half of it
// was, and within which nine tenths, beside the target.
type Paces struct {
	Words  PacesWords
	Target float64 // in days; 0: there is none
	Weeks  []PaceWeek
}

// paceLine is one line of the picture.
type paceLine struct {
	name   string
	family string
	marker marker
	of     func(PaceWeek) *float64
}

func (p Paces) lines() []paceLine {
	return []paceLine{
		{p.Words.Most, "orange", square, func(w PaceWeek) *float64 { return w.Most }},
		{p.Words.Median, "blue", circle, func(w PaceWeek) *float64 { return w.Median }},
	}
}

// Figure draws the picture for a page.
func (p Paces) Figure() Figure {
	pic := picture{title: p.Words.Title, none: p.Words.None, wide: halfWidth}
	t := Table{Title: p.Words.Title, Head: []string{p.Words.First}, Rows: [][]string{}}
	most, told := p.Target, []string{}
	for _, w := range p.Weeks {
		t.Rows = append(t.Rows, []string{clean(w.Long)})
	}
	drawn := false
	for _, l := range p.lines() {
		t.Head = append(t.Head, l.name)
		pic.keys = append(pic.keys, key{label: l.name, line: series, family: l.family, marker: l.marker})
		for i, w := range p.Weeks {
			v := sane(l.of(w))
			if v == nil {
				t.Rows[i] = append(t.Rows[i], p.Words.Nothing)
				continue
			}
			drawn, most = true, max(most, *v)
			t.Rows[i] = append(t.Rows[i], tenth(*v))
			told = append(told, p.says(l, w, *v))
		}
	}
	if drawn {
		pic.says, pic.height = p.Words.About+" "+strings.Join(told, ". ")+".", 230
		pic.marks = func(d *drawing, at box) { p.draw(d, at, most*1.12) }
	}
	return Figure{pic.inPage(), t}
}

// says tells a point in words.
func (p Paces) says(l paceLine, w PaceWeek, v float64) string {
	return fmt.Sprintf(p.Words.Point, l.name, clean(w.Long), tenth(v))
}

// longestPace bounds the days that are drawn.
const longestPace = 10000

// sane is a number that can be drawn.
func sane(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || *v < 0 {
		return nil
	}
	return new(min(*v, longestPace))
}

// tenth writes days, to the tenth.
func tenth(v float64) string { return fmt.Sprintf("%.1f", v) }

// draw puts the lines over each other; a week without a number interrupts them.
func (p Paces) draw(d *drawing, at box, high float64) {
	inner, up := upright(d, at, p.Words.Axis, high, whole(high))
	room := (inner.right - inner.left) / float64(len(p.Weeks))
	x := func(i int) float64 { return inner.left + (float64(i)+0.5)*room }
	for i, w := range p.Weeks {
		d.text(nameText, x(i), inner.bottom+18, middle, fit(clean(w.Name), 12, room-8))
	}
	if p.Target > 0 {
		d.line(nowLine, "", inner.left, up.at(p.Target), inner.right, up.at(p.Target))
		d.text(nowText, inner.right, up.at(p.Target)-5, end, clean(p.Words.Target))
	}
	for _, l := range p.lines() {
		var part [][2]float64
		for i, w := range p.Weeks {
			if v := sane(l.of(w)); v != nil {
				part = append(part, [2]float64{x(i), up.at(*v)})
				continue
			}
			l.join(d, part)
			part = nil
		}
		l.join(d, part)
		for i, w := range p.Weeks {
			if v := sane(l.of(w)); v != nil {
				l.marker.draw(d, l.family, x(i), up.at(*v), p.says(l, w, *v))
			}
		}
	}
}

// join draws the line through points that follow each other.
func (l paceLine) join(d *drawing, points [][2]float64) {
	if len(points) > 1 {
		d.polyline(series, l.family, points)
	}
}
