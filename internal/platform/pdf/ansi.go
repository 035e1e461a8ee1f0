package pdf

import (
	"regexp"
	"strconv"
	"strings"
)

var escapes = regexp.MustCompile("\x1b(?:\\[([0-9;:?]*)([@-~])|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// The sixteen colours of terminals, made dark enough for white paper.
var terminal = [16]RGB{
	0x1f2933, 0xb3261e, 0x1b7a43, 0x8a6100, 0x1d4f9c, 0x8e2f8a, 0x0e7490, 0x66707c,
	0x66707c, 0xd0342c, 0x2a9355, 0xa87900, 0x2f6fd6, 0xa94ba5, 0x1590b0, 0x3e4c59,
}

// ansiLines reads the output of a terminal program: colours and weight are
// kept, a line overwritten by a carriage return shows its last state, other
// control sequences vanish.
func ansiLines(text string, style Span) [][]Span {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	b, base := lineBuilder{}, style
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.add(style, "\n")
		}
		if at := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); at >= 0 {
			line = line[at+1:]
		}
		line = strings.TrimRight(line, "\r")
		for line != "" {
			m := escapes.FindStringSubmatchIndex(line)
			if m == nil {
				b.add(style, line)
				break
			}
			b.add(style, line[:m[0]])
			if m[4] >= 0 && line[m[4]:m[5]] == "m" {
				style = sgr(style, base, line[m[2]:m[3]])
			}
			line = line[m[1]:]
		}
	}
	return b.finish()
}

// sgr applies one "select graphic rendition" sequence.
func sgr(s, base Span, codes string) Span {
	if codes == "" {
		return base
	}
	parts := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(parts); i++ {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			continue
		}
		switch {
		case n == 0:
			s = base
		case n == 1:
			s.Bold = true
		case n == 3:
			s.Italic = true
		case n == 22:
			s.Bold = false
		case n == 23:
			s.Italic = false
		case n >= 30 && n <= 37:
			s.Color = terminal[n-30]
		case n >= 90 && n <= 97:
			s.Color = terminal[n-90+8]
		case n == 39:
			s.Color = base.Color
		case n == 38 || n == 48:
			color, used := extended(parts[i+1:])
			if n == 38 {
				s.Color = color
			}
			i += used
		}
	}
	return s
}

// extended reads 5;n of 256 colours or 2;r;g;b.
func extended(parts []string) (RGB, int) {
	at := func(i int) int {
		if i >= len(parts) {
			return 0
		}
		n, _ := strconv.Atoi(parts[i])
		return min(max(n, 0), 255)
	}
	switch at(0) {
	case 5:
		return darker(palette(at(1))), 2
	case 2:
		return darker(RGB(at(1)<<16 | at(2)<<8 | at(3))), 4
	}
	return 0, 1
}

func palette(n int) RGB {
	switch {
	case n < 16:
		return terminal[n]
	case n >= 232:
		v := RGB(8 + 10*(n-232))
		return v<<16 | v<<8 | v
	}
	step := func(v int) RGB { return [6]RGB{0, 95, 135, 175, 215, 255}[v%6] }
	n -= 16
	return step(n/36)<<16 | step(n/6)<<8 | step(n)
}

// darker keeps a colour readable on white. Black itself would mean "no colour".
func darker(c RGB) RGB {
	r, g, b := c.parts()
	for 299*r+587*g+114*b > 140_000 {
		r, g, b = r*3/4, g*3/4, b*3/4
	}
	return max(RGB(r<<16|g<<8|b), 1)
}
