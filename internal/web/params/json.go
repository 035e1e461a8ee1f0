package params

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Bounds on what a JSON text may hold, so that a small body cannot become a
// large tree or a deep stack.
const (
	maxDepth     = 32
	maxJSONNodes = 100_000
	manyMembers  = 16 // from here on duplicate keys are found with a map
)

// parser reads JSON strictly: RFC 8259, no duplicate keys, no lone surrogates,
// bounded. Strings without escapes share the memory of the text.
type parser struct {
	src   string
	at    int
	nodes int
	depth int
	trail trail
	base  int // steps of the trail that lead to the text itself
}

// parseJSON reads one JSON value and nothing after it. Names in its faults
// begin with those of the trail.
func parseJSON(src string, at trail) (node, error) {
	p := parser{src: src, trail: at, base: len(at)}
	p.space()
	n, err := p.value()
	if err != nil {
		return node{}, err
	}
	if p.space(); p.at < len(p.src) {
		return node{}, p.syntax("text after the end of the JSON value")
	}
	return n, nil
}

func (p *parser) syntax(what string) error {
	if p.base == 0 {
		return fault.New(fault.Invalid, "the body is not valid JSON: %s at byte %d", what, p.at+1)
	}
	return fault.Field(fault.Invalid, printable(p.trail[:p.base].String()), "is not valid JSON: %s at byte %d",
		what, p.at+1)
}

func (p *parser) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end. A NUL in the text itself fits no
// production, so the two need not be told apart.
func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

func (p *parser) take(c byte) bool {
	if p.peek() != c || p.at >= len(p.src) {
		return false
	}
	p.at++
	return true
}

func (p *parser) value() (node, error) {
	if p.nodes++; p.nodes > maxJSONNodes {
		return node{}, fault.New(fault.Invalid, "the JSON holds more than %d values", maxJSONNodes)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.nested((*parser).object)
	case c == '[':
		return p.nested((*parser).list)
	case c == '"':
		s, err := p.string()
		return node{kind: isString, text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return p.word()
}

func (p *parser) word() (node, error) {
	for _, w := range [...]struct {
		text string
		kind kind
	}{{"true", isBool}, {"false", isBool}, {"null", isNull}} {
		if strings.HasPrefix(p.src[p.at:], w.text) {
			p.at += len(w.text)
			return node{kind: w.kind, text: w.text}, nil
		}
	}
	if p.at >= len(p.src) {
		return node{}, p.syntax("it ends too early")
	}
	return node{}, p.syntax("a value is expected")
}

func (p *parser) nested(read func(*parser) (node, error)) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return node{}, fault.New(fault.Invalid, "the JSON is nested more than %d deep", maxDepth)
	}
	p.at++
	n, err := read(p)
	p.depth--
	return n, err
}

func (p *parser) list() (node, error) {
	n := node{kind: isList}
	p.space()
	if p.take(']') {
		return n, nil
	}
	for {
		p.trail = append(p.trail, step{index: len(n.kids)})
		p.space()
		kid, err := p.value()
		if err != nil {
			return node{}, err
		}
		p.trail = p.trail[:len(p.trail)-1]
		n.kids = append(n.kids, member{node: kid})
		if p.space(); p.take(']') {
			return n, nil
		}
		if !p.take(',') {
			return node{}, p.syntax("a comma or ] is expected")
		}
	}
}

func (p *parser) object() (node, error) {
	n := node{kind: isObject}
	p.space()
	if p.take('}') {
		return n, nil
	}
	var seen map[string]bool
	for {
		p.space()
		name, err := p.key()
		if err != nil {
			return node{}, err
		}
		p.trail = append(p.trail, step{name: name})
		if seen = n.seen(seen); seen[name] || seen == nil && n.member(name) != nil {
			return node{}, fault.Field(fault.Invalid, printable(p.trail.String()), "is given twice")
		}
		kid, err := p.value()
		if err != nil {
			return node{}, err
		}
		p.trail = p.trail[:len(p.trail)-1]
		n.kids = append(n.kids, member{name, kid})
		if seen != nil {
			seen[name] = true
		}
		if p.space(); p.take('}') {
			return n, nil
		}
		if !p.take(',') {
			return node{}, p.syntax("a comma or } is expected")
		}
	}
}

// seen is the names of n's members once there are many, nil before.
func (n *node) seen(have map[string]bool) map[string]bool {
	if have != nil || len(n.kids) < manyMembers {
		return have
	}
	have = make(map[string]bool, 2*manyMembers)
	for i := range n.kids {
		have[n.kids[i].name] = true
	}
	return have
}

// key reads a name, its colon and the space behind it.
func (p *parser) key() (string, error) {
	if p.peek() != '"' {
		return "", p.syntax("a name in quotes is expected")
	}
	name, err := p.string()
	if err != nil {
		return "", err
	}
	if p.space(); !p.take(':') {
		return "", p.syntax("a colon is expected")
	}
	p.space()
	return name, nil
}

func (p *parser) number() (node, error) {
	start := p.at
	p.take('-')
	if !p.take('0') && !p.digits() {
		return node{}, p.syntax("a digit is expected")
	}
	if p.take('.') && !p.digits() {
		return node{}, p.syntax("a digit is expected")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return node{}, p.syntax("a digit is expected")
		}
	}
	return node{kind: isNumber, text: p.src[start:p.at]}, nil
}

func (p *parser) digits() bool {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}

// string reads a string, from one quote to the other.
func (p *parser) string() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			s := p.src[start:p.at]
			p.at++
			return s, p.check(s)
		case c == '\\':
			return p.escaped(start)
		case c < ' ' && c != 0: // NUL is left for check, which says so
			return "", p.syntax("a control character in a string")
		}
		p.at++
	}
	return "", p.syntax("a string without end")
}

// escaped reads on from the first backslash of a string that began at start.
func (p *parser) escaped(start int) (string, error) {
	out := append(make([]byte, 0, p.at-start+32), p.src[start:p.at]...)
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return string(out), p.check(string(out))
		case c == '\\':
			r, ok := p.escape()
			if !ok {
				return "", p.syntax("a wrong escape in a string")
			}
			out = utf8.AppendRune(out, r)
		case c < ' ' && c != 0:
			return "", p.syntax("a control character in a string")
		default:
			out = append(out, c)
			p.at++
		}
	}
	return "", p.syntax("a string without end")
}

// escape reads one escape. Half a surrogate pair stands for no character and
// is refused.
func (p *parser) escape() (rune, bool) {
	const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if p.at++; p.take('u') {
		r, ok := p.hex4()
		if !ok || !utf16.IsSurrogate(r) {
			return r, ok
		}
		if !p.take('\\') || !p.take('u') {
			return 0, false
		}
		low, ok := p.hex4()
		r = utf16.DecodeRune(r, low)
		return r, ok && r != utf8.RuneError
	}
	i := strings.IndexByte(plain, p.peek())
	if i < 0 {
		return 0, false
	}
	p.at++
	return rune(means[i]), true
}

func (p *parser) hex4() (rune, bool) {
	if len(p.src)-p.at < 4 {
		return 0, false
	}
	digits := p.src[p.at : p.at+4]
	n, err := strconv.ParseUint(digits, 16, 16)
	p.at += 4
	return rune(n), err == nil
}

// check refuses a string that is not UTF-8 or holds NUL, under its name.
func (p *parser) check(s string) error {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return nil
	}
	name := p.trail.String()
	if name == "" {
		name = s
	}
	return checkStorable(name, s)
}
