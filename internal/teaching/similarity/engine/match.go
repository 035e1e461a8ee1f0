package engine

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// minMatch is the length from which equal tokens are a match.
	minMatch = 10
	// Bounds on the work for one pair: places of a run that are tried, matches
	// that are kept, tokens that are compared. What is beyond them is not found.
	maxPlaces  = 24
	maxMatches = 1 << 17
	maxSteps   = 1 << 24
)

// Range is a passage of a submission. Lines count from 1, bytes from 0; the
// last line is part of it, the last byte is not.
type Range struct {
	File      int    `json:"file"` // in the order of Prints.Files
	Name      string `json:"name"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	StartByte int    `json:"start_byte"`
	EndByte   int    `json:"end_byte"`
}

// Passage is the same code in both works.
type Passage struct {
	Left   Range `json:"left"`
	Right  Range `json:"right"`
	Tokens int   `json:"tokens"` // without the template's
	left   int   // first token
	right  int
	length int
}

// Match is what two works have in common, in the order of the left one.
type Match struct {
	// Pct is the share of the shorter work that is also in the longer one, 0 to
	// 100, over normalised tokens without the template's. It is the same from
	// both sides. 100 stands for everything and 0 for nothing: 99.6 is 99.
	Pct      int       `json:"pct"`
	Passages []Passage `json:"passages"`
}

// Compare finds the passages two works share, longest first and every token
// once, so that what is written once in one work matches once in the other.
func Compare(left, right *Prints, t *Template) Match {
	if left.before(right) {
		return compare(left, right, t)
	}
	return compare(right, left, t).Mirrored()
}

// Mirrored is the match seen from the other side.
func (m Match) Mirrored() Match {
	out := Match{Pct: m.Pct, Passages: make([]Passage, len(m.Passages))}
	for i, p := range m.Passages {
		out.Passages[i] = Passage{p.Right, p.Left, p.Tokens, p.right, p.left, p.length}
	}
	slices.SortFunc(out.Passages, func(a, b Passage) int { return a.left - b.left })
	return out
}

// Longest gives at most n of the passages, those with the most tokens, in the order
// of the left work.
func (m Match) Longest(n int) []Passage {
	if len(m.Passages) <= n {
		return m.Passages
	}
	out := slices.SortedStableFunc(slices.Values(m.Passages), func(a, b Passage) int { return b.Tokens - a.Tokens })[:n]
	slices.SortFunc(out, func(a, b Passage) int { return a.left - b.left })
	return out
}

// before orders two works by what is in them, so that a pair gives the same
// figure whichever side it is looked at from.
func (p *Prints) before(o *Prints) bool {
	if len(p.toks) != len(o.toks) {
		return len(p.toks) < len(o.toks)
	}
	for i, t := range p.toks {
		if u := o.toks[i]; t.norm != u.norm {
			return t.norm < u.norm
		}
	}
	return true
}

func compare(left, right *Prints, t *Template) Match {
	m := &matcher{left: left, right: right, leftGiven: t.holds(left), rightGiven: t.holds(right)}
	smaller := min(count(m.leftGiven, false), count(m.rightGiven, false))
	if smaller == 0 {
		return Match{}
	}
	m.least = min(minMatch, smaller)
	m.leftUsed, m.rightUsed = make([]bool, len(left.toks)), make([]bool, len(right.toks))
	m.equalFiles()
	m.collect()
	m.place()
	matched := 0
	for _, p := range m.found {
		matched += p.Tokens
	}
	slices.SortFunc(m.found, func(a, b Passage) int { return a.left - b.left })
	return Match{Pct: min(100, 100*matched/smaller), Passages: m.found}
}

func count(marks []bool, what bool) int {
	n := 0
	for _, m := range marks {
		if m == what {
			n++
		}
	}
	return n
}

// matcher lays the longest equal runs of two works over each other.
type matcher struct {
	left, right           *Prints
	leftGiven, rightGiven []bool // the template's
	leftUsed, rightUsed   []bool // matched
	least                 int
	steps                 int
	runs                  []tile
	found                 []Passage
}

type tile struct{ left, right, length int32 }

// equalFiles matches files that are the same but for names, however short.
func (m *matcher) equalFiles() {
	at := map[uint64][]printedFile{}
	for _, f := range m.right.files {
		h := m.right.shapeHash(f)
		at[h] = append(at[h], f)
	}
	for _, f := range m.left.files {
		h := m.left.shapeHash(f)
		if same := at[h]; len(same) > 0 && f.upTo > f.from {
			m.take(tile{int32(f.from), int32(same[0].from), int32(f.upTo - f.from)}, 1)
			at[h] = same[1:]
		}
	}
}

func (p *Prints) shapeHash(f printedFile) uint64 {
	h := uint64(f.upTo - f.from)
	for i := f.from; i < f.upTo; i++ {
		h = mix(h*base + uint64(p.toks[i].norm))
	}
	return h
}

// collect finds the longest equal runs from every place they can begin at.
func (m *matcher) collect() {
	at := m.places()
	ends := map[int32]int32{} // by diagonal: where the last run on it ended
	for _, f := range m.left.files {
		m.left.fileRuns(f, 0, 0, m.least, false, func(r run) {
			if m.leftUsed[r.from] {
				return
			}
			tries := 0
			for j := at.first(r.hash); j >= 0 && tries < maxPlaces; j = at.next[j] {
				if at.hash[j] != r.hash {
					continue
				}
				tries++
				if !m.rightUsed[j] && ends[r.from-j] <= r.from && len(m.runs) < maxMatches && m.steps < maxSteps {
					n := m.extend(int(r.from), int(j), f.upTo)
					ends[r.from-j] = r.from + n
					m.steps += int(n)
					m.runs = append(m.runs, tile{r.from, j, n})
				}
			}
		})
	}
}

// places tells where the runs of a work stand: a table of chains, each in the
// order of the work.
type places struct {
	head, next []int32
	hash       []uint64
}

func (p *places) first(hash uint64) int32 { return p.head[hash&uint64(len(p.head)-1)] - 1 }

func (m *matcher) places() *places {
	n := len(m.right.toks)
	p := &places{head: make([]int32, 1<<bits.Len(uint(2*n))), next: make([]int32, n), hash: make([]uint64, n)}
	var starts []int32
	for _, f := range m.right.files {
		m.right.fileRuns(f, 0, 0, m.least, false, func(r run) {
			p.hash[r.from] = r.hash
			starts = append(starts, r.from)
		})
	}
	for _, at := range slices.Backward(starts) {
		slot := &p.head[p.hash[at]&uint64(len(p.head)-1)]
		p.next[at] = *slot - 1
		*slot = at + 1
	}
	return p
}

// extend tells how far two equal runs go on, to the end of either file.
func (m *matcher) extend(i, j, end int) int32 {
	f := m.right.fileAt(j)
	n := 0
	for i+n < end && j+n < f.upTo && m.left.toks[i+n].norm == m.right.toks[j+n].norm {
		n++
	}
	return int32(n)
}

func (p *Prints) fileAt(token int) printedFile { return p.files[p.fileNumber(token)] }

func (p *Prints) fileNumber(token int) int {
	n, _ := slices.BinarySearchFunc(p.files, token, func(f printedFile, at int) int {
		if f.upTo <= at {
			return -1
		}
		return cmp.Compare(f.from, at)
	})
	for n > 0 && p.files[n-1].upTo > token {
		n--
	}
	for p.files[n].upTo <= token {
		n++
	}
	return n
}

// place takes the runs, longest first. What is left of a run that lost tokens
// to a longer one is put back in line with its new length.
func (m *matcher) place() {
	byLength := map[int32][]tile{}
	longest := int32(0)
	for _, t := range m.runs {
		byLength[t.length] = append(byLength[t.length], t)
		longest = max(longest, t.length)
	}
	for n := longest; n >= int32(m.least); n-- {
		for k := 0; k < len(byLength[n]) && m.steps < 4*maxSteps; k++ {
			t := byLength[n][k]
			rest := m.free(t)
			if rest.length < n {
				if rest.length >= int32(m.least) {
					byLength[rest.length] = append(byLength[rest.length], rest)
				}
				continue
			}
			m.take(t, m.least)
		}
		delete(byLength, n)
	}
}

// free gives the longest part of a run that is still unmatched on both sides.
func (m *matcher) free(t tile) tile {
	best, now := tile{}, tile{t.left, t.right, 0}
	m.steps += int(t.length)
	for k := range t.length {
		if m.leftUsed[t.left+k] || m.rightUsed[t.right+k] {
			now = tile{t.left + k + 1, t.right + k + 1, 0}
			continue
		}
		if now.length++; now.length > best.length {
			best = now
		}
	}
	return best
}

// take marks a run as matched, if enough of it is not the template's.
func (m *matcher) take(t tile, least int) {
	own := 0
	for k := range t.length {
		if !m.leftGiven[t.left+k] && !m.rightGiven[t.right+k] {
			own++
		}
	}
	if own < least {
		return
	}
	for k := range t.length {
		m.leftUsed[t.left+k], m.rightUsed[t.right+k] = true, true
	}
	m.found = append(m.found, Passage{
		Left:  m.left.ranged(int(t.left), int(t.length)),
		Right: m.right.ranged(int(t.right), int(t.length)), Tokens: own,
		left: int(t.left), right: int(t.right), length: int(t.length),
	})
}

// ranged turns tokens into a passage of a file.
func (p *Prints) ranged(from, n int) Range {
	file := p.fileNumber(from)
	first, last := p.toks[from], p.toks[from+n-1]
	return Range{File: file, Name: p.files[file].name, StartLine: int(first.line), EndLine: int(last.last),
		StartByte: int(first.start), EndByte: int(last.end)}
}
