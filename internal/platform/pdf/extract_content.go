package pdf

import (
	"bytes"
	"strconv"
)

// operand is what stands before an operator: a number, a name or a string. Those of
// an array stand there one by one, between the names [ and ], which no name can be.
type operand struct {
	number float64
	name   string
	text   []byte
}

// contentLexer cuts a content stream into operators with their operands. It never
// goes back, so it takes time linear in the stream.
type contentLexer struct {
	src  []byte
	pos  int
	args []operand
}

// mostOperands bounds what stands before one operator; more is no drawing.
const mostOperands = 100_000

// next gives the next operator; the operands are in args.
func (l *contentLexer) next() (string, bool) {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case isSpace(c) || c == '{' || c == '}' || c == ')':
			l.pos++
		case c == '[' || c == ']':
			l.pos++
			l.push(operand{name: string(c)})
		case c == '%':
			l.skipLine()
		case c == '/':
			l.pos++
			l.push(operand{name: string(l.word())})
		case c == '(':
			l.push(operand{text: l.literal()})
		case c == '<' && l.at(1) == '<', c == '>':
			l.pos++
			if l.at(0) == c {
				l.pos++
			}
		case c == '<':
			l.push(operand{text: l.hex()})
		case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
			n, _ := strconv.ParseFloat(string(l.word()), 64)
			l.push(operand{number: n})
		default:
			if op := string(l.word()); op == "ID" {
				l.skipImage()
			} else if op != "" {
				return op, true
			}
		}
	}
	return "", false
}

func (l *contentLexer) at(i int) byte {
	if l.pos+i < len(l.src) {
		return l.src[l.pos+i]
	}
	return 0
}

func (l *contentLexer) push(o operand) {
	if len(l.args) < mostOperands {
		l.args = append(l.args, o)
	}
}

func (l *contentLexer) skipLine() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
		l.pos++
	}
}

// word reads up to what ends one; at least a byte, so that nothing stands still.
func (l *contentLexer) word() []byte {
	from := l.pos
	for l.pos < len(l.src) && !isSpace(l.src[l.pos]) && !bytes.ContainsRune([]byte("()<>[]{}/%"),
		rune(l.src[l.pos])) {
		l.pos++
	}
	word := l.src[from:l.pos]
	if len(word) == 0 && (from == 0 || l.src[from-1] != '/') {
		l.pos++
	}
	return word
}

// skipImage passes over the bytes of an image that stands in the stream.
func (l *contentLexer) skipImage() {
	end := bytes.Index(l.src[l.pos:], []byte("EI"))
	for end >= 0 {
		after := l.pos + end + 2
		if isSpace(l.src[l.pos+end-1]) && (after == len(l.src) || isSpace(l.src[after])) {
			l.pos = after
			l.args = l.args[:0]
			return
		}
		next := bytes.Index(l.src[after:], []byte("EI"))
		if next < 0 {
			break
		}
		end += 2 + next
	}
	l.pos = len(l.src)
}

// literal reads a string in parentheses.
func (l *contentLexer) literal() []byte {
	out, depth := []byte{}, 0
	for ; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; c {
		case '(':
			if depth++; depth > 1 {
				out = append(out, c)
			}
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return out
			}
			out = append(out, c)
		case '\\':
			out = l.escape(out)
		default:
			out = append(out, c)
		}
	}
	return out
}

var escapedBytes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escape reads what follows a backslash, up to its last byte.
func (l *contentLexer) escape(out []byte) []byte {
	l.pos++
	c := l.at(0)
	switch {
	case c >= '0' && c <= '7':
		n := 0
		for k := 0; k < 3 && l.at(0) >= '0' && l.at(0) <= '7'; k++ {
			n = n<<3 | int(l.at(0)-'0')
			l.pos++
		}
		l.pos--
		return append(out, byte(n))
	case c == '\r' && l.at(1) == '\n':
		l.pos++
		return out
	case c == '\n' || c == '\r':
		return out
	case escapedBytes[c] != 0:
		return append(out, escapedBytes[c])
	}
	return append(out, c)
}

// hex reads a string of hexadecimal digits.
func (l *contentLexer) hex() []byte {
	l.pos++
	end := bytes.IndexByte(l.src[l.pos:], '>')
	if end < 0 {
		end = len(l.src) - l.pos
	}
	out := hexBytes(string(l.src[l.pos : l.pos+end]))
	l.pos = min(l.pos+end+1, len(l.src))
	if out == nil {
		out = []byte{}
	}
	return out
}

func isSpace(c byte) bool {
	return c == 0 || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}
