package page

import (
	"html/template"
	"regexp"
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

// The badge, the avatar and the field of long lists and forms are those of all others.
func TestRowsLookAsTheirComponentsDo(t *testing.T) {
	h := NewHouse()
	s := &Site{house: h, Words: English}
	lines := []map[string]any{
		{"Name": "url", "Label": "Address <b>", "Value": `"x"`, "Help": "As <i>", "Need": true, "Auto": "off"},
		{"Name": "url", "ID": "other", "Label": "Address", "Type": "password", "Error": "Wrong", "Help": "As", "Off": true},
		{"Name": "url", "Label": "Address", "Opt": "optional", "Off": false}}
	drawn := h.components(template.New("x"), s.Words, own)
	for _, one := range []struct {
		component string
		data      map[string]any
		got       template.HTML
	}{
		{"badge", map[string]any{"Icon": "mail", "Colour": "blue", "Text": "<b>"}, s.Badge("mail", "blue", "<b>")},
		{"badge", map[string]any{"Text": "Student"}, s.Badge("", "", "Student")},
		{"field", lines[0], h.line(lines[0])}, {"field", lines[1], h.line(lines[1])}, {"field", lines[2], h.line(lines[2])},
		{"avatar", map[string]any{"Name": "Ada <Lovelace>"}, Avatar("Ada <Lovelace>")},
	} {
		var want Rows
		if err := drawn.ExecuteTemplate(&want.out, one.component, one.data); err != nil {
			t.Fatal(err)
		}
		if got, want := plain(one.got), plain(want.HTML()); got != want {
			t.Errorf("%s: got %s\nwant %s", one.component, got, want)
		}
	}
}

// plain is markup without the space between its tags.
func plain(markup template.HTML) string {
	return regexp.MustCompile(`>\s+<`).ReplaceAllString(string(markup), "><")
}
