package page

import (
	"cmp"
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

// line draws a field of one line as the component field does, in a quarter of its time: for a form of very many.
func (h *House) line(f map[string]any) template.HTML {
	var r Rows
	text := func(name string) string { s, _ := f[name].(string); return s }
	name, wrong, help := text("Name"), text("Error"), text("Help")
	id := cmp.Or(text("ID"), name)
	if r.Put(`<div class="field"><label for="%s">%s`, id, text("Label")); text("Opt") != "" {
		r.Put(` <span class="opt">%s</span>`, text("Opt"))
	}
	r.Put(`</label><input id="%s" name="%s" type="%s" value="%s"`, id, name, cmp.Or(text("Type"), "text"), text("Value"))
	if f["Need"] == true {
		r.Put(` required`)
	}
	if f["Off"] == true {
		r.Put(` disabled`)
	}
	if auto := text("Auto"); auto != "" {
		r.Put(` autocomplete="%s"`, auto)
	}
	switch {
	case wrong != "":
		r.Put(` aria-invalid="true" aria-describedby="%s-error"><p class="error" id="%s-error">`, id, id)
		r.Add(h.icon("circle-alert"))
		r.Put(`<span>%s</span></p></div>`, wrong)
	case help != "":
		r.Put(` aria-describedby="%s-help"><p class="help" id="%s-help">%s</p></div>`, id, id, help)
	default:
		r.Put(`></div>`)
	}
	return r.HTML()
}
