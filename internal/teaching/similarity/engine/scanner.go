package engine

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// scanner walks over a text and collects tokens. Every method moves pos
// forward or leaves it; no lexer goes back, so each takes time linear in the text.
type scanner struct {
	src   []byte
	pos   int
	seen  int // the lines before this byte are counted
	line  uint32
	limit int
	out   []token
	notes []note
	begin bool // the next token begins a statement
	depth int  // of brackets, where the end of a line may end a statement
}

func (s *scanner) more() bool { return s.pos < len(s.src) && len(s.out) < s.limit }

// at gives the byte i places ahead, 0 beyond the end.
func (s *scanner) at(i int) byte {
	if s.pos+i < len(s.src) {
		return s.src[s.pos+i]
	}
	return 0
}

func (s *scanner) has(prefix string) bool {
	return len(s.src)-s.pos >= len(prefix) && string(s.src[s.pos:s.pos+len(prefix)]) == prefix
}

// lineAt counts lines up to a byte; bytes are asked for in rising order.
func (s *scanner) lineAt(to int) uint32 {
	for ; s.seen < to; s.seen++ {
		if s.src[s.seen] <= '\r' && breaksLine(s.src, s.seen) {
			s.line++
		}
	}
	return s.line
}

// breaksLine tells whether the byte ends a line: \n, or \r not followed by \n.
func breaksLine(src []byte, i int) bool {
	return src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n')
}

// emit makes a token of the bytes from start to pos, unless it does not count.
func (s *scanner) emit(start int, norm uint32) {
	if norm == 0 {
		s.ends(start)
		return
	}
	s.emitAs(start, norm, hash(s.src[start:s.pos]))
}

func (s *scanner) emitAs(start int, norm, text uint32) {
	first := s.lineAt(start)
	last := s.lineAt(max(start, s.pos-1))
	s.out = append(s.out, token{norm: norm, text: text,
		start: uint32(start), end: uint32(s.pos), line: first, last: last, begins: s.begin})
	s.begin = false
}

// skipTo moves behind the next end, or to the end of the text.
func (s *scanner) skipTo(end string) {
	if i := bytes.Index(s.src[s.pos:], []byte(end)); i >= 0 {
		s.pos += i + len(end)
	} else {
		s.pos = len(s.src)
	}
}

// skipLine moves to the end of the line, which it leaves standing. With
// continued set, a backslash before the end carries on with the next line.
func (s *scanner) skipLine(continued bool) {
	for s.pos < len(s.src) && s.src[s.pos] != '\n' && s.src[s.pos] != '\r' {
		if continued && s.src[s.pos] == '\\' {
			s.pos++
			if s.at(0) == '\r' && s.at(1) == '\n' {
				s.pos++
			}
		}
		s.pos++
	}
	s.pos = min(s.pos, len(s.src))
}

// quoted moves behind a string that starts at pos with quote. A string of one
// line ends with its line, closed or not.
func (s *scanner) quoted(quote byte, lines bool) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == quote:
			s.pos++
			return
		case c == '\\':
			s.pos++
		case !lines && (c == '\n' || c == '\r'):
			return
		}
	}
	s.pos = len(s.src)
}

// name moves behind a name that starts at pos.
func (s *scanner) name() {
	for s.pos < len(s.src) {
		n := nameByte(s.src[s.pos:])
		if n == 0 {
			return
		}
		s.pos += n
	}
}

// number moves behind a number: digits, letters, points and signs of exponents.
func (s *scanner) number() {
	hex := s.at(0) == '0' && (s.at(1)|0x20) == 'x'
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		sign := (c == '+' || c == '-') && !hex && (s.src[s.pos-1]|0x20) == 'e'
		if !sign && !isDigit(c) && !isLetter(c) && c != '.' && c != '_' {
			return
		}
		s.pos++
	}
}

// nameByte tells how many bytes at the start of b carry on a name; 0 for none.
func nameByte(b []byte) int {
	c := b[0]
	if c < utf8.RuneSelf {
		if isLetter(c) || isDigit(c) || c == '_' || c == '$' {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) {
		return n
	}
	return 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// operator moves behind the longest operator at pos, at least one character.
func (s *scanner) operator() {
	for _, op := range operators[s.src[s.pos]] {
		if s.has(op) {
			s.pos += len(op)
			return
		}
	}
	_, n := utf8.DecodeRune(s.src[s.pos:])
	s.pos += n
}

// operators of more than one byte, longest first, by their first byte.
var operators = func() (out [256][]string) {
	for _, op := range []string{
		">>>=", "<<=", ">>=", ">>>", "===", "!==", "**=", "//=", "...", "&&=", "||=", "??=", "<=>", "->*",
		"==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
		"<<", ">>", "->", "=>", "::", "??", "?.", "**", "//", ":=", "..",
	} {
		out[op[0]] = append(out[op[0]], op)
	}
	return out
}()
