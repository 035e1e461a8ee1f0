// Package bounds holds what limits are said in: sizes in the units people know, and what fits on
// one line or on several, so that whatever shows or sends a text later cannot be made to say more
// than it does.
package bounds

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Trim trims what somebody wrote into a field. It refuses with fault.Invalid what is empty then,
// and what has more characters than fit.
func Trim(field, text string, most int) (string, error) {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		return "", fault.Field(fault.Invalid, field, "may not be empty")
	case n > most:
		return "", fault.Field(fault.Invalid, field, "has %d characters: the limit is %d", n, most)
	}
	return text, nil
}

// FitsLines tells whether a text of several lines is free of control characters
// but line breaks and tabs.
func FitsLines(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// FitsOneLine tells whether a text is free of control characters, of line and paragraph
// separators, and of marks that turn the direction of what follows them.
func FitsOneLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}
