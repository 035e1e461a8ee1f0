// Package bench measures the comparison on a generated corpus: how many copies
// it finds, whom it accuses wrongly, and how long it takes.
package bench

import (
	"cmp"
	"context"
	"slices"
	"time"

	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/similarity/engine/corpus"
)

// Rated is a pair of works of a class, with what is known and what was said of it.
type Rated struct {
	Class       int
	Left, Right int
	How         string // the disguise; "independent" for no copy, "copies of one" for siblings
	Copy        bool
	Pct         int
	Score       float64
	Flagged     bool
}

// Result is a measurement.
type Result struct {
	Pairs  []Rated
	Time   time.Duration // of reading and comparing everything
	Counts Counts
	Area   float64 // under the ROC curve of the scores
}

// Counts are of flags, right and wrong.
type Counts struct{ Found, Missed, Wrong, Innocent int }

// Precision is the part of the flags that are right; 1 where there are none.
func (c Counts) Precision() float64 { return part(c.Found, c.Wrong) }

// Recall is the part of the copies that were found.
func (c Counts) Recall() float64 { return part(c.Found, c.Missed) }

func part(some, rest int) float64 {
	if some+rest == 0 {
		return 1
	}
	return float64(some) / float64(some+rest)
}

// Run compares every class of a corpus with itself.
func Run(ctx context.Context, classes []corpus.Class, th engine.Thresholds) (*Result, error) {
	r := &Result{}
	start := time.Now()
	for n, c := range classes {
		pairs, err := compare(ctx, c)
		if err != nil {
			return nil, err
		}
		r.Pairs = append(r.Pairs, rated(n, c, pairs, th)...)
	}
	r.Time = time.Since(start)
	r.Finish()
	return r, nil
}

// Finish counts what the pairs say, once they are all there.
func (r *Result) Finish() {
	r.Counts, r.Area = Tally(r.Pairs), Area(r.Pairs)
}

func compare(ctx context.Context, c corpus.Class) ([]engine.Pair, error) {
	l := engine.LanguageOf(c.Language)
	read := func(name, text string) *engine.Prints {
		return engine.Fingerprint([]engine.File{{Name: name, Language: l, Text: []byte(text)}})
	}
	x := engine.NewIndex(engine.NewTemplate(read("template", c.Template)))
	prints := make([]*engine.Prints, len(c.Works))
	for i, w := range c.Works {
		prints[i] = read(w.Name, w.Text)
		if err := x.Add(engine.Work{ID: int64(i), Owners: []int64{int64(i)}, Prints: prints[i]}); err != nil {
			return nil, err
		}
	}
	return engine.AllPairs(ctx, x, func(id int64) *engine.Prints { return prints[id] }, engine.Options{})
}

// rated lists all pairs of a class; those that share nothing were not compared.
func rated(n int, c corpus.Class, pairs []engine.Pair, th engine.Thresholds) []Rated {
	got := map[[2]int]engine.Pair{}
	for _, p := range pairs {
		got[[2]int{int(p.Left), int(p.Right)}] = p
	}
	var out []Rated
	for i := range c.Works {
		for j := i + 1; j < len(c.Works); j++ {
			p := got[[2]int{i, j}]
			out = append(out, Rated{Class: n, Left: i, Right: j, How: c.Relation(i, j), Copy: c.Copy(i, j),
				Pct: p.Match.Pct, Score: p.Score, Flagged: th.Flagged(p.Match.Pct, p.Score)})
		}
	}
	return out
}

// Tally counts flags against what is known.
func Tally(pairs []Rated) Counts {
	var c Counts
	for _, p := range pairs {
		switch {
		case p.Copy && p.Flagged:
			c.Found++
		case p.Copy:
			c.Missed++
		case p.Flagged:
			c.Wrong++
		default:
			c.Innocent++
		}
	}
	return c
}

// Area is the chance that a copy scores above a pair that is none.
func Area(pairs []Rated) float64 {
	sorted := slices.SortedFunc(slices.Values(pairs), func(a, b Rated) int { return cmp.Compare(a.Score, b.Score) })
	var copies, others, above float64
	for i := 0; i < len(sorted); {
		var c, o float64
		j := i
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			if sorted[j].Copy {
				c++
			} else {
				o++
			}
		}
		above += c * (others + o/2)
		copies, others, i = copies+c, others+o, j
	}
	if copies == 0 || others == 0 {
		return 1
	}
	return above / copies / others
}

// OfSource keeps the pairs with a class's first work, where one work was
// copied again and again.
func OfSource(pairs []Rated) []Rated {
	return slices.DeleteFunc(slices.Clone(pairs), func(p Rated) bool { return p.Left != 0 })
}

// OfDisguise keeps the copies of one disguise, and the independent pairs.
func OfDisguise(pairs []Rated, how string) []Rated {
	return slices.DeleteFunc(slices.Clone(pairs), func(p Rated) bool { return p.Copy && p.How != how })
}
