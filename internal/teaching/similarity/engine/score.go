package similar

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
	// most is how many pairs of one work are looked at.
	most = 1000
)

// scale turns the number of owners of a fragment into its weight.
type scale struct {
	state  uint64 // changes with the index
	built  uint64
	owners [maxLevel + 1][]float64
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
		class := float64(max(n, smallClass))
		table := make([]float64, n+1)
		for have := range table { // at least two have what is shared
			rare := math.Log(class / float64(max(have, 2)))
			table[have] = rare * rare
			if have <= 1 {
				table[have] *= alone
			}
		}
		x.scale.owners[l] = table
	}
	x.scale.built = x.scale.state
}

// weight of a fragment: the square of the logarithm of its rarity.
func (x *Index) weight(e *entry) float64 {
	if e.works > crowd {
		return 0
	}
	return views[e.view].weight * x.scale.owners[e.zeros][e.owners]
}

// totalsOf gives a work's weight at each level, from the rarities of now.
func (x *Index) totalsOf(w *indexed) *[maxLevel + 1][2]float64 {
	if w.as == x.scale.state {
		return &w.totals
	}
	clear(w.totals[:])
	for _, p := range w.prints {
		e := &x.entries[p]
		w.totals[e.zeros][views[e.view].side] += x.weight(e)
	}
	for l := maxLevel; l > 0; l-- {
		for side := range w.totals[l] {
			w.totals[l-1][side] += w.totals[l][side]
		}
	}
	w.as = x.scale.state
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
	return x.near(number, least, make([]tally, len(x.works)), func(uint32) bool { return true })
}

// tally adds up what a pair shares.
type tally struct {
	weight [2]float64 // as written, by shape
	some   bool
}

// near works with sums the caller made, which it leaves empty.
func (x *Index) near(number uint32, least float64, sums []tally, wanted func(uint32) bool) []Near {
	me := x.works[number]
	var touched []uint32
	for _, p := range me.prints {
		e := &x.entries[p]
		if e.works < 2 || e.works > crowd {
			continue
		}
		w, side := x.weight(e), views[e.view].side
		for _, other := range x.lists[e.first] {
			s := &sums[other]
			if !s.some {
				touched = append(touched, other)
			}
			s.weight[side] += w
			s.some = true
		}
	}
	var out []Near
	for _, other := range touched {
		s := sums[other]
		sums[other] = tally{}
		it := x.works[other]
		if other == number || !wanted(other) || me.related(it) {
			continue
		}
		if score := x.rate(me, it, s.weight); score >= least {
			out = append(out, Near{ID: it.id, Score: score})
		}
	}
	slices.SortFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), most)]
}

// rate makes the score. Each view says which part of the lighter work is
// shared, as far as there is enough to say so. The stronger view counts for
// most: a copy with other names has lost what was written, a copy that was
// rebuilt has lost its shape. Shape alone is weaker evidence, hence its square.
func (x *Index) rate(a, b *indexed, shared [2]float64) float64 {
	l := max(a.level, b.level)
	ta, tb := x.totalsOf(a)[l], x.totalsOf(b)[l]
	written := contained(shared[0], ta[0], tb[0])
	shape := contained(shared[1], ta[1], tb[1])
	both := contained(shared[0]+shared[1], ta[0]+ta[1], tb[0]+tb[1])
	written *= sure(shared[0])
	shape *= shape * sure(shared[1])
	both *= sure(shared[0] + shared[1])
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
func (x *Index) shared(a, b *indexed) [2]float64 {
	var sum [2]float64
	for i, j := 0, 0; i < len(a.prints) && j < len(b.prints); {
		switch p, q := a.prints[i], b.prints[j]; {
		case p < q:
			i++
		case p > q:
			j++
		default:
			e := &x.entries[p]
			sum[views[e.view].side] += x.weight(e)
			i++
			j++
		}
	}
	return sum
}
