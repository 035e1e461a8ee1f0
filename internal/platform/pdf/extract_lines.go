package pdf

import "math"

func vectorLength(a, b float64) float64 {
	if n := math.Hypot(a, b); n > 0 && n < 1e6 {
		return n
	}
	return 1
}

// em is the height of the letters.
func (s *textState) em() float64 { return max(math.Abs(s.size)*s.scale, 0.1) }

// moved begins a new line or a new word where the pen went elsewhere.
func (x *extractor) moved() {
	s := &x.state
	switch {
	case !s.anyOnLine:
	case math.Abs(s.y-s.lastY) > 0.4*s.em():
		x.newLine()
	case s.x > s.end+0.2*s.em() || s.x < s.end-2*s.em():
		x.space()
	}
	s.end = s.x
}

func (x *extractor) newLine() {
	if x.state.anyOnLine {
		x.out.WriteByte('\n')
	}
	x.state.anyOnLine = false
}

func (x *extractor) space() {
	if b := x.out.Bytes(); len(b) > 0 && b[len(b)-1] != ' ' && b[len(b)-1] != '\n' {
		x.out.WriteByte(' ')
	}
}

// show writes a string in the present font.
func (x *extractor) show(text []byte) {
	s := &x.state
	if s.font == nil || len(text) == 0 {
		return
	}
	words, width := s.font.decode(text)
	x.out.WriteString(words)
	s.end += width * math.Abs(s.size) * s.horizontal
	s.lastY = s.y
	s.anyOnLine = s.anyOnLine || words != ""
}

// showAll writes the strings of TJ. A wide step back between them is a space.
func (x *extractor) showAll(args []operand) {
	for _, a := range args {
		if a.text != nil {
			x.show(a.text)
			continue
		}
		x.state.end -= a.number / 1000 * math.Abs(x.state.size) * x.state.horizontal
		if a.number < -200 {
			x.space()
		}
	}
}
