package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// trueType reads a font: which glyph draws a letter, how wide it is, and the
// outlines themselves, to write a smaller font of those in use. A damaged font
// gives no glyphs; it is never read past its end.
type trueType struct {
	tables  map[string]table
	em      float64
	glyphs  int
	metrics int  // glyphs with an advance of their own; the others have the last one's
	long    bool // offsets of outlines have four bytes
	letters table
	groups  bool // letters is of format 12, not 4
}

// table is a part of a font. What lies outside of it reads as 0.
type table []byte

func (t table) u16(at int) int {
	if at < 0 || at+2 > len(t) {
		return 0
	}
	return int(binary.BigEndian.Uint16(t[at:]))
}

func (t table) i16(at int) int { return int(int16(t.u16(at))) }
func (t table) u32(at int) int { return t.u16(at)<<16 | t.u16(at+2) }

// part is what lies between two offsets, or nothing where they are wrong.
func (t table) part(from, to int) table {
	if from < 0 || to < from || to > len(t) {
		return nil
	}
	return t[from:to]
}

var errNoTrueType = errors.New("it is not a single TrueType font (.ttf)")

func parseTrueType(data []byte) (*trueType, error) {
	file := table(data)
	if v := file.u32(0); v != 0x00010000 && v != 0x74727565 {
		return nil, errNoTrueType
	}
	f := &trueType{tables: map[string]table{}}
	for i := range file.u16(4) {
		at := 12 + 16*i
		if name := file.part(at, at+4); name != nil {
			start := file.u32(at + 8)
			f.tables[string(name)] = file.part(start, start+file.u32(at+12))
		}
	}
	head := f.tables["head"]
	f.em, f.long = float64(head.u16(18)), head.u16(50) == 1
	f.glyphs, f.metrics = f.tables["maxp"].u16(4), f.tables["hhea"].u16(34)
	f.findLetters()
	if f.em == 0 || f.glyphs == 0 || f.metrics == 0 || len(f.tables["glyf"]) == 0 || f.letters == nil {
		return nil, fmt.Errorf("its tables are damaged: %w", errNoTrueType)
	}
	return f, nil
}

// findLetters picks the table that maps letters to glyphs: the one of all of
// Unicode before the one of its first plane.
func (f *trueType) findLetters() {
	all := f.tables["cmap"]
	for i := range all.u16(2) {
		at := all.u32(4 + 8*i + 4)
		sub := all.part(at, len(all))
		platform := all.u16(4 + 8*i)
		if platform != 0 && platform != 3 {
			continue
		}
		switch format := sub.u16(0); {
		case format == 12:
			f.letters, f.groups = sub, true
		case format == 4 && f.letters == nil:
			f.letters = sub
		}
	}
}

// glyph is the glyph that draws r, 0 when there is none.
func (f *trueType) glyph(r rune) uint16 {
	g := 0
	if f.groups {
		g = f.inGroups(int(r))
	} else if r <= 0xffff {
		g = f.inSegments(int(r))
	}
	if g < 0 || g >= f.glyphs {
		return 0
	}
	return uint16(g)
}

func (f *trueType) inGroups(r int) int {
	t, lo, hi := f.letters, 0, f.letters.u32(12)
	for lo < hi {
		mid := (lo + hi) / 2
		at := 16 + 12*mid
		switch {
		case r > t.u32(at+4):
			lo = mid + 1
		case r < t.u32(at):
			hi = mid
		default:
			return t.u32(at+8) + r - t.u32(at)
		}
	}
	return 0
}

func (f *trueType) inSegments(r int) int {
	t := f.letters
	n := t.u16(6) / 2
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; t.u16(14+2*mid) < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	start, delta, offset := 16+2*n+2*lo, 16+4*n+2*lo, 16+6*n+2*lo
	if lo == n || r < t.u16(start) {
		return 0
	}
	if t.u16(offset) == 0 {
		return (r + t.u16(delta)) & 0xffff
	}
	g := t.u16(offset + t.u16(offset) + 2*(r-t.u16(start)))
	if g == 0 {
		return 0
	}
	return (g + t.u16(delta)) & 0xffff
}

// advance is the width of a glyph in the font's own units.
func (f *trueType) advance(g uint16) int {
	return f.tables["hmtx"].u16(4 * min(int(g), f.metrics-1))
}

func (f *trueType) bearing(g uint16) int {
	if int(g) < f.metrics {
		return f.tables["hmtx"].i16(4*int(g) + 2)
	}
	return f.tables["hmtx"].i16(4*f.metrics + 2*(int(g)-f.metrics))
}

// outline is a glyph as it stands in the font; a blank has none.
func (f *trueType) outline(g uint16) table {
	loca, at := f.tables["loca"], int(g)
	if f.long {
		return f.tables["glyf"].part(loca.u32(4*at), loca.u32(4*at+4))
	}
	return f.tables["glyf"].part(2*loca.u16(2*at), 2*loca.u16(2*at+2))
}

// box gives what a glyph covers, in ems.
func (f *trueType) box(g uint16) (x1, y1, x2, y2 float64) {
	o := f.outline(g)
	return float64(o.i16(2)) / f.em, float64(o.i16(4)) / f.em, float64(o.i16(6)) / f.em, float64(o.i16(8)) / f.em
}

// How a glyph that is put together of others names them.
const (
	argsAreWords = 1 << 0
	hasScale     = 1 << 3
	moreParts    = 1 << 5
	hasTwoScales = 1 << 6
	hasMatrix    = 1 << 7
)

// partsOf gives where in an outline the numbers of other glyphs stand.
func partsOf(outline table) []int {
	if outline.i16(0) >= 0 {
		return nil
	}
	var at []int
	for pos := 10; pos+4 <= len(outline) && len(at) < 64; {
		flags := outline.u16(pos)
		at = append(at, pos+2)
		pos += 6
		if flags&argsAreWords != 0 {
			pos += 2
		}
		switch {
		case flags&hasScale != 0:
			pos += 2
		case flags&hasTwoScales != 0:
			pos += 4
		case flags&hasMatrix != 0:
			pos += 8
		}
		if flags&moreParts == 0 {
			break
		}
	}
	return at
}

// subset writes a font that holds only the given glyphs, numbered in their
// order; the parts some of them are made of follow.
func (f *trueType) subset(glyphs []uint16) []byte {
	all := slices.Clone(glyphs)
	index := map[uint16]int{}
	for i, g := range all {
		if _, known := index[g]; !known {
			index[g] = i
		}
	}
	var glyf, loca, hmtx []byte
	for i := 0; i < len(all); i++ { // it grows by parts on the way
		o := slices.Clone(f.outline(all[i]))
		for _, at := range partsOf(o) {
			g := uint16(o.u16(at))
			if _, known := index[g]; !known {
				index[g] = len(all)
				all = append(all, g)
			}
			binary.BigEndian.PutUint16(o[at:], uint16(index[g]))
		}
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = padded(append(glyf, o...))
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(f.advance(all[i])))
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(f.bearing(all[i])))
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	parts := map[string][]byte{"glyf": glyf, "loca": loca, "hmtx": hmtx}
	for _, name := range []string{"cvt ", "fpgm", "prep", "head", "hhea", "maxp"} {
		if t := f.tables[name]; len(t) > 0 {
			parts[name] = slices.Clone(t)
		}
	}
	setU16(parts["head"], 50, 1)
	setU16(parts["hhea"], 34, len(all))
	setU16(parts["maxp"], 4, len(all))
	return writeTables(parts)
}

func setU16(t []byte, at, v int) {
	if at+2 <= len(t) {
		binary.BigEndian.PutUint16(t[at:], uint16(v))
	}
}

func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// writeTables puts tables into a font file.
func writeTables(parts map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(parts))
	n, log := len(names), 0
	for 2<<log <= n {
		log++
	}
	out := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 16 << log, log, 16*n - 16<<log} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at := 12 + 16*n
	for _, name := range names {
		part := parts[name]
		out = append(out, name...)
		for _, v := range []uint32{checksum(part), uint32(at), uint32(len(part))} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		at += (len(part) + 3) &^ 3
	}
	for _, name := range names {
		out = padded(append(out, parts[name]...))
	}
	return out
}

func checksum(b []byte) (sum uint32) {
	for i := 0; i < len(b); i += 4 {
		var word [4]byte
		copy(word[:], b[i:])
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}
