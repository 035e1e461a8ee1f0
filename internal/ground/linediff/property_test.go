package linediff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// line is a line whose fate the generator knows.
type line struct {
	id   int
	text string
}

// author writes and edits texts. A share of the lines is said again and again, as brackets and blank lines are.
// Of equal lines some may go or some may come, not both: then no reader could tell which of them is which.
type author struct {
	rng        *rand.Rand
	next       int
	twins      float64
	went, came map[string]bool
}

func newAuthor(seed uint64, twins float64) *author {
	return &author{rng: rand.New(rand.NewPCG(seed, 1)), twins: twins, went: map[string]bool{}, came: map[string]bool{}}
}

var common = []string{"", "}", "    }", "{", "    return 0;", "else", "end", "    break;"}

func (a *author) line() line {
	a.next++
	if a.rng.Float64() < a.twins {
		if text := common[a.rng.IntN(len(common))]; !a.went[text] {
			return line{a.next, text}
		}
	}
	words := make([]string, 2+a.rng.IntN(5))
	for i := range words {
		words[i] = a.word()
	}
	return line{a.next, strings.Repeat("  ", a.rng.IntN(4)) + strings.Join(words, " ") + ";"}
}

func (a *author) word() string {
	w := make([]byte, 5+a.rng.IntN(6))
	for i := range w {
		w[i] = byte('a' + a.rng.IntN(26))
	}
	return string(w)
}

func (a *author) write(n int) []line {
	text := make([]line, n)
	for i := range text {
		text[i] = a.line()
	}
	return text
}

// rewrite makes the next version: stretches come and go, and lines are edited by adding a word or two.
func (a *author) rewrite(old []line, edits int) []line {
	fresh := append([]line(nil), old...)
	for range edits {
		at := a.rng.IntN(len(fresh) + 1)
		many := 1 + a.rng.IntN(8)
		switch end := min(at+many, len(fresh)); a.rng.IntN(3) {
		case 0:
			more := a.write(many)
			for _, l := range more {
				a.came[l.text] = true
			}
			fresh = append(fresh[:at:at], append(more, fresh[at:]...)...)
		case 1:
			kept := append([]line(nil), fresh[:at]...)
			for _, l := range fresh[at:end] {
				if !a.goes(l.text) {
					kept = append(kept, l)
				}
			}
			fresh = append(kept, fresh[end:]...)
		default:
			for i := at; i < min(at+2, len(fresh)); i++ {
				if a.goes(fresh[i].text) {
					fresh[i].text = a.edit(fresh[i].text)
				}
			}
		}
	}
	return fresh
}

// goes tells whether a line may go, and remembers that it did.
func (a *author) goes(text string) bool {
	if !a.came[text] {
		a.went[text] = true
	}
	return !a.came[text]
}

func (a *author) edit(text string) string {
	if a.rng.IntN(2) == 0 {
		return "  " + text + " // " + a.word()[:3]
	}
	if cut := strings.LastIndexByte(text, ' '); cut > 0 {
		return text[:cut+1] + a.word()[:4] + ";"
	}
	return a.word()
}

func textOf(lines []line, end string) []byte {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + end)
	}
	return []byte(b.String())
}

// tally counts, of lines that are still there, untouched or edited, all and those that were found.
type tally struct{ moved, followed, edited, descended int }

// fate holds what Follow says of every line against what the generator knows.
func fate(t interface{ Fatalf(string, ...any) }, old, fresh []line, d Diff, sum *tally) {
	at := map[int]int{}
	for j, l := range fresh {
		at[l.id] = j
	}
	for i, l := range old {
		j, still := at[l.id]
		to, ok := d.Follow(i + 1)
		right := still && to == j+1
		if still && fresh[j].text == l.text {
			sum.moved, sum.followed = sum.moved+1, sum.followed+one(right)
		} else if still {
			sum.edited, sum.descended = sum.edited+1, sum.descended+one(right)
		}
		if ok && !right {
			t.Fatalf("line %d, %q, is said to be line %d, %q, and is %v\n%s\n-----\n%s", i+1, l.text, to,
				fresh[to-1].text, describe(still, j), textOf(old, "\n"), textOf(fresh, "\n"))
		}
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func describe(still bool, j int) string {
	if !still {
		return "gone"
	}
	return fmt.Sprint("line ", j+1)
}

// TestNoLineFollowsToAnother holds that a comment never stands on a line that is neither its own nor made of it.
func TestNoLineFollowsToAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newAuthor(rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0, 0.1, 0.3}).Draw(t, "twins"))
		old := a.write(rapid.IntRange(1, 300).Draw(t, "lines"))
		fresh := a.rewrite(old, rapid.IntRange(0, 8).Draw(t, "edits"))
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		fate(t, old, fresh, Compare(textOf(old, "\n"), textOf(fresh, end)), new(tally))
	})
}

// TestLinesThatMovedAreFound holds that of the lines that only moved 99 in 100 are found again, with a third of all
// lines said again and again, and most of those that were edited.
func TestLinesThatMovedAreFound(t *testing.T) {
	for _, twins := range []float64{0, 0.1, 0.2, 0.3} {
		var sum tally
		for seed := range uint64(100) {
			a := newAuthor(seed, twins)
			old := a.write(150)
			fresh := a.rewrite(old, int(seed%10))
			fate(t, old, fresh, Compare(textOf(old, "\n"), textOf(fresh, "\n")), &sum)
		}
		t.Logf("%v twins: of %d lines that only moved %d are found, of %d edited %d", twins, sum.moved, sum.followed,
			sum.edited, sum.descended)
		if sum.followed*100 < sum.moved*99 || sum.descended*2 < sum.edited {
			t.Errorf("%v twins: %+v", twins, sum)
		}
	}
}

// TestAmongTwinsNoLineFollowsToAnother holds the same where most lines have equals, and asks for no share.
func TestAmongTwinsNoLineFollowsToAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		a := newAuthor(seed, rapid.Float64Range(0.5, 1).Draw(t, "twins"))
		old := a.write(rapid.IntRange(1, 60).Draw(t, "lines"))
		fresh := a.rewrite(old, rapid.IntRange(1, 20).Draw(t, "edits"))
		fate(t, old, fresh, Compare(textOf(old, "\n"), textOf(fresh, "\n")), new(tally))
	})
}

// TestTheBlocksMakeTheNewText puts the new text together from the old one and what the blocks say came.
func TestTheBlocksMakeTheNewText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d e f", "d e g", "", "}"}), 0, 40)
		d := Compare([]byte(strings.Join(lines.Draw(t, "old"), "\n")), []byte(strings.Join(lines.Draw(t, "new"), "\r\n")))
		check(t, d)
	})
}

func check(t interface{ Fatalf(string, ...any) }, d Diff) {
	i, j := 1, 1
	var last Kind
	for _, b := range d.Blocks {
		if b.Old.First != i || b.New.First != j || b.Kind == last && b.Kind == Equal || b.Old.Count+b.New.Count == 0 {
			t.Fatalf("block %+v begins not at %d and %d", b, i, j)
		}
		for k := range b.Old.Count {
			if b.Kind == Equal && d.Old[i-1+k] != d.New[j-1+k] {
				t.Fatalf("line %d is not line %d", i+k, j+k)
			}
		}
		for _, p := range b.Pairs {
			if p.Old < i || p.Old >= b.Old.End() || p.New < j || p.New >= b.New.End() {
				t.Fatalf("pair %v outside of %+v", p, b)
			}
		}
		i, j, last = b.Old.End(), b.New.End(), b.Kind
	}
	if i != len(d.Old)+1 || j != len(d.New)+1 {
		t.Fatalf("blocks end at %d of %d and %d of %d", i, len(d.Old), j, len(d.New))
	}
	before := 0
	for i := range d.Old {
		if to, ok := d.Follow(i + 1); ok {
			if to <= before || to > len(d.New) {
				t.Fatalf("line %d follows to %d after %d", i+1, to, before)
			}
			before = to
		}
	}
}
