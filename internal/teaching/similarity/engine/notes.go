package engine

import (
	"unicode"
	"unicode/utf8"
)

// note is a line of a comment. Nothing is compared of it but whether it is the same.
type note struct {
	hash       uint64 // of its words, in small letters
	size       uint32 // letters and digits
	start, end uint32 // bytes
	line       uint32
	file       uint32 // number of the file
}

// Bounds on comments: of a submission so many lines are kept, and what is longer than
// so many bytes is no line of a comment but something else.
const (
	maxNotes    = 4096
	maxNoteLine = 1000
	minNoteSize = 8
)

// noteLine reads a comment up to the end of its line; skip is the length of its mark.
func (s *scanner) noteLine(skip int) {
	start := s.pos
	s.skipLine(false)
	s.noted(min(start+skip, s.pos), s.pos)
}

// noteUpTo reads a comment up to its closing mark.
func (s *scanner) noteUpTo(skip int, end string) {
	s.pos += skip
	start := s.pos
	s.skipTo(end)
	s.noted(start, s.pos)
}

// noted takes up the lines of a comment.
func (s *scanner) noted(from, upTo int) {
	for from < upTo {
		end := from
		for end < upTo && s.src[end] != '\n' && s.src[end] != '\r' {
			end++
		}
		if len(s.notes) < maxNotes && end-from <= maxNoteLine {
			if h, size := wordsHash(s.src[from:end]); size >= minNoteSize {
				s.notes = append(s.notes, note{hash: h, size: size, start: uint32(from), end: uint32(end),
					line: s.lineAt(from)})
			}
		}
		from = end + 1
	}
}

// wordsHash is of the letters and digits of a line, in small letters, and tells how many
// there are.
func wordsHash(line []byte) (h uint64, size uint32) {
	gap := false
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		line = line[n:]
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && size > 0 {
			h = mix(h*base + ' ')
		}
		gap = false
		h = mix(h*base + uint64(unicode.ToLower(r)))
		size++
	}
	return h, size
}

// ends notes that a statement ends with a sign that makes no token.
func (s *scanner) ends(at int) {
	switch s.src[at] {
	case '{', '}', ';':
		s.begin = true
	}
}

// newLine notes that a statement ends with its line, where no bracket is open.
func (s *scanner) newLine(c byte) {
	if (c == '\n' || c == '\r') && s.depth == 0 {
		s.begin = true
	}
}

// bracket counts the brackets that are open.
func (s *scanner) bracket(c byte) {
	switch c {
	case '(', '[':
		s.depth++
	case ')', ']':
		s.depth = max(0, s.depth-1)
	}
}
