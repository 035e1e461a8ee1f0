package source

import (
	"context"
	"path"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/linediff"
	"lectern/internal/platform/files"
)

// Fate says what became of a file from one version to another.
type Fate string

// The fates.
const (
	Added     Fate = "added"
	Removed   Fate = "removed"
	Changed   Fate = "changed"
	Unchanged Fate = "unchanged"
)

// Enum gives all fates, for the documentation of the API.
func (Fate) Enum() []string {
	return []string{string(Added), string(Removed), string(Changed), string(Unchanged)}
}

// Bounds of one comparison: how much text of both versions is compared, and how much of it the answer holds. A line
// counts as so many bytes more, as what is kept of each is more than most lines are long.
const (
	mostCompared = 16 * bounds.MB
	mostAnswered = bounds.MB
	lineCompared = 20
)

// Changes tell what became of a version's files.
type Changes struct {
	At      clock.Time   `json:"submitted_at"`
	Against *clock.Time  `json:"against" doc:"when the one it is compared with was submitted; null: it is the first"`
	Files   []FileChange `json:"files" doc:"of both versions; those that went last"`
	Cut     bool         `json:"cut" doc:"whether lines were left out, because there are more than 1 MB of them"`
}

// FileChange is what became of one file.
type FileChange struct {
	Old      *int         `json:"old_number" doc:"of the file among those of the older version; null when it came"`
	New      *int         `json:"number" doc:"of the file among those of this version; null when it went"`
	Key      string       `json:"key"`
	OldName  *string      `json:"old_name" doc:"as the sender called it in the older version"`
	Name     *string      `json:"name"`
	Fate     Fate         `json:"state"`
	Compared bool         `json:"compared" doc:"whether it was compared line by line: both are text, and not too long"`
	Added    int          `json:"added" doc:"how many lines came"`
	Removed  int          `json:"removed" doc:"how many lines went"`
	Blocks   []LineChange `json:"blocks" doc:"stretches of lines that cover both files; none where no lines are compared"`

	Before, After *File          `json:"-"`
	Diff          *linediff.Diff `json:"-"`

	counted map[string][2]int
}

// LineSpan is a stretch of lines of a file.
type LineSpan struct {
	First int `json:"first" doc:"the number of its first line, from 1; of no lines the one it stands before"`
	Count int `json:"count" doc:"how many lines"`
}

// LineChange is a stretch of both files.
type LineChange struct {
	Kind     linediff.Kind `json:"kind" doc:"equal, deleted, inserted or replaced"`
	Old      LineSpan      `json:"old" doc:"where it stands in the older version"`
	New      LineSpan      `json:"new" doc:"where it stands in this version"`
	OldLines []string      `json:"old_lines" doc:"the lines that went; none where both are equal"`
	NewLines []string      `json:"new_lines" doc:"the lines that came; none where both are equal"`
}

// Compare tells what became of the files of a version. Files belong together that were sent for the same requirement,
// of a zip under the same path, or else have the same name. It reads no file that did not change.
func Compare(ctx context.Context, store files.Store, before, after []File) ([]FileChange, error) {
	list := pair(before, after)
	left := int64(mostCompared)
	for i := range list {
		c := &list[i]
		if c.Before != nil && c.After != nil && c.Before.Hash == c.After.Hash {
			c.Fate = Unchanged
			continue
		}
		if err := c.compare(ctx, store, &left); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// pair puts files of two versions together; those that went come last.
func pair(before, after []File) []FileChange {
	taken := make([]bool, len(before))
	partner := make([]*File, len(after))
	find := func(same func(o, n *File) bool) {
		for j := range after {
			for i := 0; i < len(before) && partner[j] == nil; i++ {
				if !taken[i] && same(&before[i], &after[j]) {
					partner[j], taken[i] = &before[i], true
				}
			}
		}
	}
	find(func(o, n *File) bool { return o.Key == n.Key && o.Name == n.Name })
	find(func(o, n *File) bool { return o.Key == n.Key && !o.Zipped && !n.Zipped })
	find(func(o, n *File) bool { return o.Key == n.Key && o.Hash == n.Hash && o.Size > 0 })
	find(onlyOnes(before, after))
	find(func(o, n *File) bool { return o.Name == n.Name && o.Kind == n.Kind })
	list := []FileChange{}
	for j := range after {
		list = append(list, changeOf(partner[j], &after[j]))
	}
	for i := range before {
		if !taken[i] {
			list = append(list, changeOf(&before[i], nil))
		}
	}
	return list
}

// onlyOnes pairs files that moved to another folder, or into a zip: of those sent for a requirement, the only ones in
// their version that are called so.
func onlyOnes(before, after []File) func(o, n *File) bool {
	called := func(f *File) string { return f.Key + "/" + path.Base(f.Name) }
	count := func(list []File) map[string]int {
		out := map[string]int{}
		for i := range list {
			out[called(&list[i])]++
		}
		return out
	}
	olds, news := count(before), count(after)
	return func(o, n *File) bool { return called(o) == called(n) && olds[called(o)] == 1 && news[called(n)] == 1 }
}

func changeOf(before, after *File) FileChange {
	c := FileChange{Before: before, After: after, Fate: Changed, Blocks: []LineChange{}}
	if before != nil {
		c.Old, c.OldName, c.Key = &before.Number, &before.Name, before.Key
	} else {
		c.Fate = Added
	}
	if after != nil {
		c.New, c.Name, c.Key = &after.Number, &after.Name, after.Key
	} else {
		c.Fate = Removed
	}
	return c
}

// size is how many bytes of text are compared.
func (c *FileChange) size() (sum int64) {
	for _, f := range []*File{c.Before, c.After} {
		if f != nil {
			sum += f.Size
		}
	}
	return sum
}

// compare reads both files and compares their lines. One that is no text, or too long to be read whole, is not
// compared: its end would seem to have changed.
// Nor is one for which nothing is left of what may be compared, from which it takes its part.
func (c *FileChange) compare(ctx context.Context, store files.Store, left *int64) error {
	size := c.size()
	if size > *left {
		return nil
	}
	*left -= size
	texts := [2]string{}
	for i, f := range []*File{c.Before, c.After} {
		if f == nil {
			continue
		}
		t, ok, err := read(ctx, store, f)
		if err != nil || !ok || t.Cut {
			return err
		}
		texts[i] = t.Text
	}
	lines := lineCompared * int64(strings.Count(texts[0], "\n")+strings.Count(texts[1], "\n"))
	if lines > *left {
		return nil
	}
	*left -= lines
	d := linediff.Compare([]byte(texts[0]), []byte(texts[1]))
	c.Diff, c.Compared = &d, true
	c.Added, c.Removed = d.Changed()
	if c.Fate == Changed && c.Added+c.Removed == 0 {
		c.Fate = Unchanged // but for what ends its lines
	}
	return nil
}

// Fill writes the blocks of all files out as the API answers with them, until there are too many lines.
func (c *Changes) Fill() {
	room := int64(mostAnswered)
	for i := range c.Files {
		f := &c.Files[i]
		if f.Diff == nil {
			continue
		}
		for _, b := range f.Diff.Blocks {
			one := LineChange{Kind: b.Kind, Old: LineSpan(b.Old), New: LineSpan(b.New), OldLines: []string{},
				NewLines: []string{}}
			if b.Kind != linediff.Equal {
				one.OldLines = c.take(f.Diff.Old, b.Old, &room)
				one.NewLines = c.take(f.Diff.New, b.New, &room)
			}
			if room -= lineCost; room < 0 {
				c.Cut = true
				break
			}
			f.Blocks = append(f.Blocks, one)
		}
	}
}

// lineCost is what a line or a block adds to the answer beside its text.
const lineCost = 8

func (c *Changes) take(lines []string, s linediff.Span, room *int64) []string {
	out := []string{}
	for _, l := range lines[s.First-1 : s.End()-1] {
		if *room -= int64(len(l)) + lineCost; *room < 0 {
			c.Cut = true
			break
		}
		out = append(out, l)
	}
	return out
}
