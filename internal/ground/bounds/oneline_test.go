package bounds

import "testing"

func TestFits(t *testing.T) {
	for _, s := range []string{"", "Zoë van Dam", "1.1P", "عربي", "由紀", "a\u00a0b", "👩‍🎓", "naïve – “quoted”"} {
		if !FitsOneLine(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"a\nb", "a\r", "\tb", "a\x00b", "\x1b[31m", "\u0085", "a\u2028b", "\u2029", "x\u202ey",
		"\u2066", "\u200f", "\u061c", "\x7f"} {
		if FitsOneLine(s) {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestFitsLines(t *testing.T) {
	for _, s := range []string{"", "First\r\nsecond\n\tthird", "עברית\u200f!", "a\u2028b", "👩‍🎓"} {
		if !FitsLines(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"a\x00b", "\x1b[31m", "a\bb", "\f", "\v", "\x7f", "\u0085", "\u009b1m"} {
		if FitsLines(s) {
			t.Errorf("%q is taken", s)
		}
	}
}
