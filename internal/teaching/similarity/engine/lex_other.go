package engine

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

var pythonWords = words(` def class if elif=if else for=loop while=loop in not and or is return break continue pass
 import from as with try except finally raise lambda global nonlocal yield del assert True=bool False=bool None=null
 async await match case`)

// python cuts up Python. Indentation is no token: the words say enough.
func (s *scanner) python() {
	for s.more() {
		c, start := s.src[s.pos], s.pos
		switch {
		case c <= ' ' || c == '\\':
			s.newLine(c)
			s.pos++
		case c == '#':
			s.noteLine(1)
		case s.pythonString(c):
			if !s.docString(start) {
				s.emit(start, normString)
			} else {
				s.noted(start+3, s.pos-3)
			}
		case isDigit(c) || c == '.' && isDigit(s.at(1)):
			s.number()
			s.emit(start, normNumber)
		case nameByte(s.src[s.pos:]) > 0:
			s.name()
			s.emitName(pythonWords, start)
		default:
			s.bracket(c)
			s.operator()
			s.emit(start, operatorNorm(s.src[start:s.pos]))
		}
	}
}

// pythonString moves behind a string with its prefix (r"", f”, rb"""…"""), if one starts here.
func (s *scanner) pythonString(c byte) bool {
	n := 0
	for n < 2 && isPrefix(s.at(n)) {
		n++
	}
	q := s.at(n)
	if q != '"' && q != '\'' || n > 0 && !isPrefix(c) {
		return false
	}
	s.pos += n
	if s.at(1) == q && s.at(2) == q {
		s.pos += 3
		s.skipTo(string([]byte{q, q, q}))
	} else {
		s.quoted(q, false)
	}
	return true
}

func isPrefix(c byte) bool {
	switch c | 0x20 {
	case 'r', 'f', 'b', 'u':
		return isLetter(c)
	}
	return false
}

// docString tells a string that is a statement of its own, a comment in effect:
// a triple one at the start of its line.
func (s *scanner) docString(start int) bool {
	if c := s.src[start]; c != '"' && c != '\'' || s.pos-start < 6 || s.src[start+1] != c || s.src[start+2] != c {
		return false
	}
	for i := start - 1; i >= 0 && s.src[i] != '\n' && s.src[i] != '\r'; i-- {
		if s.src[i] != ' ' && s.src[i] != '\t' {
			return false
		}
	}
	return len(s.out) == 0 || !bytes.ContainsRune([]byte("=(,[+"), rune(s.src[s.out[len(s.out)-1].end-1]))
}

// generic cuts up any other text: names, numbers, strings of one line, signs.
// It passes over what most languages write as comments.
func (s *scanner) generic() {
	for s.more() {
		c, start := s.src[s.pos], s.pos
		switch {
		case c <= ' ':
			s.newLine(c)
			s.pos++
		case c == '/' && s.at(1) == '/', c == '#' && (s.at(1) == ' ' || s.at(1) == '!'), c == '-' && s.has("-- "):
			s.noteLine(1)
		case c == '/' && s.at(1) == '*':
			s.noteUpTo(2, "*/")
		case c == '<' && s.has("<!--"):
			s.noteUpTo(4, "-->")
		case c == '"' || c == '\'' && s.closesOnLine():
			s.quoted(c, false)
			s.emit(start, normString)
		case isDigit(c):
			s.number()
			s.emit(start, normNumber)
		case nameByte(s.src[s.pos:]) > 0:
			s.name()
			s.emitName(genericWords, start)
		default:
			s.bracket(c)
			s.operator()
			s.emit(start, operatorNorm(s.src[start:s.pos]))
		}
	}
}

// genericWords are the keywords on which most languages agree.
var genericWords = words(` if else elif elsif then end begin do=loop for=loop while=loop until=loop foreach=loop loop
 switch case when match return break continue next function=def func=def fn=def def=def fun=def sub=def proc=def
 procedure=def class struct type interface enum trait impl module import use package require include var=declare
 let=declare const=declare val=declare mut new try catch rescue except finally throw raise true=bool false=bool
 nil=null null=null None=null in of and or not select from where group order by insert update delete create table
 join on -public -private -protected -final`)

// closesOnLine tells a quoted string from an apostrophe or a lifetime.
func (s *scanner) closesOnLine() bool {
	rest := s.src[s.pos+1 : min(len(s.src), s.pos+200)]
	if i := bytes.IndexAny(rest, "'\n\r"); i >= 0 {
		return rest[i] == '\''
	}
	return false
}

// words cuts up a document: runs of letters and digits in small letters. There
// is nothing to normalise away in prose, so both views see the same word.
func (s *scanner) words() {
	for s.more() {
		start := s.pos
		h := s.word()
		if s.pos == start {
			_, n := utf8.DecodeRune(s.src[s.pos:])
			s.pos += n
			continue
		}
		s.emitAs(start, h, h)
	}
}

// word moves behind a word and gives its hash, case aside.
func (s *scanner) word() uint32 {
	h := uint32(2166136261)
	for s.pos < len(s.src) {
		r, n := rune(s.src[s.pos]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s.src[s.pos:])
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) || r == utf8.RuneError {
			break
		}
		h = (h ^ uint32(unicode.ToLower(r))) * 16777619
		s.pos += n
	}
	return max(h, 1)
}
