package page

import (
	"html/template"
	"testing"
)

// What rows are written with is what their templates would make of it: nobody's name is markup.
func TestRowsAreEscaped(t *testing.T) {
	const name = `"><script>alert('x')</script> %s & Söhne`
	var r Rows
	r.Put(`<td data-label="%s"><bdi>%s</bdi>`, name, name)
	r.Add("<br>")
	r.Put(`100%</td>`)
	safe := template.HTMLEscapeString(name)
	if want := `<td data-label="` + safe + `"><bdi>` + safe + `</bdi><br>100%</td>`; string(r.HTML()) != want {
		t.Errorf("got %s\nwant %s", r.HTML(), want)
	}
}

// The badge and the avatar of a long list are those of all others.
func TestRowsLookAsTheirComponentsDo(t *testing.T) {
	h := NewHouse()
	s := &Site{house: h, Words: English}
	drawn := h.components(template.New("x"), s.Words, own)
	for _, one := range []struct {
		component string
		data      map[string]any
		got       template.HTML
	}{
		{"badge", map[string]any{"Icon": "mail", "Colour": "blue", "Text": "<b>"}, s.Badge("mail", "blue", "<b>")},
		{"badge", map[string]any{"Text": "Student"}, s.Badge("", "", "Student")},
		{"avatar", map[string]any{"Name": "Ada <Lovelace>"}, Avatar("Ada <Lovelace>")},
	} {
		var want Rows
		if err := drawn.ExecuteTemplate(&want.out, one.component, one.data); err != nil {
			t.Fatal(err)
		}
		if want.HTML() != one.got {
			t.Errorf("%s: got %s\nwant %s", one.component, one.got, want.HTML())
		}
	}
}
