package linediff

import "sort"

// Bounds of the work of one comparison: how deep stretches between anchors are divided, how many differences are
// looked for where there are no anchors, and how many steps that may take in all stretches together. Beyond
// them a stretch counts as replaced.
const (
	deepest     = 24
	differences = 1000
	stepsInAll  = 8_000_000
)

// aligner finds the lines that two texts, given as numbers of lines, have in common and in the same order.
type aligner struct {
	old, fresh         []int32
	match              []int // of each old line its place in the new text, from 0, or -1
	inOld, inFresh, at []int32
	rank               []int32 // of each new line how many equal ones stand before it in its stretch
	steps              int
}

func newAligner(old, fresh []int32, kinds int) *aligner {
	a := &aligner{old: old, fresh: fresh, match: make([]int, len(old)), steps: stepsInAll,
		inOld: make([]int32, kinds), inFresh: make([]int32, kinds), at: make([]int32, kinds), rank: make([]int32, len(fresh))}
	for i := range a.match {
		a.match[i] = -1
	}
	return a
}

// align matches the lines of two stretches, counted from 0: what begins and ends alike, then the lines that stand
// once in each, which nothing else can be mistaken for, and between these again; the shortest way of edits where
// no such lines are left.
func (a *aligner) align(o, n Span, depth int) {
	o, n = a.trim(o, n)
	if o.Count == 0 || n.Count == 0 {
		return
	}
	anchors := a.anchors(o, n)
	if len(anchors) == 0 || depth == deepest {
		a.shortest(o, n)
		return
	}
	for _, p := range append(anchors, Pair{o.End(), n.End()}) {
		a.align(Span{o.First, p.Old - o.First}, Span{n.First, p.New - n.First}, depth+1)
		if p.Old == o.End() {
			return
		}
		a.match[p.Old] = p.New
		o, n = Span{p.Old + 1, o.End() - p.Old - 1}, Span{p.New + 1, n.End() - p.New - 1}
	}
}

// trim matches what both stretches begin and end with, and gives what is left.
func (a *aligner) trim(o, n Span) (Span, Span) {
	for o.Count > 0 && n.Count > 0 && a.old[o.First] == a.fresh[n.First] {
		a.match[o.First] = n.First
		o, n = Span{o.First + 1, o.Count - 1}, Span{n.First + 1, n.Count - 1}
	}
	for o.Count > 0 && n.Count > 0 && a.old[o.End()-1] == a.fresh[n.End()-1] {
		a.match[o.End()-1] = n.End() - 1
		o.Count, n.Count = o.Count-1, n.Count-1
	}
	return o, n
}

// count fills inOld and inFresh for two stretches, and at with a place in the new one; forget empties them again.
func (a *aligner) count(o, n Span) {
	for _, id := range a.old[o.First:o.End()] {
		a.inOld[id]++
	}
	for j := n.First; j < n.End(); j++ {
		a.inFresh[a.fresh[j]]++
		a.at[a.fresh[j]] = int32(j)
	}
}

func (a *aligner) forget(o, n Span) {
	for _, id := range a.old[o.First:o.End()] {
		a.inOld[id] = 0
	}
	for _, id := range a.fresh[n.First:n.End()] {
		a.inFresh[id] = 0
	}
}

// anchors gives the longest row of lines that stand once in each stretch and in the same order in both.
func (a *aligner) anchors(o, n Span) []Pair {
	a.count(o, n)
	var once []Pair
	for i := o.First; i < o.End(); i++ {
		if id := a.old[i]; a.inOld[id] == 1 && a.inFresh[id] == 1 {
			once = append(once, Pair{i, int(a.at[id])})
		}
	}
	a.forget(o, n)
	return growing(once)
}

// growing gives the longest part of the pairs, which are in the order of Old, in which New grows, too.
func growing(pairs []Pair) []Pair {
	var ends []int // of a row of each length the pair that ends it lowest
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]].New > p.New })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	row := make([]Pair, len(ends))
	if len(ends) == 0 {
		return row
	}
	i := ends[len(ends)-1]
	for k := len(row) - 1; k >= 0; k-- {
		row[k], i = pairs[i], before[i]
	}
	return row
}

// shortest matches two stretches by the fewest edits (Myers, An O(ND) Difference Algorithm, 1986), of the lines that
// both have; none when that takes more differences or steps than there may be.
func (a *aligner) shortest(o, n Span) {
	a.count(o, n)
	var left, right []int
	for i := o.First; i < o.End(); i++ {
		if a.inFresh[a.old[i]] > 0 {
			left = append(left, i)
		}
	}
	for j := n.First; j < n.End(); j++ {
		if a.inOld[a.fresh[j]] > 0 {
			right = append(right, j)
		}
	}
	a.forget(o, n)
	if ways, ok := a.search(left, right); ok {
		a.retrace(ways, left, right)
	}
}

// search gives, after each number of edits, the furthest places on all diagonals, until both ends are reached.
func (a *aligner) search(left, right []int) (ways [][]int32, ok bool) {
	far := make([]int32, 2*differences+3) // by diagonal, from -differences-1
	for d := 0; d <= min(differences, len(left)+len(right)); d++ {
		for k := -d; k <= d; k += 2 {
			x := int(far[differences+k] + 1)
			if k == -d || k != d && far[differences+k] < far[differences+k+2] {
				x = int(far[differences+k+2])
			}
			if d == 0 {
				x = 0
			}
			y := x - k
			for x < len(left) && y < len(right) && y >= 0 && a.old[left[x]] == a.fresh[right[y]] {
				x, y, a.steps = x+1, y+1, a.steps-1
			}
			far[differences+1+k] = int32(x)
			if a.steps--; a.steps < 0 {
				return nil, false
			}
			if k == len(left)-len(right) && x >= len(left) {
				return append(ways, append([]int32(nil), far[differences+1-d:differences+2+d]...)), true
			}
		}
		ways = append(ways, append([]int32(nil), far[differences+1-d:differences+2+d]...))
	}
	return nil, false
}

// retrace walks back from the ends and matches what lies on the way.
func (a *aligner) retrace(ways [][]int32, left, right []int) {
	x, y := len(left), len(right)
	for d := len(ways) - 1; d >= 0; d-- {
		fromX, fromY := 0, 0
		if d > 0 {
			last, k := ways[d-1], x-y // last[i] is of diagonal i-(d-1)
			at := func(k int) int { return int(last[k+d-1]) }
			if k == -d || k != d && at(k-1) < at(k+1) {
				fromX, fromY = at(k+1), at(k+1)-(k+1)
			} else {
				fromX, fromY = at(k-1), at(k-1)-(k-1)
			}
		}
		for x > fromX && y > fromY && a.old[left[x-1]] == a.fresh[right[y-1]] {
			x, y = x-1, y-1
			a.match[left[x]] = right[y]
		}
		x, y = fromX, fromY
	}
}
