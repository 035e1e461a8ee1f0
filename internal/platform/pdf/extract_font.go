package pdf

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"
)

// textFont tells which letters the bytes of a string stand for, and how wide they
// are, about.
type textFont struct {
	wide    bool              // two bytes to a letter
	letters map[uint32]string // by code
	widths  map[uint32]float64
}

// unknownWidth is that of a letter whose font does not tell.
const unknownWidth = 0.5

// mostLetters bounds what one font may define.
const mostLetters = 70_000

// font finds a font of the resources; each is read once.
func (x *extractor) font(res types.Dict, name string) *textFont {
	o := x.src.dict(res["Font"])[name]
	r, isRef := o.(types.IndirectRef)
	if f, ok := x.fonts[r]; ok && isRef {
		return f
	}
	f := x.readFont(x.src.dict(o))
	if isRef {
		x.fonts[r] = f
	}
	return f
}

func (x *extractor) readFont(d types.Dict) *textFont {
	if d == nil {
		return nil
	}
	f := &textFont{letters: map[uint32]string{}, widths: map[uint32]float64{}}
	f.wide = d.Subtype() != nil && *d.Subtype() == "Type0"
	for _, s := range x.streams(d["ToUnicode"]) {
		f.readMap(s)
	}
	if f.wide {
		return f
	}
	x.differences(f, x.src.dict(d["Encoding"]))
	first, _ := x.src.number(d["FirstChar"])
	for i, w := range x.src.array(d["Widths"]) {
		if n, ok := x.src.number(w); ok && i < 256 && n > 0 && n < 10_000 {
			f.widths[uint32(first)+uint32(i)] = n / 1000
		}
	}
	return f
}

// differences reads the letters that a font names.
func (x *extractor) differences(f *textFont, encoding types.Dict) {
	code := uint32(0)
	for _, o := range x.src.array(encoding["Differences"]) {
		switch v := x.src.resolve(o).(type) {
		case types.Integer:
			code = uint32(max(0, min(int(v), 255)))
		case types.Name:
			if _, told := f.letters[code]; !told {
				if letter := glyphLetter(string(v)); letter != "" {
					f.letters[code] = letter
				}
			}
			code++
		}
	}
}

// glyphLetter is the letter of a glyph's name, for the names that texts need.
func glyphLetter(name string) string {
	if len(name) == 1 {
		return name
	}
	if s, ok := glyphNames[name]; ok {
		return s
	}
	if hex, ok := strings.CutPrefix(name, "uni"); ok && len(hex) == 4 {
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil {
			return string(rune(n))
		}
	}
	return ""
}

var glyphNames = map[string]string{
	"space": " ", "period": ".", "comma": ",", "hyphen": "-", "colon": ":", "semicolon": ";", "quotesingle": "'",
	"quoteright": "’", "quoteleft": "‘", "quotedblleft": "“", "quotedblright": "”",
	"parenleft": "(", "parenright": ")",
	"endash": "–", "emdash": "—", "exclam": "!", "question": "?", "slash": "/", "percent": "%", "ampersand": "&",
	"ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi", "ffl": "ffl", "zero": "0", "one": "1", "two": "2", "three": "3",
	"four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "germandbls": "ß",
	"adieresis": "ä", "odieresis": "ö", "udieresis": "ü", "Adieresis": "Ä", "Odieresis": "Ö", "Udieresis": "Ü",
	"eacute": "é", "egrave": "è", "agrave": "à", "aacute": "á", "ccedilla": "ç", "ntilde": "ñ", "oacute": "ó",
	"iacute": "í", "uacute": "ú", "ecircumflex": "ê", "acircumflex": "â", "icircumflex": "î", "ocircumflex": "ô",
}

// decode gives the text of a string and its width in ems.
func (f *textFont) decode(text []byte) (string, float64) {
	var b strings.Builder
	width := 0.0
	for i := 0; i < len(text); {
		code, n := uint32(text[i]), 1
		if f.wide && i+1 < len(text) {
			code, n = code<<8|uint32(text[i+1]), 2
		}
		i += n
		letter, told := f.letters[code]
		if !told && !f.wide {
			letter = string(charmap.Windows1252.DecodeByte(byte(code)))
		}
		for _, r := range letter {
			if r < ' ' || r == 0xFFFD {
				r = ' '
			}
			b.WriteRune(r)
		}
		if w, ok := f.widths[code]; ok {
			width += w
		} else {
			width += unknownWidth
		}
	}
	return b.String(), width
}

// readMap reads which letters codes stand for, from the map a font brings along.
func (f *textFont) readMap(content []byte) {
	l := &contentLexer{src: content}
	for {
		op, ok := l.next()
		if !ok {
			return
		}
		switch op {
		case "endbfchar":
			for i := 0; i+1 < len(l.args); i += 2 {
				f.define(codeOf(l.args[i].text), l.args[i+1].text, 0)
			}
		case "endbfrange":
			f.ranges(l)
		}
		l.args = l.args[:0]
	}
}

// ranges reads <from> <to> <letter>, or with a list of letters in brackets.
func (f *textFont) ranges(l *contentLexer) {
	for i := 0; i+2 < len(l.args) && len(f.letters) <= mostLetters; i++ {
		from, to := codeOf(l.args[i].text), codeOf(l.args[i+1].text)
		if to < from {
			return
		}
		i += 2
		if l.args[i].name == "[" {
			for i++; i < len(l.args) && l.args[i].name != "]"; i++ {
				f.define(from, l.args[i].text, 0)
				from++
			}
			continue
		}
		for k := range min(to-from, 0xFFFF) + 1 {
			f.define(from+k, l.args[i].text, k)
		}
	}
}

func (f *textFont) define(code uint32, letter []byte, plus uint32) {
	if len(f.letters) > mostLetters || len(letter) == 0 || len(letter) > 64 {
		return
	}
	units := make([]uint16, 0, len(letter)/2)
	for i := 0; i+1 < len(letter); i += 2 {
		units = append(units, uint16(letter[i])<<8|uint16(letter[i+1]))
	}
	if len(letter) == 1 {
		units = append(units, uint16(letter[0]))
	}
	units[len(units)-1] += uint16(plus)
	f.letters[code] = string(utf16.Decode(units))
}

func codeOf(text []byte) uint32 {
	n := uint32(0)
	for _, b := range text[max(0, len(text)-4):] {
		n = n<<8 | uint32(b)
	}
	return n
}
