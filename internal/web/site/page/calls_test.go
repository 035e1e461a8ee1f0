package page

import (
	"html/template"
	"strings"
	"testing"
)

// drawnBy draws a text that calls components, as a page does.
func drawnBy(t *testing.T, text string, data any) string {
	t.Helper()
	h := NewHouse()
	all := template.Must(h.components(template.New("frame"), English, own).Clone())
	if _, err := withBodies(all).Parse(text); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := all.Execute(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A component shows what it is given, inside and out, as text: what people wrote stays words.
func TestComponentsEscapeWhatTheyShow(t *testing.T) {
	const name = `<script>alert("1")</script>`
	for component, text := range map[string]string{
		"button": `{{template "button" (dict "Text" . "Name" . "Value" . "Label" .)}}`,
		"link":   `{{template "button" (dict "Text" . "Href" (print "/x?" .) "Kind" .)}}`,
		"badge":  `{{template "badge" (dict "Text" . "Colour" "red")}}`,
		"banner": `{{template "banner" (dict "Colour" "red" "Strong" . "Text" .)}}`,
		"card":   `{{template "card" (dict "ID" "a" "Title" . "Body" (body "in" .))}}{{define "in"}}<p>{{.}}</p>{{end}}`,
		"menu":   `{{template "menu" (dict "ID" "m" "Title" . "Items" (list (dict "Text" . "Href" "/")))}}`,
		"empty":  `{{template "empty" (dict "Icon" "bell" "Title" . "Text" .)}}`,
		"who":    `{{template "who" (dict "Name" . "Note" .)}}`,
	} {
		got := drawnBy(t, text, name)
		if strings.Contains(got, "<script") || !strings.Contains(got, "alert(") {
			t.Errorf("%s shows %s", component, got)
		}
	}
	got := drawnBy(t, `{{template "card" (dict "ID" "a" "Title" . "Body" (body "in" .))}}{{define "in"}}<p>{{.}}</p>{{end}}`, "x")
	if !strings.Contains(got, "<p>x</p>") {
		t.Errorf("a body is not drawn as it is: %s", got)
	}
}

// A component that is called wrongly fails, instead of showing half.
func TestNamesOfValuesComeInPairs(t *testing.T) {
	if _, err := dict("Text"); err == nil {
		t.Error("a name has no value")
	}
	if _, err := dict(1, "Text"); err == nil {
		t.Error("a number is a name")
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{"Mia Nguyen": "MN", "": "", "student_0": "S", "Ana María de la Cruz": "AC",
		"Łukasz Ćwik": "ŁĆ", "42": "", "O'Hara": "O", "Bernd K-H": "BH"} {
		if got := initials(name); got != want {
			t.Errorf("%q has the letters %q, not %q", name, got, want)
		}
	}
}

// What somebody wrote is cut at the end of a word, and only where it is long.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("Žluťoučký kůň ", 30)
	got := excerpt(long)
	if !strings.HasSuffix(got, "…") || !strings.HasPrefix(long, strings.TrimSuffix(got, "…")+" ") || len([]rune(got)) > 161 {
		t.Errorf("%q", got)
	}
	if got := excerpt(" Two\n lines. "); got != "Two lines." {
		t.Errorf("%q", got)
	}
}
