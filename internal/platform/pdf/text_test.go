package pdf

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDecodeText(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		err            error
		note           bool
	}{
		{"plain", "a\r\nb\rc\n", "a\nb\nc\n", nil, false},
		{"mark", "\xef\xbb\xbfa", "a", nil, false},
		{"little", "\xff\xfea\x00\xe9\x00", "aé", nil, false},
		{"big", "\xfe\xff\x00a\x20\xac", "a€", nil, false},
		{"odd", "\xfe\xff\x00a\x20", "a", nil, false},
		{"legacy", "caf\xe9 \x80", "café €", nil, true},
		{"decomposed", "e\u0301", "é", nil, false},
		{"binary", "a\x00b", "", errBinary, false},
		{"control", strings.Repeat("\x01\x02", 40), "", errBinary, false},
		{"escape", "\x1b[31mred", "\x1b[31mred", nil, false},
	} {
		got, note, err := decodeText([]byte(c.in))
		if got != c.want || !errors.Is(err, c.err) || (note != "") != c.note {
			t.Errorf("%s: %q, %q, %v", c.name, got, note, err)
		}
	}
}

func TestExpandTabs(t *testing.T) {
	for in, want := range map[string]string{"\ta": "    a", "ab\tc": "ab  c", "abcd\te": "abcd    e", "é\tx": "é   x"} {
		if got, _ := expandTabs(in, 0); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Whatever the text, what is drawn is valid, has a glyph and is free of
// controls; nothing but variation selectors is lost.
func TestPieces(t *testing.T) {
	fs, _ := newFonts(nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.Rune()), rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		})).Draw(t, "text")
		var back strings.Builder
		for _, p := range fs.pieces(text, fs.sans) {
			if !utf8.ValidString(p.text) {
				t.Fatalf("invalid piece %q", p.text)
			}
			for _, r := range p.text {
				if _, ok := p.face.advance(r); r < 0x20 || !ok {
					t.Fatalf("%U is not drawable", r)
				}
			}
			if p.mark && p.real != "" {
				back.WriteString(p.real)
			} else {
				back.WriteString(p.text)
			}
		}
		if want := spelled(fs, text); back.String() != want {
			t.Fatalf("%q became %q", want, back.String())
		}
	})
}

// spelled is the text with its untouchable characters as marks, written the slow way.
func spelled(fs *fonts, text string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		hidden := treat(r) == asMark || fs.find(fs.sans, r) == nil
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(byteMark(text[i]))
		case treat(r) == asNothing:
		case hidden && !keepsMeaning(r):
			b.WriteString(mark(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Wrapping loses no letter and keeps every line within the width.
func TestWrap(t *testing.T) {
	fs, _ := newFonts(nil)
	s := newPageWriter(fs)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zé中]{1,40}`)).Draw(t, "words")
		width := rapid.Float64Range(30, 300).Draw(t, "width")
		text := strings.Join(words, " ")
		var got strings.Builder
		for _, line := range s.wrap([]Span{{Text: text}}, 10, width) {
			w := 0.0
			for _, sp := range line {
				w += s.width(10, sp)
				got.WriteString(sp.Text)
			}
			if w > width+0.01 && len([]rune(spansText(line))) > 1 {
				t.Fatalf("line %q is %.1f wide, %.1f allowed", spansText(line), w, width)
			}
		}
		if clean := func(s string) string {
			return strings.ReplaceAll(s, " ",
				"")
		}; clean(got.String()) != clean(text) {
			t.Fatalf("%q became %q", text, got.String())
		}
	})
}

func TestANSI(t *testing.T) {
	lines := ansiLines("\x1b[1;31mred\x1b[0m plain\n\x1b[38;5;200mpink\x1b[38;2;1;2;3mdark\x1b[39m x\x1b[2Ky\x1b]0"+
		";title\x07z\nold\rnew", Span{})
	if len(lines) != 3 || len(lines[0]) != 2 || !lines[0][0].Bold || lines[0][0].Color != terminal[1] ||
		lines[0][1].Text != " plain" {
		t.Errorf("first line %+v", lines[0])
	}
	if spansText(lines[1]) != "pinkdark xyz" || lines[1][2].Color != 0 {
		t.Errorf("second line %+v", lines[1])
	}
	if spansText(lines[2]) != "new" {
		t.Errorf("third line %+v", lines[2])
	}
}
