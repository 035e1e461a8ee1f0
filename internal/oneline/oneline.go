// Package oneline knows what fits on one line: names, titles, codes. Whatever shows
// or sends them later can then not be made to say more than they do.
package oneline

import (
	"strings"
	"unicode"
)

// Fits tells whether a text is free of control characters, of line and paragraph
// separators, and of marks that turn the direction of what follows them.
func Fits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}
