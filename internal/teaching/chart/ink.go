package chart

import (
	"fmt"
	"image/color"
	"strings"
)

// ink is a colour that the canvas may also give a texture and a tooltip, so
// that a mark can be told from its neighbours without seeing colours and can
// say in words what it stands for.
type ink struct {
	color.NRGBA
	texture texture
	edged   bool // a white edge parts it from its neighbours
	says    string
}

// saying gives the ink a tooltip.
func (k ink) saying(format string, args ...any) ink {
	k.says = fmt.Sprintf(format, args...)
	return k
}

// textureID names the ink's texture in the picture: one for each pair of
// colour and texture.
func (k ink) textureID() string {
	return fmt.Sprintf("%s-%02x%02x%02x", k.texture, k.R, k.G, k.B)
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

// pattern is the definition of the ink's texture, for the head of the picture.
func (k ink) pattern(id string) string {
	paint, _ := solid(k.NRGBA)
	marks := drawn[k.texture]
	light := `fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="1.2"`
	if k.texture == dots {
		light = `fill="#fff" fill-opacity=".8"`
	}
	return fmt.Sprintf(`<pattern id="%s" width="8" height="8" patternUnits="userSpaceOnUse">`+
		`<rect width="8" height="8" fill="%s"/><g %s>%s</g></pattern>`, id, paint, light, marks)
}

// The colours are those of Okabe and Ito, which stay apart for people who do
// not see red and green alike; greys carry text, grid and what is not begun.
var (
	green     = ink{NRGBA: color.NRGBA{0x00, 0x9E, 0x73, 0xFF}}
	blue      = ink{NRGBA: color.NRGBA{0x00, 0x72, 0xB2, 0xFF}}
	sky       = ink{NRGBA: color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}}
	orange    = ink{NRGBA: color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}}
	vermilion = ink{NRGBA: color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}}
	purple    = ink{NRGBA: color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}}
	silver    = ink{NRGBA: color.NRGBA{0xE3, 0xE6, 0xEA, 0xFF}}
	slate     = ink{NRGBA: color.NRGBA{0x7B, 0x87, 0x94, 0xFF}}

	text  = color.NRGBA{0x1F, 0x29, 0x33, 0xFF}
	muted = color.NRGBA{0x52, 0x60, 0x6D, 0xFF}
	grid  = color.NRGBA{0xE4, 0xE7, 0xEB, 0xFF}
	mist  = color.NRGBA{0xF5, 0xF7, 0xFA, 0xFF}
)

// with gives the ink a texture.
func (k ink) with(t texture) ink {
	k.texture = t
	return k
}

// escape makes text safe inside an element or an attribute. Names have been
// through clean already; the words of this package need nothing else.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
