package sheet

import (
	"strings"
	"unicode"
)

// guarded tells whether a spreadsheet may take the text for a formula once
// its leading apostrophes are gone: it begins with = + - @ (also full width,
// also after blanks) or with a tab or line end.
func guarded(s string) bool {
	s = strings.TrimLeft(s, "'")
	if s == "" {
		return false
	}
	if s[0] == '\t' || s[0] == '\r' || s[0] == '\n' {
		return true
	}
	for _, c := range s {
		if !unicode.IsSpace(c) {
			return strings.ContainsRune("=+-@＝＋－＠", c)
		}
	}
	return false
}

// guard puts an apostrophe before every text that is guarded, negative
// numbers included: one rule without exceptions can be undone exactly.
func guard(s string) string {
	if guarded(s) {
		return "'" + s
	}
	return s
}

// unguard undoes guard, for any text. An apostrophe that guards nothing, as
// in 'Aho, stays.
func unguard(s string) string {
	if strings.HasPrefix(s, "'") && guarded(s) {
		return s[1:]
	}
	return s
}
