// Package highlight keeps which stretches of a text are keywords, strings, numbers, comments and types: line by line,
// in a form that is small and read at once. It holds no text: what is read back is laid over the lines of the file.
package highlight

import (
	"encoding/binary"
	"errors"
)

// Class is what a stretch of a line is, as pages colour it.
type Class byte

// The classes.
const (
	Plain Class = iota
	Keyword
	String
	Number
	Comment
	Type
	classes // how many there are
)

// names are those of the styles, of one small letter each as a line has many.
var names = [classes]string{"", "k", "s", "d", "c", "t"}

// Name is that of the style; empty of what is plain.
func (c Class) Name() string {
	if c < classes {
		return names[c]
	}
	return ""
}

// Run is a stretch of a line, in bytes. What follows the last one is plain.
type Run struct {
	Length int
	Class  Class
}

// Bounds of what is kept of a file, so that it is read in bounded time and memory: how many runs, and how many lines.
const (
	MostRuns  = 300_000
	MostLines = 300_000
)

// MostBytes is how long what Encode gives may be.
const MostBytes = len(mark) + binary.MaxVarintLen32 + MostRuns*binary.MaxVarintLen32 + MostLines*binary.MaxVarintLen32

// mark begins what Encode gives.
const mark = "LH1\n"

// bitsOfClass is how many bits of a run say its class.
const bitsOfClass = 3

var errDamaged = errors.New("what is kept of the highlighting is damaged")

// Encode writes the runs of lines, as many as are kept; lines behind them are plain.
func Encode(lines [][]Run) []byte {
	lines = lines[:min(len(lines), MostLines)]
	left := MostRuns
	for i, runs := range lines {
		if left -= len(runs); left < 0 {
			lines = lines[:i]
			break
		}
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	b := binary.AppendUvarint([]byte(mark), uint64(len(lines)))
	for _, runs := range lines {
		b = binary.AppendUvarint(b, uint64(len(runs)))
		for _, r := range runs {
			b = binary.AppendUvarint(b, uint64(r.Length)<<bitsOfClass|uint64(r.Class))
		}
	}
	return b
}

// Decode reads what Encode wrote, and refuses anything else. What it takes grows with the bytes that are there,
// whatever they claim.
func Decode(b []byte) ([][]Run, error) {
	if len(b) > MostBytes || len(b) < len(mark) || string(b[:len(mark)]) != mark {
		return nil, errDamaged
	}
	d := decoder{rest: b[len(mark):]}
	count := d.number(MostLines)
	if count > len(d.rest) { // a line takes a byte at least
		return nil, errDamaged
	}
	lines, all := make([][]Run, count), make([]Run, 0, min(len(d.rest), MostRuns))
	for i := range lines {
		n := d.number(MostRuns - len(all))
		if d.bad || n > len(d.rest) {
			return nil, errDamaged
		}
		first := len(all)
		for range n {
			v := d.number(longest<<bitsOfClass | int(classes))
			r := Run{v >> bitsOfClass, Class(v & (1<<bitsOfClass - 1))}
			if r.Length == 0 || r.Class >= classes {
				return nil, errDamaged
			}
			all = append(all, r)
		}
		lines[i] = all[first:len(all):len(all)]
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errDamaged
	}
	return lines, nil
}

// longest is how long a run may be.
const longest = 1 << 24

// decoder reads numbers; what cannot be one makes it bad, and then all are 0.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number(most int) int {
	if len(d.rest) > 0 && d.rest[0] < 0x80 && int(d.rest[0]) <= most && !d.bad { // as most are
		v := int(d.rest[0])
		d.rest = d.rest[1:]
		return v
	}
	v, n := binary.Uvarint(d.rest)
	if d.bad = d.bad || n <= 0 || v > uint64(most); d.bad { //nolint:gosec // most is never negative
		return 0
	}
	d.rest = d.rest[n:]
	return int(v) //nolint:gosec // at most most
}
