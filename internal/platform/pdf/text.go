package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

var errBinary error = told("it is not a text file: it holds binary data")

// decodeText reads a text file of unknown encoding: UTF-8, UTF-16 with a byte
// order mark, else Windows-1252. Lines end in \n, letters are composed (NFC).
// The note tells of a guess.
func decodeText(b []byte) (text, note string, err error) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		text = string(b[3:])
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		text = utf16Text(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		text = utf16Text(b[2:], binary.BigEndian)
	case looksBinary(b):
		return "", "", errBinary
	case utf8.Valid(b):
		text = string(b)
	default:
		out, derr := charmap.Windows1252.NewDecoder().Bytes(b)
		if derr != nil {
			return "", "", errBinary
		}
		text, note = string(out), "The file is not valid UTF-8; it was read as Windows-1252."
	}
	return tidyLines(text), note, nil
}

func utf16Text(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// looksBinary looks for NUL, which no text holds, and for control bytes in
// numbers no text has.
func looksBinary(b []byte) bool {
	control := 0
	for _, c := range b {
		switch {
		case c == 0:
			return true
		case c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b:
			control++
		}
	}
	return control > 8 && control > len(b)/50
}

func tidyLines(s string) string {
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	s = strings.ReplaceAll(s, "\f", "\n")
	if !isASCII(s) {
		s = norm.NFC.String(s)
	}
	return s
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// expandTabs sets tabs to every fourth column, col being where s starts.
func expandTabs(s string, col int) (string, int) {
	if !strings.ContainsRune(s, '\t') {
		return s, col + utf8.RuneCountInString(s)
	}
	var b strings.Builder
	for _, r := range s {
		if r == '\t' {
			n := 4 - col%4
			b.WriteString("    "[:n])
			col += n
			continue
		}
		b.WriteRune(r)
		col++
	}
	return b.String(), col
}

// drawn says how a rune is put on paper.
type drawn int

const (
	asGlyph drawn = iota // by a font, if one has it
	asMark               // always as a visible mark
	asNothing
)

// treat decides what may be drawn at all. Characters that change the direction
// or order of text, or hide in it, are made visible.
func treat(r rune) drawn {
	switch {
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors only choose a glyph's looks
		return asNothing
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return asMark
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Co, r):
		return asMark
	}
	return asGlyph
}

// mark is what stands in the place of something that cannot be drawn.
func mark(r rune) string { return fmt.Sprintf("[U+%04X]", r) }

// byteMark stands for a byte that is no UTF-8.
func byteMark(b byte) string { return fmt.Sprintf("[0x%02X]", b) }

// keepsMeaning tells whether the real character may be carried behind its mark
// for copying. Controls and format characters may not: copied, they would do
// again what the mark makes visible.
func keepsMeaning(r rune) bool { return unicode.IsGraphic(r) || unicode.Is(unicode.Co, r) }

// visible writes characters that hide or reorder text as marks, for names shown
// by viewers outside of our pages.
func visible(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if treat(r) == asMark && !keepsMeaning(r) {
			b.WriteString(mark(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fileName is a name safe to save under: no path, nothing hidden.
func fileName(s string) string {
	s = visible(s)
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, s)
	if s = strings.TrimLeft(s, "."); s == "" {
		return "file"
	}
	return s
}

// Plain reads a text file as documents show it: of any encoding, with lines that end in \n, and valid UTF-8. The note
// tells of a guess; ok is false of what is no text.
func Plain(b []byte) (text, note string, ok bool) {
	text, note, err := decodeText(b)
	return strings.ToValidUTF8(text, "\uFFFD"), note, err == nil
}
