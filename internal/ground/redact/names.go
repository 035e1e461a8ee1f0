// Package redact takes the names of people out of texts.
package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortest is the least length of a name that is looked for on its own: shorter
// ones are too often something else.
const shortest = 3

// Person is somebody as texts may name them.
type Person struct {
	First, Last, Username, Email string
	Nickname, Number             *string
}

// Names gives every name a text may have for a person.
func (p Person) Names() []string {
	names := []string{p.First + " " + p.Last, p.Last + ", " + p.First, p.Username, p.Email, p.First, p.Last}
	for _, more := range []*string{p.Nickname, p.Number} {
		if more != nil {
			names = append(names, *more)
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return utf8.RuneCountInString(n) < shortest })
}

// Words are what is said instead of names.
type Words struct {
	instead map[string]string
	pattern *regexp.Regexp // of all names; nil when there are none
}

// New makes them of what is said for each name.
func New(instead map[string]string) *Words {
	// The longest comes first, so that a full name is not taken for a first one.
	names := slices.SortedFunc(maps.Keys(instead), func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	w := &Words{instead: instead}
	if len(names) > 0 {
		w.pattern = regexp.MustCompile(strings.Join(names, "|"))
	}
	return w
}

// Without gives a text with other words for the names in it; a part of another word is no name.
func (w *Words) Without(text string) string {
	if w == nil || w.pattern == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for _, at := range w.pattern.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if wordly(before) || wordly(after) {
			continue
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(w.instead[text[at[0]:at[1]]])
		done = at[1]
	}
	return b.String() + text[done:]
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
