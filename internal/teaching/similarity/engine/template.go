package similar

// Template is what was given to everyone: its fragments prove nothing. Nil is
// no template.
type Template struct {
	written map[uint64]bool // runs as written, whole
	shape   map[uint64]bool // longer runs, names aside
	files   map[uint64]bool // files too short for a run
	prints  map[uint64]bool // fingerprints at level 0
}

const (
	writtenRun = 6
	shapeRun   = 18
)

// NewTemplate reads what was given out; several uploads are files of one Prints.
func NewTemplate(p *Prints) *Template {
	t := &Template{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}}
	for _, f := range p.files {
		p.fileRuns(f, 0, 0, writtenRun, true, func(r run) { t.written[r.hash] = true })
		p.fileRuns(f, 0, 0, shapeRun, false, func(r run) { t.shape[r.hash] = true })
		t.files[p.fileHash(f)] = true
	}
	p.runs(0, func(r run) { t.prints[r.hash] = true })
	return t
}

// holds marks the tokens of a submission that are the template's.
func (t *Template) holds(p *Prints) []bool {
	marks := make([]bool, len(p.toks))
	if t == nil {
		return marks
	}
	mark := func(in map[uint64]bool) func(run) {
		return func(r run) {
			if in[r.hash] {
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
	all := p.fingerprints(level)
	if t == nil {
		return all
	}
	marks, inside := t.holds(p), map[uint64]bool{}
	p.runs(level, func(r run) { inside[r.hash] = inside[r.hash] || mostly(marks[r.from:r.upTo]) })
	kept := all[:0]
	for _, f := range all {
		if !t.prints[f.hash] && !inside[f.hash] {
			kept = append(kept, f)
		}
	}
	return kept
}

func mostly(marks []bool) bool { return 2*count(marks, true) > len(marks) }
