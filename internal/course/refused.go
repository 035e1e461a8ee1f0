package course

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lectern/internal/fault"
)

// refused makes one error of all that is wrong with a record's values, so that
// a person can put everything right at once; nil when nothing is.
func refused(fields map[string]string) error {
	if len(fields) == 0 {
		return nil
	}
	reasons := []string{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		reasons = append(reasons, name+" "+fields[name])
	}
	return &fault.Error{Kind: fault.Refused, Text: strings.Join(reasons, "; "), Fields: fields}
}

// notBlank refuses texts that are given but empty, all at once.
func notBlank(texts map[string]*string) error {
	fields := map[string]string{}
	for name, text := range texts {
		if text != nil && strings.TrimSpace(*text) == "" {
			fields[name] = "may not be blank"
		}
	}
	return refused(fields)
}

// count writes a number of things: 1 unit, 2 units.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
