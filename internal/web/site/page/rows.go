package page

import (
	"html/template"
	"strings"
)

// Rows writes the rows of a long list. A template takes several times as long for every cell, and a page of a
// hundred rows is most of its cells: only such lists are written by it, all else stands in templates.
type Rows struct{ out strings.Builder }

// Put writes markup of ours, in which every %s stands for a value that is escaped. There are as many of the ones
// as of the others, and every attribute has its quotes.
func (r *Rows) Put(markup string, values ...string) {
	for _, value := range values {
		before, after, _ := strings.Cut(markup, "%s")
		r.out.WriteString(before)
		r.out.WriteString(template.HTMLEscapeString(value))
		markup = after
	}
	r.out.WriteString(markup)
}

// Add writes what is escaped already.
func (r *Rows) Add(drawn template.HTML) { r.out.WriteString(string(drawn)) }

// HTML is what was written.
func (r *Rows) HTML() template.HTML { return template.HTML(r.out.String()) } //nolint:gosec // Put has escaped it

// Icon draws an icon for Rows.
func (s *Site) Icon(name Icon) template.HTML { return s.house.icon(name) }

// Badge draws a fact beside a status for Rows, as the component of its name does; icon and colour may be empty.
func (s *Site) Badge(icon Icon, colour, text string) template.HTML {
	var r Rows
	if r.Put(`<span class="badge`); colour != "" {
		r.Put(` %s`, colour)
	}
	if r.Put(`">`); icon != "" {
		r.Add(s.Icon(icon))
	}
	r.Put(`<span class="txt">%s</span></span>`, text)
	return r.HTML()
}

// Avatar draws the letters of a name, which stands beside them, for Rows, as the component of its name does.
func Avatar(name string) template.HTML {
	var r Rows
	r.Put(`<span class="avatar %s" aria-hidden="true">%s</span>`, ground(name), initials(name))
	return r.HTML()
}
