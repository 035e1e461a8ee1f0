package taskpart

import (
	"cmp"
	"slices"
	"strings"

	"lectern/internal/teaching/source"
	"lectern/internal/web/site/page"
)

// fromTree is from how many files on they are a tree, not tabs.
const fromTree = 10

// deepest is how many folders of a name are folders of the tree: the rest is in the name of the file.
const deepest = 8

// SourceTab leads to a file of the work.
type SourceTab struct {
	Name     string // as its sender calls it, perhaps with folders
	Href     string
	Number   int // among the files of the version
	Comments int // that are open
	Current  bool
}

// SourceFiles are the text files of a version.
type SourceFiles struct {
	Label string // what they are, for those who hear the page
	List  []SourceTab
}

// SourceFilesOf are the text files among those of a version, each with how many open comments stand in it, and the
// address that at gives it; nil: there are none. Current is the number of the one that is shown.
func SourceFilesOf(l *page.Language, list []source.File, notes []*Note, current int, at func(int) string) *SourceFiles {
	open, out := Open(notes), &SourceFiles{Label: l.Word("source.files-label")}
	for _, f := range list {
		if f.IsText {
			out.List = append(out.List, SourceTab{Name: f.Name, Href: at(f.Number), Number: f.Number,
				Comments: open[f.Number], Current: f.Number == current})
		}
	}
	if out.List == nil {
		return nil
	}
	return out
}

// SourceFolder is a folder of the tree.
type SourceFolder struct {
	Name    string
	Folders []*SourceFolder
	Files   []SourceTab
	Open    bool // the file that is shown is in it
}

// Many tells whether they are shown as a tree.
func (f *SourceFiles) Many() bool { return len(f.List) >= fromTree }

// Current is the file that is shown; nil: none is.
func (f *SourceFiles) Current() *SourceTab {
	for i := range f.List {
		if f.List[i].Current {
			return &f.List[i]
		}
	}
	return nil
}

// Comments are those that are open in all files.
func (f *SourceFiles) Comments() (sum int) {
	for _, t := range f.List {
		sum += t.Comments
	}
	return sum
}

// Tree are the files in their folders, both by name.
func (f *SourceFiles) Tree() *SourceFolder {
	root := &SourceFolder{}
	for _, t := range f.List {
		at, parts := root, strings.Split(t.Name, "/")
		folders := parts[:min(len(parts)-1, deepest)]
		t.Name = strings.Join(parts[len(folders):], "/")
		for _, name := range folders {
			at.Open = at.Open || t.Current
			at = at.folder(name)
		}
		at.Open = at.Open || t.Current
		at.Files = append(at.Files, t)
	}
	root.sort()
	return root
}

func (f *SourceFolder) folder(name string) *SourceFolder {
	for _, sub := range f.Folders {
		if sub.Name == name {
			return sub
		}
	}
	sub := &SourceFolder{Name: name}
	f.Folders = append(f.Folders, sub)
	return sub
}

func (f *SourceFolder) sort() {
	slices.SortStableFunc(f.Files, func(a, b SourceTab) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(f.Folders, func(a, b *SourceFolder) int { return cmp.Compare(a.Name, b.Name) })
	for _, sub := range f.Folders {
		sub.sort()
	}
}
