package words

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Text is what the table of a language holds for one key: a text, or, where a number of things is
// told, the forms that the rules of the language (CLDR) choose between.
type Text struct {
	Plain string `json:"-"`

	Of   int    `json:"of,omitempty"` // which of the values is counted; 0: the first
	None string `json:"=0,omitempty"` // instead of "0 …", where that reads better

	Zero  string `json:"zero,omitempty"`
	One   string `json:"one,omitempty"`
	Two   string `json:"two,omitempty"`
	Few   string `json:"few,omitempty"`
	Many  string `json:"many,omitempty"`
	Other string `json:"other,omitempty"`
}

// forms is a Text as an object, without its methods.
type forms Text

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	*t = Text{}
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &t.Plain)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode((*forms)(t))
}

// MarshalJSON implements json.Marshaler: scripts choose a form as the server does.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Counts() {
		return json.Marshal(forms(t))
	}
	return json.Marshal(t.Plain)
}

// Counts tells whether the text has forms for numbers.
func (t Text) Counts() bool { return t.Other != "" }

// Each gives the text with every form changed.
func (t Text) Each(change func(string) string) Text {
	for _, form := range []*string{&t.Plain, &t.None, &t.Zero, &t.One, &t.Two, &t.Few, &t.Many, &t.Other} {
		if *form != "" {
			*form = change(*form)
		}
	}
	return t
}

// Form is the text of a form; "" where the language has none such.
func (t *Text) Form(f plural.Form) string {
	return [...]string{plural.Zero: t.Zero, plural.One: t.One, plural.Two: t.Two, plural.Few: t.Few,
		plural.Many: t.Many, plural.Other: t.Other}[f]
}

// Verbs are the places of values in a text, in the order of the values: "%s of %d" and "%[2]d: %[1]s"
// have the same.
func Verbs(text string) (out []string) {
	for at := 1; ; at++ {
		_, rest, found := strings.Cut(text, "%")
		size := strings.IndexFunc(rest, func(r rune) bool { return r == '%' || unicode.IsLetter(r) }) + 1
		if !found || size == 0 {
			return out
		}
		text = rest[size:]
		flags, verb := rest[:size-1], rest[size-1:size]
		if verb == "%" || strings.Trim(flags, "-+# 0123456789.[]") != "" {
			at--
			continue
		}
		if before, place, ok := strings.Cut(flags, "["); ok {
			flags = before
			at = digits(strings.TrimSuffix(place, "]"))
		}
		for len(out) < at {
			out = append(out, "")
		}
		out[at-1] = "%" + flags + verb
	}
}

// say puts values into the form that they ask for.
func (t *Text) say(in language.Tag, values []any) string {
	text := t.Plain
	if len(values) == 0 && len(Verbs(text)) > 0 {
		return text // a pattern, which somebody else fills in
	}
	if at := max(t.Of, 1) - 1; t.Counts() {
		places := Verbs(t.Other)
		if at >= len(places) || at >= len(values) {
			panic(fmt.Sprintf("words: %q counts a value that is not there", t.Other))
		}
		number := fmt.Sprintf(places[at], values[at])
		if text = t.Form(FormOf(in, number)); text == "" {
			text = t.Other
		}
		if t.None != "" && number == "0" {
			return t.None
		}
	}
	if !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// FormOf chooses by a number as people read it: "1" and "1.0" are not the same.
func FormOf(in language.Tag, number string) plural.Form {
	whole, part, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	short := strings.TrimRight(part, "0")
	return plural.Cardinal.MatchPlural(in, digits(whole), len(part), len(short), digits(part), digits(short))
}

// digits reads the last digits of a number, which are all that the rules look at.
func digits(text string) (n int) {
	for _, d := range text[max(0, len(text)-9):] {
		n = n*10 + int(d-'0')
	}
	return n
}
