package engine

import (
	"math/bits"
	"slices"
)

// Template is what was given to everyone: its fragments prove nothing. Nil is
// no template.
type Template struct {
	written map[uint64]bool // runs as written, whole
	shape   map[uint64]bool // longer runs, names aside
	files   map[uint64]bool // files too short for a run
	prints  map[uint64]bool // fingerprints at level 0
	may     []uint64        // a bit for each of them; most of what is asked for has none
}

const (
	writtenRun = 6
	shapeRun   = 18
)

// NewTemplate reads what was given out; several uploads are files of one Prints.
func NewTemplate(p *Prints) *Template {
	t := &Template{written: map[uint64]bool{}, shape: map[uint64]bool{}, files: map[uint64]bool{},
		prints: map[uint64]bool{}}
	for _, f := range p.files {
		p.fileRuns(f, 0, 0, writtenRun, true, func(r run) { t.written[r.hash] = true })
		p.fileRuns(f, 0, 0, shapeRun, false, func(r run) { t.shape[r.hash] = true })
		t.files[p.fileHash(f)] = true
	}
	p.runs(0, func(r run) { t.prints[r.hash] = true })
	t.may = make([]uint64, 1<<bits.Len(uint(len(t.written)+len(t.shape)+len(t.prints))/4))
	for _, all := range []map[uint64]bool{t.written, t.shape, t.prints} {
		for h := range all {
			t.may[h>>20&uint64(len(t.may)-1)] |= 1 << (h >> 58)
		}
	}
	return t
}

// mayHold tells in no time that a hash is not the template's, nearly always where it is not.
func (t *Template) mayHold(h uint64) bool { return t.may[h>>20&uint64(len(t.may)-1)]>>(h>>58)&1 == 1 }

// holds marks the tokens of a submission that are the template's.
func (t *Template) holds(p *Prints) []bool {
	marks := make([]bool, len(p.toks))
	if t == nil {
		return marks
	}
	mark := func(in map[uint64]bool) func(run) {
		return func(r run) {
			if t.mayHold(r.hash) && in[r.hash] {
				fill(marks[r.from:r.upTo])
			}
		}
	}
	for _, f := range p.files {
		p.fileRuns(f, 0, 0, writtenRun, true, mark(t.written))
		p.fileRuns(f, 0, 0, shapeRun, false, mark(t.shape))
		if t.files[p.fileHash(f)] {
			fill(marks[f.from:f.upTo])
		}
	}
	return marks
}

func fill(b []bool) {
	for i := range b {
		b[i] = true
	}
}

// fileHash is of a whole file as written.
func (p *Prints) fileHash(f printedFile) uint64 {
	h := uint64(f.upTo - f.from)
	for i := f.from; i < f.upTo; i++ {
		h = mix(h*base + uint64(p.toks[i].text))
	}
	return h
}

// own gives the fingerprints of a submission without those of the template:
// neither the runs that stand in it nor those that are mostly made of what was
// taken from it. Else every run across the end of a template would count, and a
// single line below a long template look like a work of its own.
func (t *Template) own(p *Prints, level int) []fingerprint {
	if t == nil {
		return p.fingerprints(level, func(run) {})
	}
	upTo, inside := sums(t.holds(p)), map[uint64]bool{}
	all := p.fingerprints(level, func(r run) {
		if 2*(upTo[r.upTo]-upTo[r.from]) > r.upTo-r.from {
			inside[r.hash] = true
		}
	})
	return slices.DeleteFunc(all, func(f fingerprint) bool {
		return t.mayHold(f.hash) && t.prints[f.hash] || inside[f.hash]
	})
}

// sums tells how many tokens before each are marked.
func sums(marks []bool) []int32 {
	out := make([]int32, len(marks)+1)
	for i, m := range marks {
		out[i+1] = out[i]
		if m {
			out[i+1]++
		}
	}
	return out
}

func mostly(marks []bool) bool { return 2*count(marks, true) > len(marks) }
