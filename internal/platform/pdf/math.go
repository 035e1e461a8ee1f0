package pdf

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// Formulas are read from the part of LaTeX that students write most: scripts,
// fractions, roots, sums, integrals, Greek and the common signs. Whatever else
// a formula holds makes all of it be shown as its source.

// mathBox is a part of a formula: its size around the baseline, and how to
// draw it with its left end at x.
type mathBox struct {
	w, up, down float64
	draw        func(x, base float64)
}

// mathClass decides the blanks around a part.
type mathClass int

const (
	ordinary mathClass = iota
	between
	relation
	operator
	opening
	closing
	comma
)

// mathStyle is how a part is set.
type mathStyle struct {
	size    float64
	display bool  // a formula on its own line: sums are large, limits stand above and below
	script  bool  // within a script: no blanks around signs
	upright *face // for letters, instead of the italic
}

func (st mathStyle) smaller() mathStyle {
	st.size, st.display, st.script = max(st.size*0.7, 4), false, true
	return st
}

const (
	mathAxis    = 0.26 // of the size: where the line of a fraction is
	mathLongest = 2000 // characters of one formula
	mathDeepest = 24
)

var errMath = errors.New("not a formula that can be set")

type mathReader struct {
	s     *pageWriter
	src   []rune
	at    int
	depth int
}

// parseMath sets a formula, or fails where it holds what is not known.
func (s *pageWriter) parseMath(src string, size float64, display bool) (mathBox, error) {
	m := &mathReader{s: s, src: []rune(src)}
	if len(m.src) > mathLongest {
		return mathBox{}, errMath
	}
	box, err := m.row(mathStyle{size: size, display: display}, "")
	if err == nil && m.at < len(m.src) {
		err = errMath
	}
	return box, err
}

// layoutMath sets a formula; one that cannot be set is its source.
func (s *pageWriter) layoutMath(src string, size float64, display bool) mathBox {
	box, err := s.parseMath(src, size, display)
	if err == nil {
		return box
	}
	sp := Span{Text: src, Mono: true}
	return mathBox{w: s.width(size, sp), up: size * 0.8, down: size * 0.25,
		draw: func(x, base float64) { s.text(x, base, size, sp) }}
}

// formula draws a formula within a line; its source is what is copied.
func (s *pageWriter) formula(x, base, size float64, sp Span) float64 {
	box := s.layoutMath(sp.Text, size, false)
	s.drawFormula(box, x, base, sp.Text)
	return box.w
}

func (s *pageWriter) drawFormula(box mathBox, x, base float64, source string) {
	s.op("/Span <</ActualText <%s>>> BDC", utf16Hex(source))
	box.draw(x, base)
	s.op("EMC")
}

func (m *mathReader) peek() rune {
	if m.at < len(m.src) {
		return m.src[m.at]
	}
	return 0
}

// skip passes over blanks.
func (m *mathReader) skip() {
	for unicode.IsSpace(m.peek()) {
		m.at++
	}
}

// command reads a name behind a backslash: letters, or one other sign.
func (m *mathReader) command() string {
	m.at++ // the backslash
	start := m.at
	for m.at < len(m.src) && (m.src[m.at] >= 'a' && m.src[m.at] <= 'z' || m.src[m.at] >= 'A' && m.src[m.at] <= 'Z') {
		m.at++
	}
	if m.at == start && m.at < len(m.src) {
		m.at++
	}
	return string(m.src[start:m.at])
}

// row reads parts side by side until the closing sign, which it leaves.
func (m *mathReader) row(st mathStyle, until string) (mathBox, error) {
	if m.depth++; m.depth > mathDeepest {
		return mathBox{}, errMath
	}
	defer func() { m.depth-- }()
	var parts []mathBox
	last := opening
	for {
		m.skip()
		if m.at >= len(m.src) || until != "" && strings.HasPrefix(string(m.src[m.at:min(m.at+6, len(m.src))]), until) {
			return beside(parts), nil
		}
		box, class, err := m.scripted(st)
		if err != nil {
			return mathBox{}, err
		}
		if class == between && (last == between || last == relation || last == opening || last == operator ||
			last == comma) {
			class = ordinary // a sign before a number, not one between two
		}
		parts = append(parts, blank(space(last, class, st)), box)
		last = class
	}
}

// space is the blank between two parts.
func space(left, right mathClass, st mathStyle) float64 {
	switch {
	case st.script:
		return 0
	case left == relation && right == relation, left == opening, right == closing:
		return 0
	case left == relation || right == relation:
		return st.size * 0.28
	case left == between || right == between:
		return st.size * 0.22
	case left == comma, left == operator && right != opening, right == operator && left != opening:
		return st.size * 0.17
	}
	return 0
}

func blank(w float64) mathBox { return mathBox{w: w, draw: func(float64, float64) {}} }

func beside(parts []mathBox) mathBox {
	var out mathBox
	for _, p := range parts {
		out.w += p.w
		out.up, out.down = max(out.up, p.up), max(out.down, p.down)
	}
	out.draw = func(x, base float64) {
		for _, p := range parts {
			p.draw(x, base)
			x += p.w
		}
	}
	return out
}

// scripted reads one part with what is set above and below its end.
func (m *mathReader) scripted(st mathStyle) (mathBox, mathClass, error) {
	box, class, limits, err := m.part(st)
	if err != nil {
		return box, class, err
	}
	if m.skip(); m.peek() == '\\' && strings.HasPrefix(string(m.src[m.at:min(m.at+7, len(m.src))]), `\limits`) {
		m.at += len(`\limits`)
	}
	var over, under *mathBox
	for {
		m.skip()
		c := m.peek()
		if c == '\'' {
			primes, err := m.primes(st)
			if err != nil || over != nil || under != nil {
				return box, class, errMath
			}
			box = beside([]mathBox{box, blank(st.size * 0.06), primes})
			continue
		}
		if c != '^' && c != '_' {
			break
		}
		m.at++
		got, err := m.argument(st.smaller())
		slot := &over
		if c == '_' {
			slot = &under
		}
		if err != nil || *slot != nil {
			return box, class, errMath
		}
		*slot = &got
	}
	switch {
	case over == nil && under == nil:
		return box, class, nil
	case limits && st.display:
		return stacked(box, over, under, st), class, nil
	}
	return withScripts(box, over, under, st), class, nil
}

// primes sets the strokes of derivatives, which the font has raised already.
func (m *mathReader) primes(st mathStyle) (mathBox, error) {
	st.size *= 0.9
	var parts []mathBox
	for m.peek() == '\'' {
		m.at++
		box, err := m.glyph('′', st, nil)
		if err != nil {
			return box, err
		}
		parts = append(parts, box)
	}
	return beside(parts), nil
}

// argument is what a command or script applies to: a group or one part.
func (m *mathReader) argument(st mathStyle) (mathBox, error) {
	m.skip()
	switch c := m.peek(); {
	case c == '{':
		return m.group(st)
	case c >= '0' && c <= '9': // one digit, as in \frac12
		m.at++
		return m.glyph(c, st, nil)
	}
	box, _, _, err := m.part(st)
	return box, err
}

func (m *mathReader) group(st mathStyle) (mathBox, error) {
	m.at++
	box, err := m.row(st, "}")
	if err == nil && m.peek() != '}' {
		err = errMath
	}
	m.at++
	return box, err
}

// part reads the smallest thing: a letter, a number, a group, a command.
func (m *mathReader) part(st mathStyle) (box mathBox, class mathClass, limits bool, err error) {
	if m.depth++; m.depth > mathDeepest {
		return box, 0, false, errMath
	}
	defer func() { m.depth-- }()
	switch c := m.peek(); {
	case c == 0 || strings.ContainsRune("}^_&#%$~", c):
		return box, 0, false, errMath
	case c == '{':
		box, err = m.group(st)
		return box, ordinary, false, err
	case c == '\\':
		return m.commanded(st, m.command())
	case c >= '0' && c <= '9' || c == '.':
		start := m.at
		for c := m.peek(); c >= '0' && c <= '9' || c == '.'; c = m.peek() {
			m.at++
		}
		box, err = m.words(string(m.src[start:m.at]), st, m.s.fonts.serif)
		return box, ordinary, false, err
	default:
		m.at++
		return m.sign(c, st)
	}
}

// sign sets one character.
func (m *mathReader) sign(c rune, st mathStyle) (mathBox, mathClass, bool, error) {
	class, f := ordinary, m.s.fonts.serif
	switch {
	case strings.ContainsRune("+*∗·×÷±∓∪∩∧∨∘⊕⊗∖", c):
		class = between
	case strings.ContainsRune("=<>:≤≥≠≈≡∼≃≅∝∈∉∋⊂⊃⊆⊇→←↔⇒⇐⇔↦∣∥⊥⊢⊨≪≫", c):
		class = relation
	case strings.ContainsRune("([⟨⌊⌈", c):
		class = opening
	case strings.ContainsRune(")]⟩⌋⌉!", c):
		class = closing
	case c == ',' || c == ';':
		class = comma
	case c == '-':
		c, class = '−', between
	case unicode.IsLetter(c) && !unicode.IsUpper(c) || c < 0x7f && unicode.IsLetter(c):
		f = m.s.fonts.serifItalic
	}
	if c == '*' {
		c = '∗'
	}
	if st.upright != nil && unicode.IsLetter(c) {
		f = st.upright
	}
	box, err := m.glyph(c, st, f)
	return box, class, false, err
}

// glyph sets one character in a face, or in one that has it.
func (m *mathReader) glyph(c rune, st mathStyle, f *face) (mathBox, error) {
	if f == nil {
		f = m.s.fonts.serif
	}
	if treat(c) != asGlyph {
		return mathBox{}, errMath
	}
	if f = m.s.fonts.find(f, c); f == nil || !has(f, c) {
		return mathBox{}, errMath
	}
	p := piece{face: f, text: string(c)}
	_, y1, _, y2 := f.font.box(f.metric(c).glyph)
	return mathBox{w: p.width(st.size), up: y2 * st.size, down: -y1 * st.size, draw: func(x, base float64) {
		text, _ := p.glyphs(st.size, 0)
		m.s.show(f, x, base, st.size, ink, text, "")
	}}, nil
}

// words sets upright text, as of numbers and names of functions.
func (m *mathReader) words(text string, st mathStyle, f *face) (mathBox, error) {
	var parts []mathBox
	for _, c := range text {
		if c == ' ' {
			parts = append(parts, blank(st.size*0.25))
			continue
		}
		box, err := m.glyph(c, st, f)
		if err != nil {
			return box, err
		}
		parts = append(parts, box)
	}
	return beside(parts), nil
}

// braced reads the plain text of an argument.
func (m *mathReader) braced() (string, error) {
	m.skip()
	if m.peek() != '{' {
		return "", errMath
	}
	start := m.at + 1
	for m.at++; m.at < len(m.src); m.at++ {
		switch m.src[m.at] {
		case '}':
			m.at++
			return string(m.src[start : m.at-1]), nil
		case '{', '\\', '$':
			return "", errMath
		}
	}
	return "", errMath
}

// mathBlank reads the width of a command that only makes room, in ems.
func mathBlank(name string) (float64, bool) {
	w, ok := map[string]string{",": "0.17", ":": "0.22", ";": "0.28", "!": "-0.17", " ": "0.25",
		"quad": "1", "qquad": "2"}[name]
	v, _ := strconv.ParseFloat(w, 64)
	return v, ok
}
