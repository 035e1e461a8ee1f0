package taskpart

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// manyFiles is from how many files on they are listed in a menu.
const manyFiles = 10

// ChangesIn is what is looked at of a comparison, as addresses have it.
type ChangesIn struct {
	Against string `param:"against"` // the version to compare with; empty: the one before
	File    string `param:"file"`    // its number in the list of the comparison; empty: the first that says most
	Columns string `param:"columns"` // two: the versions side by side
	Open    string `param:"open"`    // stretches that did not change and are shown, by their first lines
	Whole   bool   `param:"whole"`   // all that did not change is shown
	From    int64  `param:"from"`    // the first row of a long file
}

// Values adds them to those of an address.
func (in ChangesIn) Values(v url.Values) url.Values {
	for name, value := range map[string]string{"against": in.Against, "file": in.File, "columns": in.Columns,
		"open": in.Open} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if in.Whole {
		v.Set("whole", "true")
	}
	if in.From > 0 {
		v.Set("from", strconv.FormatInt(in.From, 10))
	}
	return v
}

// Changes is what the comparison of two versions shows: one file, and what was said at the older one.
type Changes struct {
	*usecase.WorkChanges
	In    ChangesIn
	Path  string // of the task
	Back  string // where a form leads to when it is done
	Files []ChangedFile
	Shown *ChangedFile // nil: there is none
	Lines *ChangedLines
	Notes []*CarriedNote
	Keys  bool // controls have keys
	Staff bool // the reader is of the staff
	at    func(ChangesIn) string
	words *page.Language
}

// ChangedFile is a file of the comparison.
type ChangedFile struct {
	*source.FileChange
	Index   int
	Href    string
	Current bool
	Open    int // comments that are not done
}

// Called is its name, or the one that it had.
func (f *ChangedFile) Called() string {
	if f.Name != nil {
		return *f.Name
	}
	return *f.OldName
}

// Renamed is the name that it had before; empty where it is the same.
func (f *ChangedFile) Renamed() string {
	if f.Name == nil || f.OldName == nil || *f.Name == *f.OldName {
		return ""
	}
	return *f.OldName
}

// CarriedNote is a comment of the older version as the comparison shows it.
type CarriedNote struct {
	*usecase.CarriedComment
	Href  string // where it stands in the comparison; empty: nowhere
	Inner bool   // it stands among the lines that are shown
	May   bool   // the reader may answer it and say that it is done
	Mine  bool   // who said that it is done is the reader
	Staff bool
	Key   string // that says it is done; empty: none does
	Path  string
	Back  string
}

// Done tells whether somebody said so.
func (n *CarriedNote) Done() bool { return n.Place.DoneAt != nil }

// At is where it was said, in words: "on version 1, line 41".
func (n *CarriedNote) At(l *page.Language) string {
	p := n.Place
	switch {
	case p.Page != nil:
		return l.Word("changes.on-page", p.Version, *p.Page)
	case *p.Line == *p.EndLine:
		return l.Word("changes.on-line", p.Version, *p.Line)
	}
	return l.Word("changes.on-lines", p.Version, *p.Line, *p.EndLine)
}

// doneWord tells who said that it is done, where that is the reader.
func (n *CarriedNote) doneWord(l *page.Language) string {
	switch {
	case n.Mine && n.Staff:
		return l.Word("changes.resolved-by-you")
	case n.Mine:
		return l.Word("changes.done-by-you")
	}
	return l.Word("source.done")
}

// fateWord is what became of the lines, in a word.
func (n *CarriedNote) fateWord(l *page.Language) string {
	switch n.Fate {
	case source.LinesChanged:
		return l.Word("changes.line-changed")
	case source.LinesUnchanged:
		return l.Word("changes.line-same")
	case source.LinesRemoved:
		return l.Word("changes.line-gone")
	}
	return l.Word("changes.line-unknown")
}

// shorten is the beginning of what a comment says at a place, in one line.
func shorten(text string) string { return extract(&work.Comment{Text: text}) }

// versionItems are versions as the entries of a segment.
func versionItems(l *page.Language, list []VersionItem) []link {
	items := make([]link, len(list))
	for i, v := range list {
		items[i] = link{Text: l.Word("changes.version", v.Number), Href: v.Href, Current: v.Current}
	}
	return items
}

// ChangesOf compares versions for a page. At gives the address of the page for what is looked at. It is for whoever
// holds policy.ReadSubmission; what it asks for besides are usecase.AsReader and policy.Comment.
func ChangesOf(ctx context.Context, s *page.Site, who *access.Caller, in In, timestamp string, look ChangesIn,
	at func(ChangesIn) string) (*Changes, error) {
	var against *string
	if look.Against != "" {
		against = &look.Against
	}
	all, err := s.Usecases.Changes(ctx, who, in.Ref(), timestamp, against)
	if err != nil {
		return nil, err
	}
	c := &Changes{WorkChanges: all, In: look, Path: in.Path(), at: at, words: s.Words, Staff: who.May(policy.GradeTask)}
	c.Back = c.at(look)
	c.list()
	c.choose()
	c.note(who)
	if c.Shown != nil && c.Shown.Diff != nil {
		c.Lines = c.lines()
	}
	return c, nil
}

// list puts the files of the comparison into a list with where each is shown.
func (c *Changes) list() {
	open := map[string]int{}
	for _, n := range c.Comments {
		if n.Place.DoneAt == nil && n.Was != nil && n.Was.File != nil {
			open[fmt.Sprint("old", *n.Was.File)]++
		}
	}
	for i := range c.WorkChanges.Files {
		f := ChangedFile{FileChange: &c.WorkChanges.Files[i], Index: i}
		look := c.In
		look.File, look.Open, look.From = strconv.Itoa(i), "", 0
		f.Href = c.at(look)
		if f.Old != nil {
			f.Open = open[fmt.Sprint("old", *f.Old)]
		}
		c.Files = append(c.Files, f)
	}
}

// choose finds the file that is shown: the one that is asked for, else the first that changed and has open comments,
// that changed, or that there is.
func (c *Changes) choose() {
	at, err := strconv.Atoi(c.In.File)
	if err != nil || at < 0 || at >= len(c.Files) {
		at = slices.IndexFunc(c.Files, func(f ChangedFile) bool {
			return f.Compared && f.Open > 0 && f.Fate != source.Unchanged
		})
		if at < 0 {
			at = slices.IndexFunc(c.Files, func(f ChangedFile) bool { return f.Compared && f.Fate != source.Unchanged })
		}
		if at < 0 {
			at = slices.IndexFunc(c.Files, func(f ChangedFile) bool { return f.Fate != source.Unchanged })
		}
		at = max(at, 0)
	}
	if at < len(c.Files) {
		c.Shown = &c.Files[at]
		c.Shown.Current = true
	}
}

// note tells of each comment where it stands in the comparison.
func (c *Changes) note(who *access.Caller) {
	for _, one := range c.Comments {
		n := &CarriedNote{CarriedComment: one, May: who.May(policy.Comment), Staff: c.Staff, Path: c.Path, Back: c.Back}
		n.Mine = n.Place.DoneBy != nil && *n.Place.DoneBy == who.ID
		for i := range c.Files {
			f := &c.Files[i]
			if one.Was == nil || one.Was.File == nil || f.Old == nil || *f.Old != *one.Was.File {
				continue
			}
			n.Href = fmt.Sprint(f.Href, "#note-", n.ID)
			if n.Inner = f.Current; n.Inner {
				n.Href = fmt.Sprint("#note-", n.ID)
			}
		}
		c.Notes = append(c.Notes, n)
	}
	slices.SortStableFunc(c.Notes, inOrder)
}

// inOrder puts comments as they stand in the files of the older version; last are those that do not.
func inOrder(a, b *CarriedNote) int {
	file := func(n *CarriedNote) int {
		if n.Was == nil || n.Was.File == nil {
			return math.MaxInt
		}
		return *n.Was.File
	}
	line := func(n *CarriedNote) int {
		if n.Was == nil || n.Was.EndLine == nil {
			return math.MaxInt
		}
		return *n.Was.EndLine
	}
	return cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(line(a), line(b)))
}

// Use gives controls their keys: the first open comment of the file is the one that a key closes.
func (c *Changes) Use() {
	c.Keys = true
	for _, n := range c.Notes {
		if n.Inner && n.May && !n.Done() {
			n.Key = "s"
			return
		}
	}
}

// DoneCount is how many of the comments are done.
func (c *Changes) DoneCount() (sum int) {
	for _, n := range c.Notes {
		if n.Done() {
			sum++
		}
	}
	return sum
}

// Inner are the comments on the file that is shown.
func (c *Changes) Inner() (list []*CarriedNote) {
	for _, n := range c.Notes {
		if n.Inner {
			list = append(list, n)
		}
	}
	return list
}

// Many tells whether there are too many files for tabs.
func (c *Changes) Many() bool { return len(c.Files) >= manyFiles }

// Touched is how many files are not the same.
func (c *Changes) Touched() (sum int) {
	for _, f := range c.Files {
		if f.Fate != source.Unchanged {
			sum++
		}
	}
	return sum
}

// Added and Removed are how many lines came and went in all files.
func (c *Changes) Added() (sum int) {
	for _, f := range c.Files {
		sum += f.Added
	}
	return sum
}

// Removed is how many lines went.
func (c *Changes) Removed() (sum int) {
	for _, f := range c.Files {
		sum += f.Removed
	}
	return sum
}

// Two tells whether both versions stand side by side.
func (c *Changes) Two() bool { return c.In.Columns == "two" }

// link is an entry of a segment.
type link struct {
	Text, Href string
	Current    bool
	Icon       page.Icon
	Key        string
}

// Columns are the ways to show a file.
func (c *Changes) Columns() []link {
	one, two := c.In, c.In
	one.Columns, two.Columns = "", "two"
	return []link{{Text: c.words.Word("changes.one-column"), Href: c.at(one), Current: !c.Two()},
		{Text: c.words.Word("changes.two-columns"), Href: c.at(two), Current: c.Two()}}
}

// WholeHref is the address with all lines of the file, or with those around changes only.
func (c *Changes) WholeHref() string {
	look := c.In
	look.Whole, look.Open, look.From = !look.Whole, "", 0
	return c.at(look)
}

// VersionItem is one of the versions that a page leads to.
type VersionItem struct {
	Number  int
	At      clock.Time
	Href    string
	Current bool
}

// Others are the versions that this one can be compared with, the newest first.
func (c *Changes) Others() (list []VersionItem) {
	for i, v := range c.Versions {
		n := len(c.Versions) - i
		if n == c.Number {
			continue
		}
		look := c.In
		look.Against, look.File, look.Open, look.From = v.At.String(), "", "", 0
		list = append(list, VersionItem{n, v.At, c.at(look), n == c.Older})
	}
	return list
}

// opened are the stretches that are shown although nothing changed in them.
func (in ChangesIn) opened() map[int]bool {
	out := map[int]bool{}
	for _, text := range strings.SplitN(in.Open, ".", mostOpened+1) {
		if n, err := strconv.Atoi(text); err == nil {
			out[n] = true
		}
	}
	return out
}

// opening is the same with one more of them.
func (in ChangesIn) opening(first int) ChangesIn {
	if in.Open != "" {
		in.Open += "."
	}
	in.Open += strconv.Itoa(first)
	return in
}
