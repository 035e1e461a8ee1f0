package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rgb is a colour, its parts from 0 to 1.
type rgb [3]float64

// token is a colour of the tokens: one for both themes, or one for each.
var token = regexp.MustCompile(`(?m)^\s*--([a-z0-9-]+): (?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;`)

// colours are those of the tokens by name, in the light and in the dark.
func colours(t *testing.T) (light, dark map[string]rgb) {
	t.Helper()
	light, dark = map[string]rgb{}, map[string]rgb{}
	for _, m := range token.FindAllStringSubmatch(text(assetFiles, "assets/layers/tokens.css"), -1) {
		light[m[1]], dark[m[1]] = hex(t, m[2]), hex(t, m[2])
		if m[3] != "" {
			dark[m[1]] = hex(t, m[3])
		}
	}
	if len(light) < 45 {
		t.Fatalf("the tokens have only %d colours", len(light))
	}
	return light, dark
}

func hex(t *testing.T, s string) (c rgb) {
	t.Helper()
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c {
		c[i] = float64(n>>(16-8*i)&255) / 255
	}
	return c
}

// linear is a part of a colour as light.
func linear(v float64) float64 {
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

// luminance is that of WCAG 2.2.
func (c rgb) luminance() float64 {
	return .2126*linear(c[0]) + .7152*linear(c[1]) + .0722*linear(c[2])
}

func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// pairs are what stands on what: text needs 4.5, what is used or means something 3.
func pairs() map[float64][]string {
	var texts, edges []string
	on := func(to *[]string, front string, grounds ...string) {
		for _, ground := range grounds {
			*to = append(*to, front+" on "+ground)
		}
	}
	grounds := []string{"canvas", "surface", "surface-2", "surface-3", "overlay", "accent-soft", "selected"}
	for _, front := range []string{"text", "text-2", "text-3"} {
		on(&texts, front, grounds...)
	}
	on(&texts, "accent-text", grounds...)
	on(&texts, "text-on-solid", "accent", "accent-hover", "danger", "danger-hover", "toast")
	on(&edges, "toast-icon", "toast")
	on(&edges, "line-control", "canvas", "surface", "overlay", "selected")
	on(&edges, "focus-colour", append(grounds, "code-bg")...)
	on(&edges, "accent", "canvas", "surface")
	for _, family := range []string{"grey", "blue", "teal", "green", "orange", "red", "violet"} {
		on(&texts, family+"-fg", family+"-bg", "surface", "canvas", "overlay", "surface-2", "selected")
		on(&texts, "text", family+"-bg")
		on(&texts, "text-2", family+"-bg")
		if family != "grey" { // the rest of a bar, which means nothing
			on(&edges, family+"-solid", "surface")
		}
	}
	for _, code := range []string{"text", "code-key", "code-string", "code-number", "code-comment", "code-type"} {
		on(&texts, code, "code-bg", "orange-bg", "green-bg", "red-bg", "violet-bg")
	}
	return map[float64][]string{4.5: texts, 3: edges}
}

// Whatever stands on something can be read on it (WCAG 2.2, AA), in both themes.
func TestColoursHaveContrast(t *testing.T) {
	light, dark := colours(t)
	for theme, all := range map[string]map[string]rgb{"light": light, "dark": dark} {
		lowest, seen := "", math.Inf(1)
		for least, list := range pairs() {
			for _, pair := range list {
				front, ground, _ := strings.Cut(pair, " on ")
				a, b := all[front], all[ground]
				if _, known := all[front]; !known {
					t.Fatalf("there is no %s", front)
				}
				if _, known := all[ground]; !known {
					t.Fatalf("there is no %s", ground)
				}
				got := contrast(a, b)
				if got < least {
					t.Errorf("%s: %s has a contrast of %.2f, not %.1f", theme, pair, got, least)
				}
				if got/least < seen {
					lowest, seen = fmt.Sprintf("%s %.2f of %.1f", pair, got, least), got/least
				}
			}
		}
		t.Logf("%s: the least is %s", theme, lowest)
	}
}

// blind are how colours reach people who lack one kind of cones (Machado, Oliveira and
// Fernandes 2009, full strength), on light that is linear.
var blind = map[string][3]rgb{
	"protanopia": {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
	"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413},
		{-.011820, .042940, .968881}},
	"tritanopia": {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
}

// seenBy is a colour, as light, in the eyes of such people.
func (c rgb) seenBy(m [3]rgb) (out rgb) {
	for i := range out {
		for j := range c {
			out[i] += m[i][j] * linear(c[j])
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return out
}

// lab is light in CIE 1976 L*a*b*, by the white of D65.
func lab(c rgb) rgb {
	f := func(v float64) float64 {
		if v > 216./24389 {
			return math.Cbrt(v)
		}
		return (24389./27*v + 16) / 116
	}
	x := f((.4124564*c[0] + .3575761*c[1] + .1804375*c[2]) / .95047)
	y := f(.2126729*c[0] + .7151522*c[1] + .0721750*c[2])
	z := f((.0193339*c[0] + .1191920*c[1] + .9503041*c[2]) / 1.08883)
	return rgb{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// apart is the distance of two colours (CIE76).
func apart(a, b rgb) float64 {
	a, b = lab(a), lab(b)
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// The colours of bars can be told apart by people who do not see all of them: each bar has at
// most these six, in a fixed order.
func TestColoursOfBarsAreApart(t *testing.T) {
	const least = 12
	light, dark := colours(t)
	bars := []string{"green-solid", "teal-solid", "blue-solid", "orange-solid", "red-solid", "grey-solid"}
	for theme, all := range map[string]map[string]rgb{"light": light, "dark": dark} {
		for kind, m := range blind {
			nearest, pair := math.Inf(1), ""
			for i, a := range bars {
				for _, b := range bars[i+1:] {
					if d := apart(all[a].seenBy(m), all[b].seenBy(m)); d < nearest {
						nearest, pair = d, a+" and "+b
					}
				}
			}
			t.Logf("%s, %s: the nearest are %s, %.1f apart", theme, kind, pair, nearest)
			if nearest < least {
				t.Errorf("%s, %s: %s are only %.1f apart", theme, kind, pair, nearest)
			}
		}
	}
}
