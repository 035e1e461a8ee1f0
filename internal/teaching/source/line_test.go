package source

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/highlight"
	"lectern/internal/ground/linediff"
)

// Whatever runs say, the lines are the text's own, and no character of it is cut.
func TestLinesAreTheTextsOwn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`([aé<\x{202e} ]{0,9}\n){0,9}`).Draw(r, "text")
		runs := Runs(rapid.SliceOf(rapid.SliceOf(rapid.Custom(func(r *rapid.T) highlight.Run {
			return highlight.Run{Length: rapid.IntRange(1, 6).Draw(r, "length"),
				Class: highlight.Class(rapid.IntRange(0, 5).Draw(r, "class"))}
		}))).Draw(r, "runs"))
		all := linediff.Lines([]byte(text))
		for i, l := range runs.Lines(all) {
			var b strings.Builder
			for _, s := range l {
				if s.Text == "" || strings.ToValidUTF8(s.Text, "") != s.Text {
					r.Fatalf("line %d has the span %q", i, s.Text)
				}
				b.WriteString(s.Text)
			}
			if b.String() != all[i] {
				r.Fatalf("line %d became %q", i, b.String())
			}
		}
	})
}

// BenchmarkLines lays the kept runs of 2,000 lines over their text.
func BenchmarkLines(b *testing.B) {
	var text strings.Builder
	runs := make(Runs, 2000)
	for i := range runs {
		fmt.Fprintf(&text, "    return some.value(%d) + other.value[\"key\"]\n", i%10)
		for range 6 {
			runs[i] = append(runs[i], highlight.Run{Length: 4, Class: highlight.Keyword}, highlight.Run{Length: 3})
		}
	}
	kept := highlight.Encode(runs)
	for b.Loop() {
		runs, err := highlight.Decode(kept)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(Runs(runs).Lines(linediff.Lines([]byte(text.String())))); n != 2000 {
			b.Fatal(n)
		}
	}
}
