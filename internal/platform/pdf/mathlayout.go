package pdf

import "strings"

// withScripts sets scripts at the end of a part.
func withScripts(box mathBox, over, under *mathBox, st mathStyle) mathBox {
	out := box
	rise, fall, w := 0.0, 0.0, 0.0
	if over != nil {
		rise = max(st.size*0.36, box.up-st.size*0.28, over.down+st.size*0.12)
		out.up, w = max(out.up, rise+over.up), over.w
	}
	if under != nil {
		fall = max(st.size*0.16, box.down-st.size*0.05, under.up-st.size*0.42)
		if over != nil { // keep the two apart
			fall = max(fall, under.up-(rise-over.down)+st.size*0.1)
		}
		out.down, w = max(out.down, fall+under.down), max(w, under.w)
	}
	out.w += w + st.size*0.04
	out.draw = func(x, base float64) {
		box.draw(x, base)
		if over != nil {
			over.draw(x+box.w+st.size*0.02, base-rise)
		}
		if under != nil {
			under.draw(x+box.w, base+fall)
		}
	}
	return out
}

// stacked sets limits above and below a part.
func stacked(box mathBox, over, under *mathBox, st mathStyle) mathBox {
	gap := st.size * 0.16
	out, above, below := box, box, box
	if over != nil {
		above = *over
		out.w = max(out.w, over.w)
		out.up = box.up + gap + over.down + over.up
	}
	if under != nil {
		below = *under
		out.w = max(out.w, under.w)
		out.down = box.down + gap + under.up + under.down
	}
	out.draw = func(x, base float64) {
		middle := x + out.w/2
		box.draw(middle-box.w/2, base)
		if over != nil {
			above.draw(middle-above.w/2, base-box.up-gap-above.down)
		}
		if under != nil {
			below.draw(middle-below.w/2, base+box.down+gap+below.up)
		}
	}
	return out
}

// fraction sets one part over another, with a line between them or none.
func (m *mathReader) fraction(st mathStyle, ruled bool) (mathBox, error) {
	inner := st
	if !st.display {
		inner = st.smaller()
	}
	inner.display = false
	over, err := m.argument(inner)
	if err != nil {
		return over, err
	}
	under, err := m.argument(inner)
	if err != nil {
		return under, err
	}
	thick, gap := max(st.size*0.05, 0.4), st.size*0.18
	axis := st.size * mathAxis
	w := max(over.w, under.w) + st.size*0.16
	pad := st.size * 0.08
	return mathBox{w: w + 2*pad, up: axis + gap + over.down + over.up, down: under.up + gap + under.down - axis,
		draw: func(x, base float64) {
			x += pad
			over.draw(x+(w-over.w)/2, base-axis-gap-over.down)
			under.draw(x+(w-under.w)/2, base-axis+gap+under.up)
			if ruled {
				m.s.line(x, base-axis, x+w, base-axis, ink, thick)
			}
		}}, nil
}

// root draws the sign around what stands below it.
func (m *mathReader) root(st mathStyle) (mathBox, error) {
	var index mathBox
	if m.skip(); m.peek() == '[' {
		m.at++
		var err error
		if index, err = m.row(st.smaller().smaller(), "]"); err != nil || m.peek() != ']' {
			return index, errMath
		}
		m.at++
	}
	box, err := m.argument(st)
	if err != nil {
		return box, err
	}
	hook, lift := st.size*0.55, st.size*0.14
	high := max(box.up, st.size*0.6) + lift
	low := max(box.down, 0)
	lead := max(index.w-hook*0.45, 0)
	return mathBox{w: lead + hook + box.w + st.size*0.1, up: max(high+st.size*0.06, high*0.5+index.up), down: low +
		st.size*0.06,
		draw: func(x, base float64) {
			if index.draw != nil {
				index.draw(x, base-high*0.5)
			}
			x += lead
			m.s.radical(x, base, hook, high, low, box.w+st.size*0.08, max(st.size*0.05, 0.4))
			box.draw(x+hook+st.size*0.03, base)
		}}, nil
}

// radical draws the sign of a root.
func (s *pageWriter) radical(x, base, hook, high, low, w, thick float64) {
	y := func(v float64) string { return n(pageH - v) }
	s.op("%s RG %s w 1 j", ink.numbers(), n(thick))
	s.stroke, s.thick = ink, thick
	s.op("%s %s m %s %s l %s %s l %s %s l %s %s l S", n(x+hook*0.08), y(base-high*0.34), n(x+hook*0.28),
		y(base-high*0.42),
		n(x+hook*0.55), y(base+low), n(x+hook), y(base-high), n(x+hook+w), y(base-high))
	s.op("0 j")
}

// delimited reads what stands between \left and \right and makes the signs
// around it as tall.
func (m *mathReader) delimited(st mathStyle) (mathBox, error) {
	open, err := m.delimiter()
	if err != nil {
		return mathBox{}, err
	}
	box, err := m.row(st, `\right`)
	if err != nil || m.at >= len(m.src) {
		return box, errMath
	}
	m.at += len(`\right`)
	end, err := m.delimiter()
	if err != nil {
		return box, err
	}
	parts := []mathBox{box}
	if open != '.' {
		left, err := m.tall(open, box, st)
		if err != nil {
			return box, err
		}
		parts = append([]mathBox{left}, parts...)
	}
	if end != '.' {
		right, err := m.tall(end, box, st)
		if err != nil {
			return box, err
		}
		parts = append(parts, right)
	}
	return beside(parts), nil
}

func (m *mathReader) delimiter() (rune, error) {
	m.skip()
	c := m.peek()
	if c == '\\' {
		c = mathSigns[m.command()]
	} else {
		m.at++
	}
	if c == 0 || !strings.ContainsRune("()[]{}|.⟨⟩⌊⌋⌈⌉∥<>/", c) {
		return 0, errMath
	}
	return c, nil
}

// tall stretches a sign to the height of what it stands beside.
func (m *mathReader) tall(c rune, beside mathBox, st mathStyle) (mathBox, error) {
	box, err := m.glyph(c, st, m.s.fonts.serif)
	if err != nil {
		return box, err
	}
	axis := st.size * mathAxis
	reach := max(beside.up-axis, beside.down+axis) + st.size*0.06
	scale := min(2*reach/max(box.up+box.down, 0.01), 12)
	if scale <= 1.05 {
		return box, nil
	}
	middle := (box.up - box.down) / 2
	out := box
	out.up, out.down = axis+reach, reach-axis
	out.draw = func(x, base float64) {
		m.s.stretched(base-axis, scale, func() { box.draw(x, base-axis+middle) })
	}
	return out, nil
}

// large sets a sign such as a sum's, centred on the axis.
func (m *mathReader) large(c rune, st mathStyle) (mathBox, error) {
	big := st
	big.size *= 1.2
	if st.display {
		big.size = st.size * 1.6
	}
	box, err := m.glyph(c, big, m.s.fonts.symbols)
	if err != nil {
		return box, err
	}
	shift := (box.up-box.down)/2 - st.size*mathAxis
	out := box
	out.up, out.down = box.up-shift, box.down+shift
	out.draw = func(x, base float64) { box.draw(x, base+shift) }
	return out, nil
}

// accented sets a sign, or a line where it is 0, over a part.
func (m *mathReader) accented(c rune, st mathStyle, below bool) (mathBox, error) {
	box, err := m.argument(st)
	if err != nil {
		return box, err
	}
	out, gap, thick := box, st.size*0.12, max(st.size*0.05, 0.4)
	if c == 0 {
		out.draw = func(x, base float64) {
			box.draw(x, base)
			y := base - box.up - gap
			if below {
				y = base + box.down + gap
			}
			m.s.line(x, y, x+box.w, y, ink, thick)
		}
		if below {
			out.down += gap + thick
		} else {
			out.up += gap + thick
		}
		return out, nil
	}
	sign, err := m.glyph(c, st, m.s.fonts.serif)
	if err != nil {
		return box, err
	}
	lift := box.up + st.size*0.08 + sign.down // the sign's lowest point lies just above the part
	out.up = lift + sign.up
	out.draw = func(x, base float64) {
		box.draw(x, base)
		sign.draw(x+(box.w-sign.w)/2+st.size*0.05, base-lift)
	}
	return out, nil
}
