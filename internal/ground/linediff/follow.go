package linediff

import (
	"unicode"
	"unicode/utf8"
)

// settled gives of each old line the new one that it certainly is, counted from 1. A match alone does not make it
// so: of two equal lines one may have gone, and which of them the texts do not tell. A line that stands once in
// each text is certain. Between two such lines others are where as many of them are there as were.
func (a *aligner) settled() []int {
	follow := make([]int, len(a.old))
	o, n := Span{0, len(a.old)}, Span{0, len(a.fresh)}
	a.count(o, n)
	sure := []Pair{}
	for i, id := range a.old {
		if a.match[i] >= 0 && a.inOld[id] == 1 && a.inFresh[id] == 1 {
			follow[i] = a.match[i] + 1
			sure = append(sure, Pair{i, a.match[i]})
		}
	}
	a.forget(o, n)
	for _, p := range append(sure, Pair{o.End(), n.End()}) {
		a.takeInOrder(Span{o.First, p.Old - o.First}, Span{n.First, p.New - n.First}, follow)
		o.First, n.First = p.Old+1, p.New+1
	}
	return follow
}

// takeInOrder settles the lines that stand equally often in both stretches, the first with the first and so on, as
// far as they are matched like that.
func (a *aligner) takeInOrder(o, n Span, follow []int) {
	if o.Count == 0 || n.Count == 0 {
		return
	}
	a.count(o, n)
	for i := o.First; i < o.End(); i++ {
		if j := a.match[i]; j >= 0 && a.inOld[a.old[i]] == a.inFresh[a.old[i]] {
			follow[i] = j + 1
		}
	}
	a.forget(o, n)
	for j := n.First; j < n.End(); j++ {
		a.rank[j] = a.inFresh[a.fresh[j]]
		a.inFresh[a.fresh[j]]++
	}
	for i := o.First; i < o.End(); i++ {
		id := a.old[i]
		if follow[i] > 0 && a.rank[follow[i]-1] != a.inOld[id] {
			follow[i] = 0
		}
		a.inOld[id]++
	}
	a.forget(o, n)
}

// own tells of two lines, counted from 1, whether each stands once in its text and not in the other. Else it may be
// an equal line that was edited, and this one only the one that the comparison has left over.
func (a *aligner) own() func(p Pair) bool {
	a.count(Span{0, len(a.old)}, Span{0, len(a.fresh)})
	return func(p Pair) bool {
		before, after := a.old[p.Old-1], a.fresh[p.New-1]
		return a.inOld[before] == 1 && a.inFresh[before] == 0 && a.inFresh[after] == 1 && a.inOld[after] == 0
	}
}

// Bounds of looking for what a line was edited into: the lines of a block multiplied, of all blocks together, and
// the bytes of a line.
const (
	likenessOfBlock = 10_000
	likenessBudget  = 200_000
	longestLikeness = 1_000
)

// likeness pairs the lines of replaced blocks that are alike.
type likeness struct {
	old, fresh []string
	own        func(p Pair) bool
	left       int
}

// pair finds the lines of a replaced block that are edits of each other: alike by half and more, more alike than
// either is to any other line of the block, in the same order.
func (l *likeness) pair(b *Block, follow []int) {
	size := b.Old.Count * b.New.Count
	if size > likenessOfBlock || size > l.left {
		return
	}
	l.left -= size
	old, fresh := tokensOf(l.old, b.Old), tokensOf(l.fresh, b.New)
	alike := make([][]float64, len(old))
	for i := range old {
		alike[i] = make([]float64, len(fresh))
		for j := range fresh {
			alike[i][j] = old[i].alike(fresh[j])
		}
	}
	var best []Pair
	for i := range old {
		if j, ok := bestOf(alike, i); ok {
			best = append(best, Pair{b.Old.First + i, b.New.First + j})
		}
	}
	b.Pairs = growing(best)
	if len(b.Pairs) == len(best) { // else some of them cross: lines were moved, and it is not certain which
		for _, p := range b.Pairs {
			if l.own(p) {
				follow[p.Old-1] = p.New
			}
		}
	}
}

// bestOf gives the new line that is more like an old one than any other, when the old one is so to it.
func bestOf(alike [][]float64, i int) (int, bool) {
	best := 0
	for j, v := range alike[i] {
		if v > alike[i][best] {
			best = j
		}
	}
	most := alike[i][best]
	if most < 0.5 {
		return 0, false
	}
	for j, v := range alike[i] {
		if j != best && v >= most {
			return 0, false
		}
	}
	for k := range alike {
		if k != i && alike[k][best] >= most {
			return 0, false
		}
	}
	return best, true
}

// tokens are the words and signs of a line with how often each stands there, and how many runes all of them, and the
// words alone, have.
type tokens struct {
	often map[string]int
	runes int
	words int
}

func tokensOf(lines []string, s Span) []tokens {
	all := make([]tokens, s.Count)
	for i := range all {
		all[i] = tokenise(lines[s.First-1+i])
	}
	return all
}

func tokenise(line string) tokens {
	t := tokens{}
	if len(line) > longestLikeness {
		return t
	}
	t.often = map[string]int{}
	for len(line) > 0 {
		n := wordAt(line)
		word := n > 0
		if !word {
			_, n = utf8.DecodeRuneInString(line)
		}
		if r, _ := utf8.DecodeRuneInString(line); !unicode.IsSpace(r) {
			t.often[line[:n]]++
			t.runes += utf8.RuneCountInString(line[:n])
			if word {
				t.words += utf8.RuneCountInString(line[:n])
			}
		}
		line = line[n:]
	}
	return t
}

// wordAt is the length of the word that a text begins with, in bytes.
func wordAt(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(text)
}

// alike is the share of two lines that both have: of all their runes those in words and signs that are in both, or of
// those in words alone, where that is less. Lines of a program share many signs, whatever they say: that alone makes
// none of them an edit of another.
func (t tokens) alike(other tokens) float64 {
	shared, words := 0, 0
	for token, n := range t.often {
		if m := min(n, other.often[token]); m > 0 {
			runes := m * utf8.RuneCountInString(token)
			shared += runes
			if wordAt(token) > 0 {
				words += runes
			}
		}
	}
	if words == 0 {
		return 0
	}
	return min(2*float64(shared)/float64(t.runes+other.runes), 2*float64(words)/float64(t.words+other.words))
}
