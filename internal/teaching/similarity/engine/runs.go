package engine

import (
	"cmp"
	"math/bits"
	"slices"
)

// The views of a program: short runs as written, and longer ones of which only the
// structure counts; signs of structure that have no order; and rare words. A renamed copy
// keeps the second, a rebuilt one the first or the third.
var views = [...]struct {
	size   int
	text   bool
	side   int // of a tally
	weight float64
}{
	{size: 3, text: true, side: writtenSide, weight: 3},
	{size: 6, side: shapeSide, weight: 1},
	{size: 9, side: shapeSide, weight: 1},
	signView:      {side: signSide, weight: 1},
	stepView:      {side: signSide, weight: 1},
	shortWordView: {side: wordSide, weight: 0.25},
	longWordView:  {side: wordSide, weight: 1},
	phraseView:    {side: wordSide, weight: 3},
}

// sideOf is the side of each view.
var sideOf = func() (out [len(views)]uint8) {
	for v, view := range views {
		out[v] = uint8(view.side)
	}
	return out
}()

// Views that are no runs of tokens.
const (
	runViews = iota + 3
	stepView
	shortWordView
	longWordView
	phraseView
	signView = runViews
)

// The sides of a tally: what a pair shares, told apart by what it says.
const (
	writtenSide = iota
	shapeSide
	signSide
	wordSide
	sides
)

const (
	// fullTokens is the length up to which every run of a submission is kept.
	// Of longer ones a sample is: of twice the length half the runs, and so on.
	fullTokens = 512
	maxLevel   = 12
	// leastKept is how many different runs of a long submission must be in the sample;
	// of ordinary work four times as many are.
	leastKept = 256
	// mostKept bounds what is kept of a submission.
	mostKept = 4 * fullTokens
)

// run is a fingerprint: a run of tokens in one of the views.
type run struct {
	hash       uint64 // of the view and the tokens
	view       uint8
	from, upTo int32 // tokens
	note       int32 // the number of the comment, from 1, where it is one
}

// zeros is the highest level at which the run is still in the sample. The same
// run is kept or dropped in every submission alike, so samples stay comparable.
func zeros(hash uint64) int { return min(bits.TrailingZeros64(hash), maxLevel) }

// level is the sampling level of a submission of so many tokens.
func level(tokens int) int {
	if tokens <= fullTokens {
		return 0
	}
	return min(bits.Len(uint((tokens-1)/fullTokens)), maxLevel)
}

// runs calls f with every run that is kept at the level, and with every sign.
func (p *Prints) runs(level int, f func(run)) {
	p.runsOf(writtenSide, level, f)
	p.runsOf(shapeSide, level, f)
	p.signs(level, f)
}

// runsOf calls f with the runs of one side.
func (p *Prints) runsOf(side, level int, f func(run)) {
	for v, view := range views[:runViews] {
		if view.side != side {
			continue
		}
		for _, file := range p.files {
			p.fileRuns(file, level, v, view.size, view.text, f)
		}
	}
}

const base = 0x9E3779B97F4A7C15

// fileRuns rolls a hash over a file: adds the token that comes, takes off the one that goes.
func (p *Prints) fileRuns(file printedFile, level, v, size int, text bool, f func(run)) {
	out := uint64(1) // base to the power of size
	for range size {
		out *= base
	}
	var h uint64
	for i := file.from; i < file.upTo; i++ {
		h = h*base + p.value(i, text)
		if i-file.from >= size {
			h -= out * p.value(i-size, text)
		}
		if i-file.from < size-1 {
			continue
		}
		if m := mix(h + uint64(v)<<56); zeros(m) >= level {
			f(run{hash: m, view: uint8(v), from: int32(i - size + 1), upTo: int32(i + 1)})
		}
	}
}

func (p *Prints) value(i int, text bool) uint64 {
	if text {
		return uint64(p.toks[i].text)
	}
	return uint64(p.toks[i].norm)
}

// mix spreads a hash over all its bits.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// fingerprint is a run without its places: what the index holds.
type fingerprint struct {
	hash uint64
	view uint8
}

// sparse is by how many levels signs and words stay longer in the sample than runs: a
// work has a fraction of them, and so few would say nothing.
const sparse = 1

// kept is the highest level at which the fingerprint is still in the sample.
func (f fingerprint) kept() int {
	if f.view < runViews {
		return zeros(f.hash)
	}
	return min(zeros(f.hash)+sparse, maxLevel)
}

// fingerprints gives each kept run once, in the order of their hashes, and shows them all.
func (p *Prints) fingerprints(level int, show func(run)) []fingerprint {
	out := make([]fingerprint, 0, min(len(p.toks), fullTokens)*len(views))
	p.runs(level, func(r run) {
		show(r)
		out = append(out, fingerprint{r.hash, r.view})
	})
	return slices.Compact(sorted(out))
}

// sorted puts fingerprints into the order of their hashes. These are spread evenly, so
// that their first bits nearly tell the place.
func sorted(list []fingerprint) []fingerprint {
	shift := 64 - bits.Len(uint(len(list)))
	upTo := make([]int32, 1<<(64-shift)+1)
	for _, f := range list {
		upTo[f.hash>>shift+1]++
	}
	for i := range upTo[1:] {
		upTo[i+1] += upTo[i]
	}
	out := make([]fingerprint, len(list))
	for _, f := range list {
		at := &upTo[f.hash>>shift]
		out[*at] = f
		*at++
	}
	from := int32(0)
	for _, end := range upTo[:len(upTo)-1] {
		if end-from > 1 {
			slices.SortFunc(out[from:end], func(a, b fingerprint) int { return cmp.Compare(a.hash, b.hash) })
		}
		from = end
	}
	return out
}
