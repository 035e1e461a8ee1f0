package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// packVersion is the first byte of a packed row. Rows of another version are
// refused, and the caller reads the submission's files anew. The first had neither
// statements nor comments.
const packVersion = 2

// PackVersion tells rows that Decode can read from older ones.
const PackVersion = packVersion

// ErrVersion tells that a packed row was written by another version of the lexers.
var ErrVersion = errors.New("the fingerprints were made by another version: read the files again")

var errPacked = errors.New("the fingerprints are damaged")

// word is an entry of the packed row's dictionary: equal words have equal
// hashes, lengths and line breaks, so each is written once.
type word struct{ norm, text, size, breaks uint32 }

// Encode packs the prints: about three bytes a token, since a program repeats
// its words. Layout: version, flags, dictionary, files, comments; for each token the
// number of its word, the bytes since the token before, and the lines.
func (p *Prints) Encode() []byte {
	numbers := map[word]uint64{}
	var dictionary []word
	for _, t := range p.toks {
		if _, ok := numbers[t.word()]; !ok {
			numbers[t.word()] = uint64(len(dictionary))
			dictionary = append(dictionary, t.word())
		}
	}
	out := make([]byte, 0, 16+12*len(dictionary)+3*len(p.toks))
	out = append(out, packVersion, bit(p.Cut))
	out = binary.AppendUvarint(out, uint64(len(dictionary)))
	for _, w := range dictionary {
		out = binary.LittleEndian.AppendUint32(out, w.norm)
		out = binary.LittleEndian.AppendUint32(out, w.text)
		out = binary.AppendUvarint(out, uint64(w.size))
		out = binary.AppendUvarint(out, uint64(w.breaks))
	}
	out = binary.AppendUvarint(out, uint64(len(p.files)))
	for _, f := range p.files {
		out = p.encodeFile(out, f, numbers)
	}
	return p.encodeNotes(out)
}

// encodeNotes packs comments: each as its hash, and where it stands.
func (p *Prints) encodeNotes(out []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(p.notes)))
	for _, n := range p.notes {
		out = binary.LittleEndian.AppendUint64(out, n.hash)
		for _, v := range []uint32{n.size, n.file, n.line, n.start, n.end - n.start} {
			out = binary.AppendUvarint(out, uint64(v))
		}
	}
	return out
}

func (t token) word() word { return word{t.norm, t.text, t.end - t.start, t.last - t.line} }

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (p *Prints) encodeFile(out []byte, f printedFile, numbers map[word]uint64) []byte {
	out = binary.AppendUvarint(out, uint64(len(f.name)))
	out = append(out, f.name...)
	out = append(out, byte(f.language))
	out = binary.AppendUvarint(out, uint64(f.upTo-f.from))
	pos, line := uint32(0), uint32(1)
	for _, t := range p.toks[f.from:f.upTo] {
		out = binary.AppendUvarint(out, numbers[t.word()])
		// One bit says whether a new line was begun, mostly it was not; one whether a
		// statement was.
		gap := uint64(t.start-pos)<<2 | uint64(bit(t.begins))<<1
		if t.line == line {
			out = binary.AppendUvarint(out, gap)
		} else {
			out = binary.AppendUvarint(out, gap|1)
			out = binary.AppendUvarint(out, uint64(t.line-line))
		}
		pos, line = t.end, t.last
	}
	return out
}

// Decode unpacks what Encode made. It refuses damaged rows and never takes
// more memory than the row's own size warrants.
func Decode(row []byte) (*Prints, error) {
	d := &decoder{row: row}
	if v := d.byte(); d.err == nil && v != packVersion {
		return nil, ErrVersion
	}
	p := &Prints{Cut: d.byte() == 1}
	dictionary := d.dictionary()
	files := d.count(MaxFiles)
	for range files {
		d.file(p, dictionary)
	}
	d.notes(p)
	if d.err == nil && d.pos != len(d.row) {
		d.fail("there is more than was promised")
	}
	if d.err != nil {
		return nil, d.err
	}
	return p, nil
}

type decoder struct {
	row []byte
	pos int
	err error
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errPacked, why)
	}
}

func (d *decoder) byte() byte { return d.bytes(1)[0] }

// bytes gives the next n bytes, zeros where there are none left.
func (d *decoder) bytes(n int) []byte {
	if d.err != nil || n > len(d.row)-d.pos {
		d.fail("it ends early")
		return make([]byte, min(n, 8))
	}
	d.pos += n
	return d.row[d.pos-n : d.pos]
}

func (d *decoder) uvarint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.row[d.pos:])
	if n <= 0 {
		d.fail("it ends early")
		return 0
	}
	d.pos += n
	return v
}

// count reads how many things follow; each takes at least a byte of the row.
func (d *decoder) count(limit int) int {
	n := d.uvarint()
	if n > uint64(limit) || n > uint64(len(d.row)-d.pos) {
		d.fail("a number is too large")
		return 0
	}
	return int(n)
}

func (d *decoder) dictionary() []word {
	out := make([]word, d.count(min(MaxTokens, len(d.row)/10)))
	for i := range out {
		norm, text := binary.LittleEndian.Uint32(d.bytes(4)), binary.LittleEndian.Uint32(d.bytes(4))
		size, breaks := d.uvarint(), d.uvarint()
		if size > MaxFileBytes || breaks > size {
			d.fail("a word is too long")
		}
		out[i] = word{norm, text, uint32(size), uint32(breaks)}
	}
	return out
}

func (d *decoder) file(p *Prints, dictionary []word) {
	name := string(d.bytes(d.count(maxName)))
	language := Language(d.byte())
	n := d.count(MaxTokens - len(p.toks))
	if language >= languages {
		d.fail("it names an unknown language")
	}
	from := len(p.toks)
	pos, line := uint64(0), uint64(1)
	for range n {
		t := d.token(dictionary, &pos, &line)
		if d.err != nil {
			return
		}
		p.toks = append(p.toks, t)
	}
	p.files = append(p.files, printedFile{name: name, language: language, from: from, upTo: len(p.toks)})
}

func (d *decoder) token(dictionary []word, pos, line *uint64) token {
	number, gap := d.uvarint(), d.uvarint()
	if number >= uint64(len(dictionary)) {
		d.fail("a word is not in its dictionary")
		return token{}
	}
	if gap&1 == 1 {
		*line += min(d.uvarint(), 2*MaxFileBytes)
	}
	w := dictionary[number]
	start := *pos + gap>>2
	*pos = start + uint64(w.size)
	first := *line
	*line += uint64(w.breaks)
	if gap>>2 > MaxFileBytes || *pos > MaxFileBytes || *line > MaxFileBytes+1 {
		d.fail("a place is outside its file")
	}
	return token{norm: w.norm, text: w.text, start: uint32(start), end: uint32(*pos),
		line: uint32(first), last: uint32(*line), begins: gap&2 != 0}
}

func (d *decoder) notes(p *Prints) {
	for range d.count(maxNotes) {
		hash := binary.LittleEndian.Uint64(d.bytes(8))
		var v [5]uint64
		for i := range v {
			v[i] = d.uvarint()
		}
		size, file, line, start, length := v[0], v[1], v[2], v[3], v[4]
		if size > length || length > maxNoteLine || start > MaxFileBytes || line > MaxFileBytes+1 ||
			file >= uint64(len(p.files)) {
			d.fail("a comment is outside its file")
		}
		if d.err != nil {
			return
		}
		p.notes = append(p.notes, note{hash: hash, size: uint32(size), start: uint32(start), end: uint32(start + length),
			line: uint32(line), file: uint32(file)})
	}
}
