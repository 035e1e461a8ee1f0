package taskpart

import (
	"slices"

	"lectern/internal/usecase"
)

// Note is a comment that points at the work, as it stands under its line or in a list of them.
type Note struct {
	*usecase.StandingComment
	Tick  string // where the form goes that ticks it or opens it again; empty: nobody may
	Reply string // the address at which it is answered; empty: it cannot be, or is where it stands
	Here  string // where the form goes that answers it where it stands; empty: there is none
	Sheet string // the page of the document that it points at, as an address; empty: none
	Then  string // where these forms lead to; empty: as they do by themselves
	Talk  string // the address of it in the conversation; empty: that is not on the page
	Back  string // where in the work it stands, as an address; empty: it does not stand in this version
}

// Gone tells whether what it was said of is not there any more.
func (n *Note) Gone() bool { return n.Stands == nil }

// NotesOf are the comments that stand at lines of one file, by the last line of each.
func NotesOf(list []*Note, file int) map[int][]*Note {
	out := map[int][]*Note{}
	for _, n := range list {
		if s := n.Stands; s != nil && s.File != nil && *s.File == file {
			out[*s.EndLine] = append(out[*s.EndLine], n)
		}
	}
	return out
}

// Open counts the comments that stand in each file and are not done; -1 is the document.
func Open(list []*Note) map[int]int {
	out := map[int]int{}
	for _, n := range list {
		switch s := n.Stands; {
		case s == nil || n.Place.DoneAt != nil:
		case s.File != nil:
			out[*s.File]++
		default:
			out[-1]++
		}
	}
	return out
}

// SortNotes has comments stand as the work does: those on the document first, then file by file, and those whose place
// is gone at the end.
func SortNotes(list []*Note) {
	key := func(n *Note) []int {
		switch s := n.Stands; {
		case s == nil:
			return []int{2, 0, 0}
		case s.File != nil:
			return []int{1, *s.File, *s.Line}
		default:
			return []int{0, 0, *s.Page}
		}
	}
	slices.SortStableFunc(list, func(a, b *Note) int { return slices.Compare(key(a), key(b)) })
}
