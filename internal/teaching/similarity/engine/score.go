package engine

import (
	"cmp"
	"math"
	"slices"
)

const (
	// smallClass is the size below which a class is treated as if there were so
	// many: of two works alone nothing could be said to be rare.
	smallClass = 10
	// crowd is the number of works beyond which a fragment says nothing of a
	// pair any more; it bounds the time an insertion takes.
	crowd = 1024
	// doubt is the weight that is held against every pair, so that a fragment
	// or two that happen to be shared are no proof.
	doubt = 20.0
	// alone is what a fragment that one work only has weighs beside one that two
	// have. Every insertion into a copy makes some, so they must not outweigh it.
	alone = 0.25
	// settled is the part of a class beyond which a sign of structure says nothing:
	// the exercise leads there.
	settled = 0.85
	// few is the part of a class up to which a word may be known and still be evidence.
	few = 0.2
	// most is how many pairs of one work are looked at.
	most = 1000
)

// How the signals make a score; docs/similarity.md has the figures they were chosen by.
const (
	// runsCount is what runs of tokens count for beside signs of structure.
	runsCount = 0.3
	// common is what is left of a pair's sum where all they share is common: then nearly
	// everything must be alike to be noticed.
	common = 0.576
	// wordsCount is what rare words add at most, and wordsDoubt the weight at which they
	// add half of it.
	wordsCount = 0.15
	wordsDoubt = 60.0
	// against is the part of a work below which runs speak against a copy, and unsure the
	// sum that is then not passed, however much the signs say.
	against = 0.1
	unsure  = 0.5
	// bend puts a sum of 0.56, which independent works hardly reach, at the threshold.
	bend = 1.377
)

// scale turns the number of owners of a fragment into its weight, in each view.
type scale struct {
	state  uint64 // changes with the index
	built  uint64
	owners [maxLevel + 1][len(views)][]float64
}

// weigh brings the scale up to date. It costs a logarithm for every number of
// owners that can occur.
func (x *Index) weigh() {
	if x.scale.built == x.scale.state {
		return
	}
	for l, n := range x.owners {
		if l > 0 && n == x.owners[l-1] {
			x.scale.owners[l] = x.scale.owners[l-1]
			continue
		}
		x.scale.owners[l] = weights(n)
	}
	x.scale.built = x.scale.state
}

// weights gives what a fragment weighs by the number of owners who have it: the square of
// the logarithm of its rarity; of signs of structure, which are small and so more often
// shared by chance, the third power; of words nothing, unless few have them.
func weights(owners int) (byView [len(views)][]float64) {
	var out [sides][]float64
	for side := range out {
		out[side] = make([]float64, owners+1)
	}
	class := float64(max(owners, smallClass))
	for have := range owners + 1 { // at least two have what is shared
		rare := math.Log(class / float64(max(have, 2)))
		square, part := rare*rare, float64(have)/class
		if have <= 1 {
			square *= alone
		}
		out[writtenSide][have], out[shapeSide][have] = square, square
		if part <= settled {
			out[signSide][have] = square * rare
		}
		if have <= 2 || part <= few {
			out[wordSide][have] = square
		}
	}
	for v, view := range views {
		byView[v] = scaled(out[view.side], view.weight)
	}
	return byView
}

func scaled(list []float64, by float64) []float64 {
	if by == 1 {
		return list
	}
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = by * v
	}
	return out
}

// weight of a fragment, by how rare it is.
func (x *Index) weight(e *entry) float64 {
	if e.works > crowd {
		return 0
	}
	return x.scale.owners[e.zeros][e.view][e.owners]
}

// totalsOf gives a work's weight at each level, from the rarities of now.
func (x *Index) totalsOf(w *indexed) *[maxLevel + 1][sides]float64 {
	if w.as == x.scale.state {
		return &w.totals
	}
	var sums [maxLevel + 1][sides]float64
	for _, p := range w.prints {
		e := &x.entries[p]
		sums[e.zeros][sideOf[e.view]] += x.weight(e)
	}
	for l := maxLevel; l > 0; l-- {
		for side := range sums[l] {
			sums[l-1][side] += sums[l][side]
		}
	}
	w.totals, w.as = sums, x.scale.state
	return &w.totals
}

// Near is a work that shares something with another.
type Near struct {
	ID    int64
	Score float64 // 0 to 100
}

// Near finds the works that share something with a work of the index and score
// at least so much, best first, at most 1,000.
func (x *Index) Near(id int64, least float64) []Near {
	x.mu.Lock()
	defer x.mu.Unlock()
	number, ok := x.byID[id]
	if !ok {
		return nil
	}
	x.weigh()
	return x.near(number, 0, least, make([]tally, len(x.works)))
}

// tally adds up what a pair shares.
type tally struct {
	weight [sides]float64 // as written, by shape
	some   bool
}

// near looks at the works from a number on, with sums the caller made, which it leaves empty.
func (x *Index) near(number, from uint32, least float64, sums []tally) []Near {
	me := x.works[number]
	for _, p := range me.prints {
		e := &x.entries[p]
		if e.works < 2 || e.works > crowd {
			continue
		}
		w, side := x.weight(e), sideOf[e.view]
		if w == 0 && least > 0 {
			continue // it makes no score
		}
		list := x.lists[e.first]
		for k := len(list) - 1; k >= 0 && list[k] >= from; k-- {
			s := &sums[list[k]]
			s.weight[side] += w
			s.some = true
		}
	}
	var out []Near
	for i := range sums[from:] {
		s := &sums[from:][i]
		if !s.some {
			continue
		}
		shared, it := s.weight, x.works[int(from)+i]
		*s = tally{}
		if it == me || me.related(it) {
			continue
		}
		if score := x.rate(me, it, shared); score >= least {
			out = append(out, Near{ID: it.id, Score: score})
		}
	}
	slices.SortFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), most)]
}

// rate makes the score of two signals. Signs of structure say which part of the lighter
// work is done in the other, in whatever order; runs of tokens which part of it stands
// there, as written or by its shape. Where works have no signs, as documents, runs alone
// make the score.
func (x *Index) rate(a, b *indexed, shared [sides]float64) float64 {
	l := max(a.level, b.level)
	ta, tb := x.totalsOf(a)[l], x.totalsOf(b)[l]
	part := func(side int) float64 { return contained(shared[side], ta[side], tb[side]) }
	if min(ta[signSide], tb[signSide]) == 0 {
		return x.rateRuns(shared, ta, tb)
	}
	runs := max(part(writtenSide), part(shapeSide))
	sum := (part(signSide) + runsCount*runs) / (1 + runsCount)
	sum *= common + (1-common)*sure(shared[signSide]*float64(uint(1)<<max(0, l-sparse)))
	sum += wordsCount * shared[wordSide] / (shared[wordSide] + wordsDoubt)
	if runs < against {
		sum = min(sum, unsure)
	}
	return 100 * math.Pow(min(1, sum), bend)
}

// rateRuns makes the score of runs of tokens alone. Each view says which part of the
// lighter work is shared, as far as there is enough to say so. The stronger view counts
// for most: a copy with other names has lost what was written, a copy that was rebuilt
// has lost its shape. Shape alone is weaker evidence, hence its square.
func (x *Index) rateRuns(shared, ta, tb [sides]float64) float64 {
	written := contained(shared[writtenSide], ta[writtenSide], tb[writtenSide])
	shape := contained(shared[shapeSide], ta[shapeSide], tb[shapeSide])
	runs := shared[writtenSide] + shared[shapeSide]
	both := contained(runs, ta[writtenSide]+ta[shapeSide], tb[writtenSide]+tb[shapeSide])
	written *= sure(shared[writtenSide])
	shape *= shape * sure(shared[shapeSide])
	both *= sure(runs)
	return 100 * min(1, 0.75*max(written, shape)+0.25*both)
}

// contained is the part of the lighter work that is shared.
func contained(shared, a, b float64) float64 {
	if lighter := min(a, b); lighter > 0 {
		return min(1, shared/lighter)
	}
	return 0
}

// sure tells how far a weight is beyond what may happen by chance.
func sure(weight float64) float64 { return weight / (weight + doubt) }

// Score rates a pair by the rarities of now, from the index alone: the way to
// keep the scores of known pairs true while a class hands in. Unknown works
// and works of one owner score 0.
func (x *Index) Score(a, b int64) float64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	left, okA := x.byID[a]
	right, okB := x.byID[b]
	if !okA || !okB || a == b {
		return 0
	}
	v, w := x.works[left], x.works[right]
	if v.related(w) {
		return 0
	}
	x.weigh()
	return x.rate(v, w, x.shared(v, w))
}

// shared is the weight of the fingerprints two works have in common.
func (x *Index) shared(a, b *indexed) (sum [sides]float64) {
	var both [256]uint32
	n := uint(0)
	for i, j := uint(0), uint(0); i < uint(len(a.prints)) && j < uint(len(b.prints)); {
		// The lower one goes on, or both. Which it is cannot be foreseen: so written, no
		// processor tries to.
		p, q := a.prints[i], b.prints[j]
		apart := int64(p) - int64(q)
		low, high := uint(apart-1)>>63, uint(-apart-1)>>63 // 1 where p <= q, where q <= p
		both[n] = p
		i, j, n = i+low, j+high, n+low&high
		if n == uint(len(both)) {
			x.addUp(&sum, both[:])
			n = 0
		}
	}
	x.addUp(&sum, both[:n])
	return sum
}

func (x *Index) addUp(sum *[sides]float64, prints []uint32) {
	for _, p := range prints {
		e := &x.entries[p]
		sum[sideOf[e.view]] += x.weight(e)
	}
}
