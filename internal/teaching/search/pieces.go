package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/people/ident"
)

// Piece is a part of a text: the beginning of a word that was asked for, or what stands
// between two of these.
type Piece struct {
	Text string
	Hit  bool
}

// Pieces parts a text where its words begin as those of a query do.
func Pieces(text, asked string) (out []Piece) {
	words := newQuery(asked).words
	from, inside := 0, false
	for i, r := range text {
		ofWord := unicode.IsLetter(r) || unicode.IsDigit(r) || inside && unicode.IsMark(r)
		if ofWord && !inside {
			if n := begun(text[i:], words); n > 0 {
				if from < i {
					out = append(out, Piece{text[from:i], false})
				}
				out, from = append(out, Piece{text[i : i+n], true}), i+n
			}
		}
		inside = ofWord
	}
	if from < len(text) {
		out = append(out, Piece{text[from:], false})
	}
	return out
}

// begun gives how many bytes at the beginning of a text stand for the longest of some words
// that begins it; none: 0. Accents that follow a letter belong to it.
func begun(text string, words []string) (n int) {
	before := ""
	for end, open := 0, true; open && end < len(text); {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		plain := ident.Plain(text[:end])
		open = plain == before && n == end-size // an accent
		if open {
			n = end
		}
		for _, w := range words {
			if strings.HasPrefix(plain, w) && !strings.HasPrefix(before, w) {
				n = end
			}
			open = open || strings.HasPrefix(w, plain) || plain == w
		}
		before = plain
	}
	return n
}
