package chart

import "fmt"

// ink fills marks: the colour of a family of statuses, and perhaps a texture over it, so that
// a mark can be told from its neighbours without seeing colours.
type ink struct {
	family  string
	texture texture
}

// solid are the colours of the families in the light theme, as tokens.css has them. People who
// do not see all colours still tell them apart.
var solid = map[string]string{
	"green": "#0b6b4b", "teal": "#2f9dac", "blue": "#2676c8", "orange": "#d0780c", "red": "#b51f45", "grey": "#b9c0ca",
}

// texture is a pattern laid over a colour.
type texture string

const (
	plain    texture = ""
	rising   texture = "rising"
	falling  texture = "falling"
	dots     texture = "dots"
	bars     texture = "bars"
	stripes  texture = "stripes"
	crossed  texture = "crossed"
	checks   texture = "checks"
	chevrons texture = "chevrons"
	rings    texture = "rings"
	mesh     texture = "mesh"
)

// drawn holds the marks of each texture within a tile of 8 by 8.
var drawn = map[texture]string{
	rising:   `<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/>`,
	falling:  `<path d="M-2 6L2 10M0 0L8 8M6 -2L10 2"/>`,
	dots:     `<circle cx="2" cy="2" r="1"/><circle cx="6" cy="6" r="1"/>`,
	bars:     `<path d="M2 0V8M6 0V8"/>`,
	stripes:  `<path d="M0 2H8M0 6H8"/>`,
	crossed:  `<path d="M0 0L8 8M8 0L0 8"/>`,
	checks:   `<path d="M0 0H4V4H0ZM4 4H8V8H4Z" stroke="none" fill="#fff" fill-opacity=".4"/>`,
	chevrons: `<path d="M0 3L4 0L8 3M0 7L4 4L8 7"/>`,
	rings:    `<circle cx="4" cy="4" r="2.4"/>`,
	mesh:     `<path d="M0 2H8M0 6H8M2 0V8M6 0V8" stroke-width=".8"/>`,
}

// pattern is the definition of the ink's texture, for the head of a picture that stands alone;
// those of pages have none.
func (k ink) pattern(id string) string {
	light := `fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="1.2"`
	if k.texture == dots {
		light = `fill="#fff" fill-opacity=".8"`
	}
	return fmt.Sprintf(`<pattern id="%s" width="8" height="8" patternUnits="userSpaceOnUse">`+
		`<rect width="8" height="8" fill="%s"/><g %s>%s</g></pattern>`, id, solid[k.family], light, drawn[k.texture])
}
