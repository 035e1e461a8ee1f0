package pdf

import (
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// Text written from the right is put in the order it is seen by the Unicode
// bidirectional algorithm. Of its rules those for explicit directions are not
// needed: such characters are drawn as visible marks. The library tells the
// class of each character; it does not give levels, without which numbers
// within text from the right cannot be told from text around it.

// fromRight tells whether a letter is written from the right.
func fromRight(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

func hasRight(s string) bool {
	return !isASCII(s) && strings.ContainsFunc(s, fromRight)
}

// startsRight tells whether the first letter with a direction is one from the
// right, which makes its paragraph one.
func startsRight(s string) bool {
	if !hasRight(s) {
		return false
	}
	for _, r := range s {
		switch class(r) {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}

// class is a character's bidirectional class; marks are read as Latin letters.
func class(r rune) bidi.Class {
	if r == joiner || r == parter {
		return bidi.NSM
	}
	if treat(r) == asMark {
		return bidi.L
	}
	p, _ := bidi.LookupRune(r)
	if c := p.Class(); c <= bidi.AL {
		return c
	}
	return bidi.ON
}

// stretch is a part of a line that runs one way.
type stretch struct {
	from, to int
	level    int
}

func (s stretch) right() bool { return s.level%2 == 1 }

// visualOrder cuts a line into stretches and puts them in the order they are
// seen from left to right. base is 1 in a paragraph written from the right.
func visualOrder(rs []rune, base int) []stretch {
	var out []stretch
	highest := 0
	for i, l := range levels(rs, base) {
		if n := len(out); n > 0 && out[n-1].level == l {
			out[n-1].to = i + 1
		} else {
			out = append(out, stretch{i, i + 1, l})
		}
		highest = max(highest, l)
	}
	for l := highest; l >= 1; l-- {
		for i := 0; i < len(out); i++ {
			j := i
			for j < len(out) && out[j].level >= l {
				j++
			}
			reverse(out[i:j])
			i = max(i, j-1)
		}
	}
	return out
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// levels gives each character its embedding level.
func levels(rs []rune, base int) []int {
	own := make([]bidi.Class, len(rs))
	for i, r := range rs {
		own[i] = class(r)
	}
	side := bidi.L
	if base == 1 {
		side = bidi.R
	}
	cs := append([]bidi.Class(nil), own...)
	weak(cs, side)
	brackets(rs, cs, side)
	neutral(cs, side)
	out := make([]int, len(rs))
	for i, c := range cs {
		out[i] = base
		switch {
		case c == bidi.R && base == 0, c == bidi.L && base == 1:
			out[i]++
		case c == bidi.EN || c == bidi.AN:
			out[i] += 2 - base
		}
	}
	trailing := true
	for i := len(rs) - 1; i >= 0; i-- {
		trailing = trailing && own[i] == bidi.WS || own[i] == bidi.S || own[i] == bidi.B
		if trailing {
			out[i] = base
		}
	}
	return out
}

// weak resolves numbers and what belongs to them (rules W1 to W7).
func weak(cs []bidi.Class, side bidi.Class) {
	strong, last := side, side
	for i, c := range cs {
		switch c {
		case bidi.NSM:
			cs[i] = last
		case bidi.L, bidi.R, bidi.AL:
			strong = c
		case bidi.EN:
			if strong == bidi.AL {
				cs[i] = bidi.AN
			}
		}
		last = cs[i]
	}
	for i, c := range cs {
		if c == bidi.AL {
			cs[i] = bidi.R
		}
	}
	for i := 1; i+1 < len(cs); i++ {
		before, after := cs[i-1], cs[i+1]
		if before == after && (before == bidi.EN && (cs[i] == bidi.ES || cs[i] == bidi.CS) ||
			before == bidi.AN && cs[i] == bidi.CS) {
			cs[i] = before
		}
	}
	terminators(cs)
	strong = side
	for i, c := range cs {
		switch c {
		case bidi.L, bidi.R:
			strong = c
		case bidi.EN:
			if strong == bidi.L {
				cs[i] = bidi.L
			}
		case bidi.ES, bidi.ET, bidi.CS:
			cs[i] = bidi.ON
		}
	}
}

// terminators gives signs such as % and € to the number they stand beside.
func terminators(cs []bidi.Class) {
	for i := 0; i < len(cs); i++ {
		if cs[i] != bidi.ET {
			continue
		}
		j := i
		for j < len(cs) && cs[j] == bidi.ET {
			j++
		}
		if i > 0 && cs[i-1] == bidi.EN || j < len(cs) && cs[j] == bidi.EN {
			for k := i; k < j; k++ {
				cs[k] = bidi.EN
			}
		}
		i = j
	}
}

// direction is the side a resolved class stands for when brackets and neutral
// characters are looked at; ON for neutral ones.
func direction(c bidi.Class) bidi.Class {
	switch c {
	case bidi.L:
		return bidi.L
	case bidi.R, bidi.EN, bidi.AN:
		return bidi.R
	}
	return bidi.ON
}

// brackets gives both of a pair of brackets one direction (rule N0).
func brackets(rs []rune, cs []bidi.Class, side bidi.Class) {
	type open struct {
		at   int
		want rune
	}
	var stack []open
	pairs := map[int]int{}
	for i, r := range rs {
		p, _ := bidi.LookupRune(r)
		if !p.IsBracket() || cs[i] != bidi.ON {
			continue
		}
		if p.IsOpeningBracket() {
			if len(stack) == 63 {
				break
			}
			stack = append(stack, open{i, mirrored(r)})
			continue
		}
		for k := len(stack) - 1; k >= 0; k-- {
			if stack[k].want == r {
				pairs[stack[k].at] = i
				stack = stack[:k]
				break
			}
		}
	}
	for i := range rs {
		if end, ok := pairs[i]; ok {
			pair(cs, i, end, side)
		}
	}
}

func pair(cs []bidi.Class, from, to int, side bidi.Class) {
	found := bidi.ON
	for i := from + 1; i < to && found != side; i++ {
		if d := direction(cs[i]); d != bidi.ON {
			found = d
		}
	}
	if found == bidi.ON {
		return
	}
	if found != side {
		before := side
		for i := from - 1; i >= 0; i-- {
			if d := direction(cs[i]); d != bidi.ON {
				before = d
				break
			}
		}
		if before != found {
			found = side
		}
	}
	cs[from], cs[to] = found, found
}

// neutral gives blanks and signs the direction of what stands around them, or
// the paragraph's (rules N1 and N2).
func neutral(cs []bidi.Class, side bidi.Class) {
	before := side
	for i := 0; i < len(cs); i++ {
		if d := direction(cs[i]); d != bidi.ON {
			before = d
			continue
		}
		j, after := i, side
		for ; j < len(cs); j++ {
			if d := direction(cs[j]); d != bidi.ON {
				after = d
				break
			}
		}
		to := side
		if before == after {
			to = before
		}
		for k := i; k < j; k++ {
			cs[k] = to
		}
		i = j - 1
	}
}

// mirrored is the sign that takes a bracket's place in text from the right.
func mirrored(r rune) rune {
	if p, _ := bidi.LookupRune(r); p.IsBracket() {
		for _, m := range bidi.ReverseString(string(r)) {
			return m
		}
	}
	const signs = "<>«»‹›≤≥≪≫∈∋⊂⊃⊆⊇"
	at := strings.IndexRune(signs, r)
	if at < 0 {
		return r
	}
	list := []rune(signs)
	i := len([]rune(signs[:at]))
	return list[i^1]
}
