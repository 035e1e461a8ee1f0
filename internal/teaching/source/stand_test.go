package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/linediff"
)

// Lines that were pointed at never stand on a line that is none of them, whatever was edited, and stand whole where
// nothing was edited between the first and the last.
func TestLinesStandOnTheirOwn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(r, "lines")
		var before, after []string
		now := map[int]int{} // of each old line the new one that it is, or was edited into
		fresh := 0
		for i := range n {
			line := fmt.Sprintf("line %d says %d", i, rapid.IntRange(0, 4).Draw(r, "word"))
			before = append(before, line)
			for range rapid.SampledFrom([]int{0, 0, 0, 0, 1, 3}).Draw(r, "inserted") {
				fresh++
				after = append(after, fmt.Sprintf("new text number %d of others", fresh))
			}
			switch rapid.SampledFrom([]string{"kept", "kept", "kept", "kept", "edited", "gone"}).Draw(r, "fate") {
			case "kept":
				after = append(after, line)
				now[i+1] = len(after)
			case "edited":
				after = append(after, line+" more")
				now[i+1] = len(after)
			}
		}
		d := linediff.Compare([]byte(strings.Join(before, "\n")), []byte(strings.Join(after, "\n")))
		first := rapid.IntRange(1, n).Draw(r, "first")
		last := rapid.IntRange(first, n).Draw(r, "last")
		var own []int
		for i := first; i <= last; i++ {
			if now[i] > 0 {
				own = append(own, now[i])
			}
		}
		got := together(&d, Lines{0, first, last}, 7)
		if got == nil {
			return
		}
		if got.Number != 7 || got.First > got.Last || got.Last-got.First > last-first {
			r.Fatalf("%d to %d stand on %+v", first, last, got)
		}
		for i := got.First; i <= got.Last; i++ {
			if !slices.Contains(own, i) {
				r.Fatalf("%d to %d stand on %+v: %d is none of them (%v)\n%s\n---\n%s", first, last, got, i, own,
					strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		}
	})
}

// What became of lines is said only where it is so: lines that are told to be unchanged say the same, and of those
// that are told to be removed none is left.
func TestFatesOfLinesAreTrue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SampledFrom([]string{"a b", "c d", "e f", "g h", "}", ""})
		before := rapid.SliceOfN(words, 1, 25).Draw(r, "before")
		after := rapid.SliceOfN(words, 0, 25).Draw(r, "after")
		d := linediff.Compare([]byte(strings.Join(before, "\n")+"\n"), []byte(strings.Join(after, "\n")+"\n"))
		c := &FileChange{Before: &File{}, After: &File{Hash: "other"}, New: new(3), Diff: &d}
		first := rapid.IntRange(1, len(before)).Draw(r, "first")
		last := rapid.IntRange(first, len(before)).Draw(r, "last")
		fate, at := c.Became(first, last)
		said := d.Old[first-1 : last]
		switch fate {
		case LinesUnchanged:
			if at == nil || !slices.Equal(said, d.New[at.First-1:at.Last]) {
				r.Fatalf("%v are unchanged, and stand on %+v of %v", said, at, d.New)
			}
		case LinesRemoved:
			for _, l := range said {
				if at != nil || slices.Contains(d.New, l) {
					r.Fatalf("%v are removed, and in %v", said, d.New)
				}
			}
		case LinesUnknown:
			if at != nil {
				r.Fatalf("what became of %v is not known, but they stand on %+v", said, at)
			}
		}
	})
}
