package engine

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"lectern/internal/teaching/similarity/engine/corpus"
)

// large gives the class the promise is about, once.
func large(tb testing.TB, works, lines int) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, w := range corpus.Large(1, ".java", works, lines) {
		out = append(out, []byte(w.Text))
	}
	return out
}

func printsOf(l Language, text []byte) *Prints { return Fingerprint([]File{{"Main", l, text}}) }

func filled(tb testing.TB, sources [][]byte) (*Index, []*Prints) {
	tb.Helper()
	x := NewIndex(nil)
	prints := make([]*Prints, len(sources))
	for i, s := range sources {
		prints[i] = printsOf(Java, s)
		if err := x.Add(Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: prints[i]}); err != nil {
			tb.Fatal(err)
		}
	}
	return x, prints
}

func allPairs(tb testing.TB, x *Index, prints []*Prints, least float64) []Pair {
	tb.Helper()
	pairs, err := AllPairs(tb.Context(), x, func(id int64) *Prints { return prints[id] }, Options{MinScore: least})
	if err != nil {
		tb.Fatal(err)
	}
	return pairs
}

// A class of 434 with 1,500 lines each: the anchor takes 35 s for all pairs.
func TestLargeClassIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	sources := large(t, 434, 1500)
	start := time.Now()
	x, prints := filled(t, sources[:433])
	pairs := allPairs(t, x, prints, LargeScore)
	all := time.Since(start)
	start = time.Now()
	p := printsOf(Java, sources[433])
	if err := x.Add(Work{ID: 433, Owners: []int64{433}, Prints: p}); err != nil {
		t.Fatal(err)
	}
	near := x.Near(433, LargeScore)
	for _, n := range near[:min(len(near), 20)] {
		Compare(p, prints[n.ID], nil)
	}
	one := time.Since(start)
	t.Logf("433 works, %d tokens each: all pairs %v (%d looked at closely), one more %v, %d fingerprints, row of %d "+
		"bytes",
		p.Tokens(), all, len(pairs), one, x.Fingerprints(), len(p.Encode()))
	// Only where nothing else runs; then three times what is promised is too much.
	if os.Getenv("LECTERN_TEST_LOAD") != "" && (all > 15*time.Second || one > 500*time.Millisecond) {
		t.Errorf("all pairs took %v, one more %v: three times what is promised, or worse", all, one)
	}
}

// Insertion must not grow with the number of works beyond a logarithm.
func TestInsertionDoesNotSlowDown(t *testing.T) {
	works := 2000
	if os.Getenv("LECTERN_TEST_LONG") != "" {
		works = 10000
	}
	sources := large(t, 500, 60)
	x := NewIndex(nil)
	var took []time.Duration
	before := heap()
	for i := range works {
		// Twenty have the same at last, each with a part of their own.
		text := fmt.Appendf(slices.Clone(sources[i%500]), "class Own%d { int own%d() { return %d; } }", i, i, i)
		p := printsOf(Java, text)
		start := time.Now()
		if err := x.Add(Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: p}); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	early, late := median(took[works/20:works/10]), median(took[works-works/20:])
	grown := heap() - before
	t.Logf("%d works: insertion %v at first, %v at last; %d fingerprints, %.0f bytes each", works, early, late,
		x.Fingerprints(), float64(grown)/float64(x.Fingerprints()))
	if late > 8*early+2*time.Millisecond {
		t.Errorf("insertion grew from %v to %v", early, late)
	}
	if perPrint := float64(grown) / float64(x.Fingerprints()); perPrint > 150 {
		t.Errorf("%.0f bytes for each fingerprint", perPrint)
	}
	start := time.Now()
	near := x.Near(int64(works-1), LargeScore)
	t.Logf("comparing one with all: %v, %d near", time.Since(start), len(near))
}

func median(d []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(d))[len(d)/2]
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
