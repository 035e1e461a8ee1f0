package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"lectern/internal/teaching/similarity/engine/corpus"
)

// classOf makes an index of a generated class: independent works, by number.
func classOf(t *testing.T, texts ...string) (*Index, []*Prints) {
	t.Helper()
	var sources [][]byte
	for _, s := range texts {
		sources = append(sources, []byte(s))
	}
	return filled(t, sources)
}

// independent gives the texts of independent solutions of one sheet without a template.
func independent(n int) []string {
	works := corpus.Make(corpus.Options{Seed: 9, Classes: 2, Independent: n})[1].Works
	var out []string
	for _, w := range works {
		out = append(out, w.Text)
	}
	return out
}

func TestTwoEqualWorksAloneScoreHigh(t *testing.T) {
	text := independent(1)[0]
	x, prints := classOf(t, text, text)
	if s := x.Score(0, 1); s < 90 {
		t.Errorf("score %.1f of two equal works alone", s)
	}
	e := x.Explain(prints[0], prints[1], Compare(prints[0], prints[1], nil))
	if !strings.Contains(e.Words, "only two works") {
		t.Errorf("explained as %q", e.Words)
	}
}

func TestScoreIsTheSameWhicheverWayItIsAsked(t *testing.T) {
	x, _ := classOf(t, independent(20)...)
	for _, n := range x.Near(3, 0) {
		if a, b := x.Score(3, n.ID), x.Score(n.ID, 3); math.Abs(a-n.Score) > 1e-6 || math.Abs(a-b) > 1e-6 {
			t.Errorf("with %d: %v by Near, %v and %v by Score", n.ID, n.Score, a, b)
		}
	}
}

func TestWhatEveryoneHasProvesNothing(t *testing.T) {
	texts := independent(12)
	x, _ := classOf(t, texts[0], texts[0])
	alone := x.Score(0, 1)
	for i := range 10 {
		id := int64(2 + i)
		if err := x.Add(Work{ID: id, Owners: []int64{id}, Prints: printsOf(Java, []byte(texts[0]))}); err != nil {
			t.Fatal(err)
		}
	}
	if now := x.Score(0, 1); now > alone/4 {
		t.Errorf("score %.1f where all twelve have it, %.1f alone", now, alone)
	}
	core := x.Core()
	if core == nil || len(core.Members) != 12 {
		t.Errorf("the leaked solution is not reported: %+v", core)
	}
}

func TestLeakedSolutionOfMostOfAClassStaysVisible(t *testing.T) {
	texts := independent(20)
	for i := 8; i < 20; i++ {
		texts[i] = strings.ReplaceAll(texts[0], "int", "/* mine */ long") + fmt.Sprintf("class Own%d { int x%d; }", i,
			i)
	}
	x, _ := classOf(t, texts...)
	core := x.Core()
	if core == nil || !core.Core {
		t.Fatal("no cluster")
	}
	for i := int64(8); i < 20; i++ {
		if !slices.Contains(core.Members, i) {
			t.Errorf("work %d is not in the cluster %v", i, core.Members)
		}
	}
	independentOnes, _ := classOf(t, independent(20)...)
	if core := independentOnes.Core(); core != nil {
		t.Errorf("independent works are a cluster: %v", core.Members)
	}
}

func TestWorksOfOneOwnerAreNotMatched(t *testing.T) {
	text := []byte(independent(1)[0])
	x := NewIndex(nil)
	for id, owners := range [][]int64{{1, 7}, {1}, {2, 7}, {3}} {
		if err := x.Add(Work{ID: int64(id), Owners: owners, Prints: printsOf(Java, text)}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []int64
	for _, n := range x.Near(0, 0) {
		ids = append(ids, n.ID)
	}
	if !slices.Equal(ids, []int64{3}) {
		t.Errorf("matched with %v", ids)
	}
	if x.Score(0, 1) != 0 || x.Owners() != 3 {
		t.Errorf("score %v, %d owners", x.Score(0, 1), x.Owners())
	}
}

// A removed work leaves no trace: the index rates as if it had never been there.
func TestRemovedWorkLeavesNoTrace(t *testing.T) {
	texts := independent(12)
	with, prints := classOf(t, append(texts, texts[2])...)
	without, _ := classOf(t, texts...)
	if with.Score(1, 2) == without.Score(1, 2) {
		t.Fatal("the added work changes nothing")
	}
	with.Remove(12)
	with.Remove(99)
	for b := int64(1); b < 12; b++ {
		if a, w := with.Score(0, b), without.Score(0, b); math.Abs(a-w) > 1e-9 {
			t.Errorf("pair 0, %d: %v after removal, %v without", b, a, w)
		}
	}
	if with.Len() != 12 || with.Owners() != 12 || with.Score(2, 12) != 0 {
		t.Errorf("%d works, %d owners", with.Len(), with.Owners())
	}
	if err := with.Add(Work{ID: 12, Owners: []int64{12}, Prints: prints[12]}); err != nil {
		t.Error(err)
	}
	if err := with.Add(Work{ID: 12, Owners: []int64{12}, Prints: prints[12]}); err == nil {
		t.Error("an id was taken twice")
	}
}

// What removed works held is used again: an index does not grow by coming and going.
func TestRemovedWorksFreeTheirRoom(t *testing.T) {
	texts := independent(12)
	x, prints := classOf(t, texts...)
	entries, works, lists := len(x.entries), len(x.works), len(x.lists)
	for range 5 {
		for i, p := range prints {
			x.Remove(int64(i))
			if err := x.Add(Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(x.entries) > entries || len(x.works) > works || len(x.lists) > lists {
		t.Errorf("%d entries, %d works and %d lists became %d, %d and %d", entries, works, lists, len(x.entries),
			len(x.works), len(x.lists))
	}
	for i := range prints {
		x.Remove(int64(i))
	}
	if len(x.numbers) != 0 || x.Fingerprints() != 0 || x.Len() != 0 {
		t.Errorf("an empty index holds %d fingerprints, %d postings", len(x.numbers), x.Fingerprints())
	}
}

// Several may use an index at once.
// A work that takes the place of one that was removed is compared with all others.
func TestPairsAreTheSameInReusedPlaces(t *testing.T) {
	texts := independent(12)
	texts[9], texts[3] = texts[2], texts[8]
	fresh, prints := classOf(t, texts...)
	want := allPairs(t, fresh, prints, 0)
	used, _ := classOf(t, texts...)
	for _, id := range []int64{1, 2, 7, 3} {
		used.Remove(id)
	}
	for _, id := range []int64{7, 3, 1, 2} {
		if err := used.Add(Work{ID: id, Owners: []int64{id}, Prints: prints[id]}); err != nil {
			t.Fatal(err)
		}
	}
	got := map[[2]int64]int{}
	for _, p := range allPairs(t, used, prints, 0) {
		got[[2]int64{min(p.Left, p.Right), max(p.Left, p.Right)}] = Rounded(p.Score)
	}
	for _, p := range want {
		if score, ok := got[[2]int64{p.Left, p.Right}]; !ok || score != Rounded(p.Score) {
			t.Errorf("%d and %d score %d after removals, %d before", p.Left, p.Right, score, Rounded(p.Score))
		}
	}
	if len(got) != len(want) || Rounded(want[0].Score) < 90 {
		t.Errorf("%d pairs after removals, %d before, the best %v", len(got), len(want), want[0].Score)
	}
}

func TestIndexIsShared(t *testing.T) {
	x, prints := classOf(t, independent(8)...)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 20 {
				id := int64(100 + 100*g + i)
				if err := x.Add(Work{ID: id, Owners: []int64{id}, Prints: prints[i%8]}); err != nil {
					t.Error(err)
				}
				x.Near(id, 0)
				x.Score(id, 1)
				x.Core()
				x.Remove(id)
			}
		})
	}
	wg.Wait()
	if x.Len() != 8 {
		t.Errorf("%d works", x.Len())
	}
}

func TestExplanationNamesTheLinesNobodyElseHas(t *testing.T) {
	texts := independent(30)
	odd := `class Odd { long strange(long seed) { long mix = seed ^ 0x5DEECE66DL; mix <<= 3;
 for (long z = mix; z > 7; z -= z % 13 + 1) { mix ^= z * 31 + (mix >>> 5); }
 return mix == 0 ? seed : mix; } }`
	texts[4] += odd
	texts[9] += strings.NewReplacer("mix", "blend", "seed", "germ", "strange", "curious").Replace(odd)
	x, prints := classOf(t, texts...)
	m := Compare(prints[4], prints[9], nil)
	e := x.Explain(prints[4], prints[9], m)
	want := fmt.Sprintf("These %d lines are shared by no one else of 30.", e.Lines)
	if e.Lines < 3 || e.Class != 30 || !strings.Contains(e.Words, want) {
		t.Errorf("explained as %+v", e)
	}
	common := x.Explain(prints[0], prints[1], Compare(prints[0], prints[1], nil))
	if common.Lines >= e.Lines*3 && common.Typical < 3 {
		t.Errorf("an ordinary pair is explained as %+v", common)
	}
}

func TestClustersJoinWhoIsTied(t *testing.T) {
	got := Clusters([][2]int64{{1, 2}, {5, 6}, {3, 2}, {9, 8}, {8, 3}})
	want := [][]int64{{1, 2, 3, 8, 9}, {5, 6}}
	if len(got) != 2 || !slices.Equal(got[0].Members, want[0]) || !slices.Equal(got[1].Members, want[1]) {
		t.Errorf("clusters %+v", got)
	}
}

// A sample of a long work must tell the same story as all of a short one.
func TestLongWorksAreComparedBySamples(t *testing.T) {
	sources := large(t, 30, 600)
	copied := append(slices.Clone(sources[0]), " class More { int more() { return 1; } }"...)
	x, _ := filled(t, append(sources, copied))
	near := x.Near(30, 0)
	if near[0].ID != 0 || near[0].Score < 80 {
		t.Errorf("best is %+v", near[0])
	}
	if near[1].Score > DefaultScore {
		t.Errorf("an independent work scores %+v", near[1])
	}
	half := slices.Concat(sources[1][:len(sources[1])/8], []byte(" "))
	if err := x.Add(Work{ID: 31, Owners: []int64{31}, Prints: printsOf(Java, half)}); err != nil {
		t.Fatal(err)
	}
	if best := x.Near(31, 0)[0]; best.ID != 1 || best.Score < 60 {
		t.Errorf("an eighth of a work is nearest to %+v", best)
	}
}

// A copy that is padded with the same line again and again, and so has to be sampled, is
// found: by one who did it, and by two.
func TestPaddingWithTheSameLineHidesNothing(t *testing.T) {
	texts := independent(12)
	padded := texts[3] + strings.Repeat("x = a + a + a;\n", 50_000)
	x, _ := classOf(t, append(texts, padded, padded)...)
	for _, pair := range [][2]int64{{3, 12}, {12, 13}} {
		if s := x.Score(pair[0], pair[1]); s < DefaultScore {
			t.Errorf("score %.1f of %v", s, pair)
		}
	}
}

func TestThresholdsWantBoth(t *testing.T) {
	th := Thresholds{Pct: 50, Score: DefaultScore}
	if !th.Flagged(50, DefaultScore) || th.Flagged(49, 100) || th.Flagged(100, DefaultScore-1) {
		t.Error("a flag wants a large share and a high score")
	}
}

// What was given out counts neither as shared nor as rare.
func TestTemplateScoresNothing(t *testing.T) {
	texts := independent(12)
	given := printsOf(Java, []byte(texts[11]))
	x, bare := NewIndex(NewTemplate(given)), NewIndex(nil)
	for i, own := range texts[:8] {
		text := texts[11]
		if i > 1 {
			text += own
		}
		for _, in := range []*Index{x, bare} {
			w := Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: printsOf(Java, []byte(text))}
			if err := in.Add(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := x.Score(0, 1); s != 0 {
		t.Errorf("two works that are only the template score %v", s)
	}
	if x.Fingerprints() >= bare.Fingerprints() || x.Core() != nil {
		t.Errorf("%d fingerprints with a template, %d without", x.Fingerprints(), bare.Fingerprints())
	}
	if bare.Core() == nil {
		t.Error("a template that was not named is not reported as what most of a class shares")
	}
}
