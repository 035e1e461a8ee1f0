package page

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/clock"
)

// dict gives a component what it shows by names: {{template "badge" (dict "Text" .Code "Colour" "red")}}.
func dict(pairs ...any) (map[string]any, error) {
	out := make(map[string]any, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		name, ok := pair[0].(string)
		if !ok || len(pair) < 2 {
			return nil, fmt.Errorf("%v is no name of a value", pair[0])
		}
		out[name] = pair[1]
	}
	return out, nil
}

// withBodies lets the templates of a page draw others of them as a value: what stands inside a
// component, such as the rows of a table in a card, is a template that is given to it by
// (body "rows" .).
func withBodies(t *template.Template) *template.Template {
	return t.Funcs(template.FuncMap{"body": func(name string, data any) (template.HTML, error) {
		var b bytes.Buffer
		err := t.ExecuteTemplate(&b, name, data)
		return template.HTML(b.String()), err //nolint:gosec // a template of ours has escaped it
	}})
}

// noBody stands for body until a page is read.
func noBody(name string, _ any) (template.HTML, error) {
	return "", fmt.Errorf("there is no page to draw %s in", name)
}

// initials are the first letters of the first and the last word of a name, for an avatar.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' })
	if len(words) > 2 {
		words = []string{words[0], words[len(words)-1]}
	}
	var out strings.Builder
	for _, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		out.WriteRune(unicode.ToUpper(first))
	}
	return out.String()
}

// grounds are the families that avatars stand in. They mean nothing, but the same person has
// the same one everywhere.
var grounds = [...]string{"teal", "blue", "violet", "green", "grey"}

// ground is that of a name.
func ground(name string) string {
	sum := 0
	for _, b := range []byte(name) {
		sum = sum*31 + int(b)
		sum %= 1 << 20
	}
	return grounds[sum%len(grounds)]
}

// mostExcerpt is how much of what somebody wrote stands where it only leads to the whole.
const mostExcerpt = 160

// excerpt is the beginning of a text, up to the end of a word.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) <= mostExcerpt {
		return text
	}
	cut := string(runes[:mostExcerpt])
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut + "…"
}

// dayOf is the day of what is kept as a moment but means a day, such as the first one of a teaching period.
func dayOf(v any) any {
	if at, ok := v.(clock.Time); ok {
		return clock.Day(at.Time)
	}
	return v
}
