package pdf

import (
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letter is a character to draw and the text it stands for, which differ where
// Arabic letters change their shape or two become one.
type letter struct {
	draw  rune
	text  string
	at    int  // where in the line it stands, in characters
	ghost bool // it is drawn already, with the letter beside it
}

// forms are the shapes of an Arabic letter: alone, at a word's end, at its
// beginning, within. One that joins nothing to its left has only the first two.
type forms [4]rune

func (f forms) joinsNext() bool     { return f[2] != 0 }
func (f forms) joinsPrevious() bool { return f[1] != 0 }

const (
	tatweel = 0x640
	joiner  = 0x200d // asks for joined shapes, and draws nothing
	parter  = 0x200c // asks for shapes that are not joined
	lam     = 0x644
)

// arabicForms are read from Unicode's presentation forms, each of which says
// which letter it is a shape of; those of a letter stand in one order.
var arabicForms = sync.OnceValues(func() (single map[rune]forms, ligatures map[string]forms) {
	single, ligatures = map[rune]forms{}, map[string]forms{}
	for _, block := range [][2]rune{{0xfe80, 0xfefc}, {0xfb50, 0xfbff}} {
		for r := block[0]; r <= block[1]; r++ {
			base := []rune(norm.NFKC.String(string(r)))
			switch {
			case len(base) == 1 && base[0] != r:
				single[base[0]] = added(single[base[0]], r)
			case len(base) == 2 && base[0] == lam:
				ligatures[string(base)] = added(ligatures[string(base)], r)
			}
		}
	}
	return single, ligatures
})

func added(f forms, r rune) forms {
	for i := range f {
		if f[i] == 0 {
			f[i] = r
			break
		}
	}
	return f
}

// shape gives each letter of a line the shape its neighbours ask for.
func shape(rs []rune) []letter {
	out := make([]letter, 0, len(rs))
	single, ligatures := arabicForms()
	joined, within := false, false // the letter before reaches out to this one; it is an Arabic one
	for i := 0; i < len(rs); i++ {
		r, at := rs[i], i
		f, arabic := single[r]
		switch {
		case unicode.Is(unicode.Mn, r): // vowel signs stand above the letters and part nothing
			out = append(out, letter{draw: r, text: string(r), at: at})
			continue
		case within && (r == joiner || r == parter):
			out[len(out)-1].text += string(r)
			joined = r == joiner
			continue
		case !arabic:
			joined, within = r == tatweel, r == tatweel
			out = append(out, letter{draw: r, text: string(r), at: at})
			continue
		}
		if i+1 < len(rs) && r == lam {
			if two, ok := ligatures[string(rs[i:i+2])]; ok {
				f = two
				i++
			}
		}
		which := 0
		if joined && f.joinsPrevious() {
			which = 1
		}
		joined, within = f.joinsNext() && reaches(rs[i+1:], single), true
		if joined {
			which += 2
		}
		out = append(out, letter{draw: f[which], text: string(rs[at : i+1]), at: at})
	}
	return out
}

// reaches tells whether the next letter joins the one before it.
func reaches(rest []rune, single map[rune]forms) bool {
	for _, r := range rest {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		return r == tatweel || r == joiner || single[r].joinsPrevious()
	}
	return false
}
