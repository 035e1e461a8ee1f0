package page

import (
	"fmt"
	"html/template"
	"strings"
)

// Icon is the name of a picture of the sprite assets/icons.svg. Templates say {{icon "bell"}},
// programs Icon("bell") where a table tells which one, scripts icon('bell'): a test reads them
// all, and keeps in the sprite what is used.
type Icon string

// icon draws an icon for templates, by an Icon or its name, with further classes such as "lg".
// It says nothing: a word stands beside it, or the label of what is pressed.
func (h *House) icon(name any, classes ...string) template.HTML {
	class := strings.Join(append([]string{"i"}, classes...), " ")
	key := fmt.Sprint(name, " ", class)
	if known, ok := h.icons.Load(key); ok {
		return known.(template.HTML)
	}
	// Nothing of it comes from outside: the address is an asset's, the names are templates'.
	drawn := template.HTML(`<svg class="` + template.HTMLEscapeString(class) + //nolint:gosec // as said above
		`" aria-hidden="true" focusable="false"><use href="` +
		template.HTMLEscapeString(fmt.Sprint(h.asset("icons.svg"), "#", name)) + `"/></svg>`)
	h.icons.Store(key, drawn)
	return drawn
}
