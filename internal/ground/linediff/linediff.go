// Package linediff tells what became of a text line by line: which lines two versions share, which went, came or
// were replaced, and where a line of the older one stands in the newer. Its time and memory grow with the
// length of the texts and never with their product, whatever they hold.
package linediff

import (
	"bytes"
	"sort"
	"strings"
)

// Kind says what became of the lines of a block.
type Kind string

// The kinds of blocks.
const (
	Equal    Kind = "equal"
	Deleted  Kind = "deleted"
	Inserted Kind = "inserted"
	Replaced Kind = "replaced"
)

// Span is a stretch of lines: the first, counted from 1, and how many. An empty one stands before its first.
type Span struct{ First, Count int }

// End is the line after the last one.
func (s Span) End() int { return s.First + s.Count }

// Pair is a line of the old text and the line of the new one that is made of it.
type Pair struct{ Old, New int }

// Block is a stretch of both texts of one kind. Where lines were replaced, Pairs names those that are so alike that
// the one stands beside the other; both numbers of them grow.
type Block struct {
	Kind     Kind
	Old, New Span
	Pairs    []Pair
}

// Diff is the comparison of two texts: their lines, without what ends them, and the blocks that cover both.
type Diff struct {
	Old, New []string
	Blocks   []Block
	follow   []int // of each old line the new one, counted from 1, or 0
}

// Compare finds what both texts have in common. Lines end with a line feed, with or without a carriage return
// before it; that alone makes no difference.
func Compare(before, after []byte) Diff {
	d := Diff{Old: Lines(before), New: Lines(after)}
	old, fresh, kinds := number(d.Old, d.New)
	a := newAligner(old, fresh, kinds)
	a.align(Span{0, len(old)}, Span{0, len(fresh)}, 0)
	d.Blocks = blocks(a.match, len(fresh))
	d.follow = a.settled()
	like := likeness{old: d.Old, fresh: d.New, left: likenessBudget, own: a.own()}
	for i := range d.Blocks {
		if b := &d.Blocks[i]; b.Kind == Replaced {
			like.pair(b, d.follow)
		}
	}
	return d
}

// Lines gives the lines of a text. What follows the last line feed is a line only where there is something.
func Lines(text []byte) []string {
	lines := make([]string, 0, bytes.Count(text, []byte{'\n'})+1)
	rest := string(text)
	for rest != "" {
		line, more, ended := strings.Cut(rest, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, line)
		rest = more
	}
	return lines
}

// Follow tells where a line of the old text, counted from 1, stands in the new one: the same line, moved by what
// came or went elsewhere, or the one line that it was edited into. Where that cannot be told, as of one of several
// equal lines of which some went, it says so rather than guess.
func (d Diff) Follow(line int) (int, bool) {
	if line < 1 || line > len(d.follow) || d.follow[line-1] == 0 {
		return 0, false
	}
	return d.follow[line-1], true
}

// Changed counts the lines that came and those that went.
func (d Diff) Changed() (added, removed int) {
	for _, b := range d.Blocks {
		if b.Kind != Equal {
			added, removed = added+b.New.Count, removed+b.Old.Count
		}
	}
	return added, removed
}

// At finds the block that holds a line of the new text, counted from 1.
func (d Diff) At(line int) (Block, bool) {
	i := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].New.End() > line })
	if line < 1 || i == len(d.Blocks) {
		return Block{}, false
	}
	return d.Blocks[i], true
}

// OldAt finds the block that holds a line of the old text, counted from 1.
func (d Diff) OldAt(line int) (Block, bool) {
	i := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].Old.End() > line })
	if line < 1 || i == len(d.Blocks) {
		return Block{}, false
	}
	return d.Blocks[i], true
}

// number gives every line a number, the same for equal ones.
func number(before, after []string) (old, fresh []int32, kinds int) {
	seen := map[string]int32{}
	give := func(lines []string) []int32 {
		ids := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := seen[l]
			if !ok {
				id = int32(len(seen))
				seen[l] = id
			}
			ids[i] = id
		}
		return ids
	}
	old, fresh = give(before), give(after)
	return old, fresh, len(seen)
}

// blocks joins what is matched, and what lies between, to blocks.
func blocks(match []int, fresh int) []Block {
	var all []Block
	for i, j := 0, 0; i < len(match) || j < fresh; {
		b := Block{Kind: Equal, Old: Span{i + 1, 0}, New: Span{j + 1, 0}}
		for i < len(match) && match[i] == j {
			i, j = i+1, j+1
		}
		if i+1 == b.Old.First {
			for i < len(match) && match[i] < 0 {
				i++
			}
			if j = fresh; i < len(match) {
				j = match[i]
			}
			b.Kind = kindOf(i+1-b.Old.First, j+1-b.New.First)
		}
		b.Old.Count, b.New.Count = i+1-b.Old.First, j+1-b.New.First
		all = append(all, b)
	}
	return all
}

func kindOf(went, came int) Kind {
	switch {
	case went == 0:
		return Inserted
	case came == 0:
		return Deleted
	}
	return Replaced
}
