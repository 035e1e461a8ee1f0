package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Thresholds say from where a pair is flagged, that is to be looked at by a person.
type Thresholds struct {
	Pct   int
	Score float64
}

// DefaultScore is the measured threshold of the score; docs/similarity.md has the figures.
const DefaultScore = 45

// DefaultPct is the threshold of the share where a task sets none.
const DefaultPct = 50

// Flagged tells whether a person should look at a pair: much of it must be
// alike, and what is alike must be rare in the class.
func (t Thresholds) Flagged(pct int, score float64) bool { return pct >= t.Pct && score >= t.Score }

// Pair is two works of a class and what they share.
type Pair struct {
	Left, Right int64
	Score       float64
	Match       Match
}

// Options of AllPairs.
type Options struct {
	// MinScore leaves out pairs that score less, which saves the time to look at
	// them closely; 0 keeps every pair that shares anything.
	MinScore float64
	// Progress is told, from several goroutines, how many works are done.
	Progress func(done, of int)
}

// AllPairs compares the works of a class that are in the index, all with all,
// on every core. The prints are asked for by id, from several goroutines at
// once, and may not ask the index. Pairs come best score first.
func AllPairs(ctx context.Context, x *Index, prints func(int64) *Prints, o Options) ([]Pair, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.weigh()
	for _, w := range x.works {
		if w != nil {
			x.totalsOf(w)
		}
	}
	var all []Pair
	var mu sync.Mutex
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			sums := make([]tally, len(x.works))
			for n := next.Add(1) - 1; n < int64(len(x.works)) && ctx.Err() == nil; n = next.Add(1) - 1 {
				found := x.pairsOf(uint32(n), prints, o, sums)
				mu.Lock()
				all = append(all, found...)
				mu.Unlock()
				if now := done.Add(1); o.Progress != nil {
					o.Progress(int(now), len(x.works))
				}
			}
		})
	}
	wg.Wait()
	slices.SortFunc(all, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Match.Pct, a.Match.Pct),
			cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right))
	})
	return all, ctx.Err()
}

// pairsOf compares a work with those that came after it.
func (x *Index) pairsOf(n uint32, prints func(int64) *Prints, o Options, sums []tally) []Pair {
	if x.works[n] == nil {
		return nil
	}
	var out []Pair
	me := x.works[n].id
	for _, near := range x.near(n, n+1, o.MinScore, sums) {
		m := Compare(prints(me), prints(near.ID), x.template)
		out = append(out, Pair{Left: me, Right: near.ID, Score: near.Score, Match: m})
	}
	return out
}

// LargeScore is the MinScore for classes too large to look at every pair
// closely: what scores less is far from being flagged.
const LargeScore = 25
