package course

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// needed notes what is wrong with a text that must be there.
func needed(wrong *fault.Fields, name, text string, most int) {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		wrong.Add(name, "may not be blank")
	case n > most:
		wrong.Add(name, "may have at most %d characters, not %d", most, n)
	}
}

// notBlank refuses texts that are given but empty, all at once.
func notBlank(texts map[string]*string) error {
	var wrong fault.Fields
	for name, text := range texts {
		wrong.When(text != nil && strings.TrimSpace(*text) == "", name, "may not be blank")
	}
	return wrong.Err(fault.Refused)
}

// count writes a number of things: 1 unit, 2 units.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
