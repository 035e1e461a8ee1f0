package chart

import (
	"strings"
	"unicode"
)

// advances are the widths of the printable characters of ASCII in Helvetica, in thousandths of
// its size, as Adobe published them.
const advances = "" +
	"278278355556556889667191333333389584278333278278" + // space to /
	"556556556556556556556556556556278278584584584556" + // 0 to ?
	"1015667667722722667611778722278500667556833722778" + // @ to O
	"667778722667611722667944667667611278278278469556" + // P to _
	"333556556500556556278556556222222500222833556556" + // ` to o
	"556556333500278556500722500500500334260334584" // p to ~

// widths are the same as numbers, by character.
var widths = func() (out [127]float64) {
	rest := advances
	for c := ' '; c <= '~'; c++ {
		digits := 3
		if c == '@' {
			digits = 4
		}
		for _, digit := range rest[:digits] {
			out[c] = 10*out[c] + float64(digit-'0')/1000
		}
		rest = rest[digits:]
	}
	return out
}()

// width measures a line of text of a size, in any script: ideographs are as wide as they are
// tall, and other letters are about as wide as those of Latin.
func width(s string, size float64) float64 {
	ems := 0.0
	for _, r := range s {
		switch {
		case r < rune(len(widths)):
			ems += widths[max(r, 0)]
		case unicode.In(r, unicode.Mn, unicode.Cf):
		case fromRight(r):
			ems += 0.58
		case r >= 0x1100 && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) && (r < 0x2000 || r > 0x2bff):
			ems++
		case unicode.IsUpper(r):
			ems += 0.72
		default:
			ems += 0.56
		}
	}
	return ems * size
}

// fit shortens s with an ellipsis until it is no wider than room.
func fit(s string, size, room float64) string {
	if width(s, size) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && width(string(runes)+"…", size) > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + "…"
}

// fromRight tells the letters of Hebrew, Arabic and their kin.
func fromRight(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
}

// isolated keeps a name written from the right from turning round what stands
// beside it.
func isolated(name string) string {
	if !strings.ContainsFunc(name, fromRight) {
		return name
	}
	return "\u2068" + name + "\u2069"
}
