package engine

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// bare compares by runs of tokens alone and does nothing beyond: the least that any
// comparison of a class costs. What the engine takes is measured beside it.
type bare struct {
	lists  map[uint64][]int32
	prints [][]uint64
}

func (b *bare) add(p *Prints) {
	var found []uint64
	l := level(p.Tokens())
	take := func(r run) { found = append(found, r.hash) }
	p.runsOf(writtenSide, l, take)
	p.runsOf(shapeSide, l, take)
	for _, f := range p.files {
		p.fileRuns(f, l, len(views), 12, false, take)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for _, h := range found {
		b.lists[h] = append(b.lists[h], int32(len(b.prints)))
	}
	b.prints = append(b.prints, found)
}

// near gives which part of a work is in each other one, by weight.
func (b *bare) near(n int) []float64 {
	weight := func(h uint64) float64 {
		rare := math.Log(float64(len(b.prints)) / float64(len(b.lists[h])))
		return rare * rare
	}
	sums, totals := make([]float64, len(b.prints)), make([]float64, len(b.prints))
	for _, h := range b.prints[n] {
		w := weight(h)
		for _, other := range b.lists[h] {
			sums[other] += w
		}
	}
	for i, list := range b.prints {
		for _, h := range list {
			totals[i] += float64(len(b.lists[h]))
		}
		sums[i] /= max(1, min(totals[i], totals[n]))
	}
	return sums
}

// The second signal and the rare words must not make a comparison much slower. Engine and
// bare comparison are measured by turns, since a machine is seldom quiet.
func TestSecondSignalCostsLittle(t *testing.T) {
	sources := large(t, 41, 1500)
	least := map[string]time.Duration{}
	timed := func(what string, f func()) {
		start := time.Now()
		f()
		if took := time.Since(start); least[what] == 0 || took < least[what] {
			least[what] = took
		}
	}
	for range 12 {
		var x *Index
		timed("fill", func() { x, _ = filled(t, sources[:40]) })
		timed("one", func() {
			if err := x.Add(Work{ID: 40, Owners: []int64{40}, Prints: printsOf(Java, sources[40])}); err != nil {
				t.Fatal(err)
			}
			x.Near(40, LargeScore)
		})
		b := &bare{lists: map[uint64][]int32{}}
		timed("bare fill", func() {
			for _, s := range sources[:40] {
				b.add(printsOf(Java, s))
			}
		})
		timed("bare one", func() {
			b.add(printsOf(Java, sources[40]))
			b.near(40)
		})
	}
	for _, what := range []string{"fill", "one"} {
		ratio := float64(least[what]) / float64(least["bare "+what])
		t.Logf("%s: %v, bare %v, %.2f times as long", what, least[what], least["bare "+what], ratio)
		if os.Getenv("LECTERN_TEST_LOAD") != "" && ratio > mostSlower {
			t.Errorf("%s takes %.2f times as long as what is bare", what, ratio)
		}
	}
}

// mostSlower is above what is measured, 1.3 and 1.5.
const mostSlower = 1.9
