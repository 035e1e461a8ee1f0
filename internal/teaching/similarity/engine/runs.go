package similar

import (
	"math/bits"
	"slices"
)

// The views of a program: short runs as written, and longer ones of which only
// the structure counts. A renamed copy keeps the second, a rebuilt one the first.
var views = [...]struct {
	size   int
	text   bool
	side   int // of a tally
	weight float64
}{
	{size: 3, text: true, side: 0, weight: 3},
	{size: 6, side: 1, weight: 1},
	{size: 9, side: 1, weight: 1},
	{size: 12, side: 1, weight: 1},
}

const (
	// fullTokens is the length up to which every run of a submission is kept.
	// Of longer ones a sample is: of twice the length half the runs, and so on.
	fullTokens = 512
	maxLevel   = 12
	// leastKept is how many different runs of a long submission must be in the sample;
	// of ordinary work four times as many are.
	leastKept = 256
)

// run is a fingerprint: a run of tokens in one of the views.
type run struct {
	hash       uint64 // of the view and the tokens
	view       uint8
	from, upTo int32 // tokens
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

// runs calls f with every run that is kept at the level.
func (p *Prints) runs(level int, f func(run)) {
	for v, view := range views {
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

// fingerprints gives each kept run once, in the order of their hashes.
func (p *Prints) fingerprints(level int) []fingerprint {
	out := make([]fingerprint, 0, min(len(p.toks), fullTokens)*len(views))
	p.runs(level, func(r run) { out = append(out, fingerprint{r.hash, r.view}) })
	slices.SortFunc(out, func(a, b fingerprint) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return 0
	})
	return slices.Compact(out)
}
