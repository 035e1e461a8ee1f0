package source

import (
	"context"

	"lectern/internal/ground/linediff"
	"lectern/internal/platform/files"
)

// Lines are lines of a file of a version, from First to Last.
type Lines struct {
	Number      int // of the file among those of the version
	First, Last int
}

// Followed tells of each of some lines of an older version where they stand in a newer one: the same lines, or what
// they were edited into; nil where that is not there, or cannot be told. Of lines that were torn apart it is the
// longest stretch that is together still, so that never a line is among them that was none. It reads only files that
// changed, each once, and compares no more than fits into left, which it takes from. For whoever holds
// policy.ReadSubmission on the project.
func Followed(ctx context.Context, store files.Store, before, after []File, asked []Lines, left *int64) ([]*Lines,
	error) {
	changes := map[int]*FileChange{}
	for _, c := range pair(before, after) {
		if c.Old != nil {
			changes[*c.Old] = &c
		}
	}
	out, looked := make([]*Lines, len(asked)), map[int]bool{}
	for i, l := range asked {
		c := changes[l.Number]
		if c == nil || c.After == nil {
			continue
		}
		if c.Before.Hash == c.After.Hash {
			out[i] = &Lines{*c.New, l.First, l.Last}
			continue
		}
		if !looked[l.Number] {
			if err := c.compare(ctx, store, left); err != nil {
				return nil, err
			}
		}
		looked[l.Number] = true
		if c.Diff != nil {
			out[i] = together(c.Diff, l, *c.New)
		}
	}
	return out, nil
}

// together is the longest stretch of lines that follow and are next to each other as they were; the first of several.
func together(d *linediff.Diff, l Lines, number int) *Lines {
	var best, run *Lines
	for n := l.First; n <= l.Last; n++ {
		at, ok := d.Follow(n)
		switch {
		case !ok:
			run = nil
			continue
		case run != nil && at == run.Last+1:
			run.Last = at
		default:
			run = &Lines{number, at, at}
		}
		if best == nil || run.Last-run.First > best.Last-best.First {
			best = run
		}
	}
	return best
}

// LinesFate says what became of lines from one version to another.
type LinesFate string

// The fates of lines.
const (
	LinesUnchanged LinesFate = "unchanged"
	LinesChanged   LinesFate = "changed"
	LinesRemoved   LinesFate = "removed"
	LinesUnknown   LinesFate = "unknown" // not compared, or one of several equal lines of which some went
)

// Enum gives all fates, for the documentation of the API.
func (LinesFate) Enum() []string {
	return []string{string(LinesUnchanged), string(LinesChanged), string(LinesRemoved), string(LinesUnknown)}
}

// Became tells what became of lines of the older file, and where they stand in the newer one; nil where that is not
// there, or cannot be told. Where others stand in the place of lines, without being an edit of them, these changed.
func (c *FileChange) Became(first, last int) (LinesFate, *Lines) {
	switch {
	case c.Before == nil:
		return LinesUnknown, nil
	case c.After == nil:
		return LinesRemoved, nil
	case c.Before.Hash == c.After.Hash:
		return LinesUnchanged, &Lines{*c.New, first, last}
	case c.Diff == nil:
		return LinesUnknown, nil
	}
	at := together(c.Diff, Lines{First: first, Last: last}, *c.New)
	fates := map[LinesFate]int{}
	for n := first; n <= last; n++ {
		fates[c.line(n)]++
	}
	switch {
	case at != nil && fates[LinesUnchanged] == last-first+1 && at.Last-at.First == last-first:
		return LinesUnchanged, at
	case at != nil || fates[LinesChanged] > 0:
		return LinesChanged, at
	case fates[LinesUnknown] > 0:
		return LinesUnknown, nil
	}
	return LinesRemoved, nil
}

// line is the fate of one line. One that stands once in each file, but not in the same order, was moved.
func (c *FileChange) line(n int) LinesFate {
	b, ok := c.Diff.OldAt(n)
	_, follows := c.Diff.Follow(n)
	switch {
	case !ok || b.Kind == linediff.Equal && !follows:
		return LinesUnknown
	case b.Kind == linediff.Equal:
		return LinesUnchanged
	case b.Kind == linediff.Replaced:
		return LinesChanged
	}
	switch often := c.often()[c.Diff.Old[n-1]]; {
	case often == [2]int{1, 1}:
		return LinesChanged
	case often[1] > 0:
		return LinesUnknown
	}
	return LinesRemoved
}

// often tells how often each line stands in the older and in the newer file.
func (c *FileChange) often() map[string][2]int {
	if c.counted == nil {
		c.counted = map[string][2]int{}
		for i, lines := range [][]string{c.Diff.Old, c.Diff.New} {
			for _, l := range lines {
				n := c.counted[l]
				n[i]++
				c.counted[l] = n
			}
		}
	}
	return c.counted
}
