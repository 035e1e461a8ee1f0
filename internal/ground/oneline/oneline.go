// Package oneline knows what fits on one line: names, titles, codes; and what of it
// may stand in a text of several lines. Whatever shows
// or sends them later can then not be made to say more than they do.
package oneline

import (
	"strings"
	"unicode"
)

// FitsLines tells whether a text of several lines is free of control characters
// but line breaks and tabs.
func FitsLines(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// Fits tells whether a text is free of control characters, of line and paragraph
// separators, and of marks that turn the direction of what follows them.
func Fits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}
