package chart

// pillar is one of several upright bars.
type pillar struct {
	name  string // under it
	value int
	above string // what stands on it
	says  string // what it stands for, in words
	late  bool   // it is past what was promised
}

// columns draws bars beside each other, in the order given. Where some are late, a line with
// its words stands before the first of them, so that it can be told without colour.
func columns(pillars []pillar, axis, promise string) func(*drawing, box) {
	most := 0.0
	for _, p := range pillars {
		most = max(most, float64(p.value))
	}
	return func(d *drawing, at box) {
		inner, up := upright(d, at, axis, most*1.12, whole(most*1.12))
		room := (inner.right - inner.left) / float64(len(pillars))
		wide := min(room*0.55, 110)
		for i, p := range pillars {
			x := inner.left + (float64(i)+0.5)*room
			bar, family := box{x - wide/2, up.at(float64(p.value)), x + wide/2, inner.bottom}, "blue"
			if p.late {
				family = "red"
			}
			d.rect(column, family, p.says, bar)
			d.text(valueText, x, bar.top-6, middle, p.above)
			d.text(nameText, x, inner.bottom+18, middle, fit(p.name, 12, room-8))
			if p.late && promise != "" && (i == 0 || !pillars[i-1].late) {
				promised(d, inner, x-room/2, promise)
			}
		}
	}
}

// promised draws the line between what is in time and what is late.
func promised(d *drawing, inner box, x float64, words string) {
	d.line(nowLine, "", x, inner.top, x, inner.bottom)
	if x-inner.left < width(words, 12)*1.1+6 {
		d.text(nowText, x+6, inner.top-2, start, words)
		return
	}
	d.text(nowText, x-6, inner.top-2, end, words)
}
