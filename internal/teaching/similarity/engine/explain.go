package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Explanation says in figures and in words why a pair has its score.
type Explanation struct {
	Lines   int  `json:"lines"`   // of the left work that these two alone have
	Class   int  `json:"class"`   // owners in the class
	Typical int  `json:"typical"` // how many of them have what the two share, in the middle
	Renamed bool `json:"renamed"` // most names in what they share differ
	// Evidence is what the two share and hardly anybody else has, a sentence for each.
	Evidence []string `json:"evidence"`
	Words    string   `json:"words"` // all of it, a line for each
	// Kept is Words as it is to be kept, for Told.
	Kept string `json:"-"`
}

// Explain looks up how rare in the class the passages of a pair are. Both works
// must be in the index.
func (x *Index) Explain(left, right *Prints, m Match) Explanation {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.weigh()
	return x.explain(x.read(left), x.read(right), m)
}

// ExplainBoth explains a pair to those who look at the left work and to those who look
// at the right one, and reads each work once.
func (x *Index) ExplainBoth(left, right *Prints, m Match) (toLeft, toRight Explanation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.weigh()
	a, b := x.read(left), x.read(right)
	return x.explain(a, b, m), x.explain(b, a, m.Mirrored())
}

func (x *Index) explain(left, right *reading, m Match) Explanation {
	e := Explanation{Class: x.class(), Renamed: m.renamed(left.Prints, right.Prints)}
	rare, have := x.rarity(left.Prints, m)
	e.Lines = lines(left.Prints, rare)
	if len(have) > 0 {
		slices.Sort(have)
		e.Typical = have[len(have)/2]
	}
	evidence := append(x.rareWords(left, right), x.steps(left, right, m)...)
	e.Kept = strings.Join(append([]string{e.words()}, evidence...), "\n")
	e.Words = Told(e.Kept, true)
	e.Evidence = strings.Split(e.Words, "\n")[1:]
	return e
}

func (e Explanation) words() string {
	text := ""
	switch {
	case e.Typical == 0:
		text = "What they share is too short to say how rare it is."
	case e.Class <= 2:
		text = "There are only two works to compare, so nobody can say how rare this is."
	case e.Lines == 1:
		text = fmt.Sprintf("One line is shared by no one else of %d.", e.Class)
	case e.Lines > 1:
		text = fmt.Sprintf("These %d lines are shared by no one else of %d.", e.Lines, e.Class)
	default:
		text = fmt.Sprintf("Others have it too: what the two share is typically found in %d of %d works.",
			e.Typical, e.Class)
	}
	if e.Renamed {
		text += " Most names in it differ."
	}
	return text
}

// rarity marks the tokens of the left work that only the two have, and lists
// how many owners each shared run has. Between two rare runs of a sample that
// follow each other, what was not sampled counts as rare.
func (x *Index) rarity(left *Prints, m Match) (rare []bool, have []int) {
	rare = make([]bool, len(left.toks))
	in := m.inside(len(left.toks))
	end, view, passage := int32(-1), uint8(0), 0
	left.runsOf(shapeSide, level(left.Tokens()), func(r run) {
		if in[r.from] == 0 || in[r.from] != in[r.upTo-1] {
			return
		}
		n, ok := x.numbers[r.hash]
		if !ok {
			return
		}
		owners := int(x.entries[n].owners)
		have = append(have, owners)
		if owners > 2 {
			end = -1
			return
		}
		from := r.from
		if end >= 0 && view == r.view && passage == in[r.from] {
			from = min(from, end)
		}
		fill(rare[from:r.upTo])
		end, view, passage = r.upTo, r.view, in[r.from]
	})
	return rare, have
}

// inside gives for each left token the number of its passage, from 1; 0 for none.
func (m Match) inside(tokens int) []int {
	in := make([]int, tokens)
	for i, p := range m.Passages {
		for k := range p.length {
			in[p.left+k] = i + 1
		}
	}
	return in
}

// lines counts the lines on which marked tokens stand.
func lines(p *Prints, marked []bool) int {
	n := 0
	for _, f := range p.files {
		last := uint32(0)
		for i := f.from; i < f.upTo; i++ {
			if t := p.toks[i]; marked[i] && t.last > last {
				n += int(t.last - max(last, t.line-1))
				last = t.last
			}
		}
	}
	return n
}

// renamed tells whether less than half of the names in the passages are the same.
func (m Match) renamed(left, right *Prints) bool {
	names, same := 0, 0
	for _, p := range m.Passages {
		for k := range p.length {
			a, b := left.toks[p.left+k], right.toks[p.right+k]
			if a.norm != normName {
				continue
			}
			names++
			if a.text == b.text {
				same++
			}
		}
	}
	return names > 0 && 2*same < names
}
