package chart

import "math"

// scale leads from values to places: low lies at from, high at to.
type scale struct{ low, high, from, to float64 }

// at is the place of a value, which is never beyond the ends.
func (s scale) at(v float64) float64 {
	share := (v - s.low) / (s.high - s.low)
	return s.from + min(max(share, 0), 1)*(s.to-s.from)
}

// tick is a place on an axis with what stands there.
type tick struct {
	value float64
	label string
}

// whole gives ticks at round whole numbers from 0 to limit, about eight.
func whole(limit float64) (ticks []tick) {
	step := 1.0
	for i := 0; limit/step > 8; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	for v := 0.0; v <= limit; v += step {
		ticks = append(ticks, tick{v, num(v)})
	}
	return ticks
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

// percents are the ticks of an axis of shares.
var percents = []tick{{0, "0 %"}, {25, "25 %"}, {50, "50 %"}, {75, "75 %"}, {100, "100 %"}}

// upright is a frame with an axis of values at its left: lines across it, its name above it.
// It gives where the marks go, and the scale of their heights.
func upright(d *drawing, at box, name string, high float64, ticks []tick) (box, scale) {
	inner := box{at.left + 48, at.top + 26, at.right - 20, at.bottom - 26}
	up := scale{0, high, inner.bottom, inner.top}
	d.text(tickText, at.left, at.top+12, start, name)
	for _, t := range ticks {
		y := up.at(t.value)
		d.line(gridLine, "", inner.left, y, inner.right, y)
		d.text(tickText, inner.left-8, y+4, end, t.label)
	}
	return inner, up
}

// rows is a frame of labelled rows over an axis of values: names at the left, notes at the
// right. It gives the scale of the values, and where a row's middle is.
func rows(d *drawing, at box, names, notes []string, axis string, high float64, ticks []tick) (
	along scale, middleOf func(int) float64) {
	inner := box{at.left + 240, at.top, at.right - 100, at.bottom - 50}
	along = scale{0, high, inner.left, inner.right}
	for _, t := range ticks {
		x := along.at(t.value)
		d.line(gridLine, "", x, inner.top, x, inner.bottom)
		d.text(tickText, x, inner.bottom+18, middle, t.label)
	}
	d.text(tickText, (inner.left+inner.right)/2, inner.bottom+40, middle, axis)
	middleOf = func(i int) float64 { return inner.top + (float64(i)+0.5)*rowHeight }
	for i, name := range names {
		d.text(nameText, inner.left-10, middleOf(i)+4, end, fit(name, 12, 230))
		d.text(tickText, inner.right+8, middleOf(i)+4, start, notes[i])
	}
	return along, middleOf
}

// rowsHeight is the room n rows and their axis need.
func rowsHeight(n int) float64 { return float64(n)*rowHeight + 50 }
