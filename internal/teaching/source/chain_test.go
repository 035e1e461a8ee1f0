package source

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/platform/files"
	"lectern/internal/teaching/taskdef"
)

// written is a line whose fate the test knows: who it is, and what it says.
type written struct {
	id   int
	text string
}

// book is a file of a version.
type book struct {
	key, name string
	lines     []written
}

// writer makes versions of a work, whose lines look like each other as those of a program do, but share no half of
// their words: what does in the place of another is an edit of it. A third of them are said again and again, as
// brackets and blank lines are. Of equal lines of a file some go or some come, in all its versions: else no reader
// could tell which of them is which.
type writer struct {
	rng        *rand.Rand
	next       int
	went, came map[string]bool // by file and text
}

var repeated = []string{"", "}", "\t}", "{", "\treturn 0;", "else", "end", "\tbreak;"}

func (w *writer) line(key string) written {
	w.next++
	if text := repeated[w.rng.IntN(len(repeated))]; w.rng.IntN(3) == 0 && !w.went[key+text] {
		return written{id: w.next, text: text}
	}
	return written{id: w.next, text: fmt.Sprintf("\tline_%d = %s(argument_%d);", w.next, []string{"sum", "read", "write"}[w.rng.IntN(3)],
		w.next)}
}

func (w *writer) goes(key, text string) bool {
	if !w.came[key+text] {
		w.went[key+text] = true
	}
	return !w.came[key+text]
}

// after gives the version after one: lines come and go, some are edited, and now and then a file has another name, or
// the work another file.
func (w *writer) after(old []book, edits bool) []book {
	var fresh []book
	for _, b := range old {
		b.lines = slices.Clone(b.lines)
		for range w.rng.IntN(5) {
			at, many := w.rng.IntN(len(b.lines)+1), 1+w.rng.IntN(6)
			switch kind := w.rng.IntN(3); {
			case kind == 0 || len(b.lines) == 0:
				var more []written
				for range many {
					l := w.line(b.key)
					w.came[b.key+l.text] = true
					more = append(more, l)
				}
				b.lines = slices.Insert(b.lines, at, more...)
			case kind == 1:
				end := min(at+many, len(b.lines))
				kept := slices.DeleteFunc(slices.Clone(b.lines[at:end]), func(l written) bool { return w.goes(b.key, l.text) })
				b.lines = slices.Concat(b.lines[:at:at], kept, b.lines[end:])
			case edits && at < len(b.lines) && w.goes(b.key, b.lines[at].text):
				w.next++
				b.lines[at].text += fmt.Sprintf(" // edit_%d", w.next)
			}
		}
		if w.rng.IntN(4) == 0 {
			w.next++
			b.name = fmt.Sprintf("renamed_%d.c", w.next)
		}
		fresh = append(fresh, b)
	}
	return fresh
}

// tally counts the lines that only moved, and those of them that were found.
type tally struct{ moved, found int }

// follows makes a chain of versions of several files, and holds where every line of each stands in the last against
// what the writer knows.
func follows(t testing.TB, fatal func(string, ...any), store files.Store, seed uint64, edits bool, sum *tally) {
	w := &writer{rng: rand.New(rand.NewPCG(seed, 7)), went: map[string]bool{}, came: map[string]bool{}}
	var first []book
	for i := range 1 + w.rng.IntN(4) {
		b := book{key: fmt.Sprint("file", i), name: fmt.Sprintf("%d.c", i)}
		for range 1 + w.rng.IntN(80) {
			b.lines = append(b.lines, w.line(b.key))
		}
		first = append(first, b)
	}
	chain := [][]book{first}
	for range 1 + w.rng.IntN(4) {
		chain = append(chain, w.after(chain[len(chain)-1], edits))
	}
	var versions [][]File
	for _, list := range chain {
		var v []File
		for i, b := range list {
			var text strings.Builder
			for _, l := range b.lines {
				text.WriteString(l.text + "\n")
			}
			info, err := store.Put(t.Context(), strings.NewReader(text.String()))
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, File{Number: i, Key: b.key, Name: b.name, Kind: taskdef.Code, IsText: true, Hash: info.Hash,
				Size: info.Size})
		}
		versions = append(versions, v)
	}
	last := len(chain) - 1
	type stand struct {
		file, line int
		text       string
	}
	now := map[int]stand{}
	for f, b := range chain[last] {
		for i, l := range b.lines {
			now[l.id] = stand{f, i + 1, l.text}
		}
	}
	for n, list := range chain[:last] {
		for f, b := range list {
			var asked []Lines
			for i := range b.lines {
				asked = append(asked, Lines{f, i + 1, i + 1})
			}
			left := int64(1 << 30)
			got, err := Followed(t.Context(), store, versions[n], versions[last], asked, &left)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range b.lines {
				is, there := now[l.id]
				right := got[i] != nil && there && got[i].Number == is.file && got[i].First == is.line && got[i].Last == is.line
				if got[i] != nil && !right {
					fatal("seed %d: line %d of %s, %q of version %d, is said to stand on %+v, and stands on %+v", seed, i+1, b.name,
						l.text, n+1, *got[i], is)
					return
				}
				if there && is.text == l.text {
					if sum.moved++; right {
						sum.found++
					}
				}
			}
		}
	}
}

// No line of any version stands on another's line in the last, whatever came, went, was edited and renamed on the way.
func TestNoLineStandsOnAnotherAlongAChain(t *testing.T) {
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		follows(t, r.Fatalf, store, rapid.Uint64().Draw(r, "seed"), rapid.Bool().Draw(r, "edits"), new(tally))
	})
}

// Of the lines that only moved, by what came or went elsewhere, 99 in 100 are found along a chain of versions.
func TestLinesThatMovedAreFoundAlongAChain(t *testing.T) {
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	for seed := range uint64(150) {
		follows(t, t.Fatalf, store, seed, false, &sum)
	}
	t.Logf("of %d lines that only moved %d are found: %.2f %%", sum.moved, sum.found, 100*float64(sum.found)/float64(sum.moved))
	if sum.found*100 < sum.moved*99 {
		t.Errorf("%+v", sum)
	}
}
