package similar

import (
	"fmt"
	"slices"
)

// Work is a submission in an index.
type Work struct {
	// ID names this version of this submission.
	ID int64
	// Owners are the keys of those whose work it is: a project, a group, its
	// members. Works that share one are never matched, so one's own versions,
	// earlier attempts and one's group are left alone. The first is the one who
	// counts as having a fragment; works of one owner count once.
	Owners []int64
	Prints *Prints
}

// Index holds the fingerprints of a class, that is of all submissions that are
// compared with each other. It keeps no tokens: at most 2,048 fingerprints of a
// submission however long, about fifty bytes each. It is not safe for
// concurrent use while it changes.
type Index struct {
	template *Template
	numbers  map[uint64]uint32 // of a fingerprint
	entries  []entry
	lists    [][]uint32 // works that have a fingerprint, where there are several
	works    []*indexed // nil where one was removed
	byID     map[int64]uint32
	byOwner  map[int64][]uint32
	owners   [maxLevel + 1]int // owners whose sample reaches down to the level
	scale    scale
}

// entry is a fingerprint in the index.
type entry struct {
	owners uint32 // that have it
	works  uint32 // that have it
	first  uint32 // the work, while there is one; else the list
	view   uint8
	zeros  uint8
}

type indexed struct {
	id     int64
	owners []int64
	level  int
	prints []uint32                 // numbers of fingerprints, rising
	totals [maxLevel + 1][2]float64 // their weight, as of Index.scale
	as     uint64                   // the state of the index the totals belong to
}

// NewIndex makes an empty index of works made from a template, which may be nil.
func NewIndex(t *Template) *Index {
	return &Index{template: t, numbers: map[uint64]uint32{}, byID: map[int64]uint32{}, byOwner: map[int64][]uint32{}}
}

// Len tells how many works the index holds.
func (x *Index) Len() int { return len(x.byID) }

// Fingerprints tells how many fingerprints the works of the index have, all told.
func (x *Index) Fingerprints() int {
	n := 0
	for _, w := range x.works {
		if w != nil {
			n += len(w.prints)
		}
	}
	return n
}

// Owners tells how many there are who handed something in.
func (x *Index) Owners() int { return x.owners[maxLevel] }

// Add takes up a work. Its prints are not kept. An id that is there already is
// refused: remove it first.
func (x *Index) Add(w Work) error {
	if _, ok := x.byID[w.ID]; ok {
		return fmt.Errorf("work %d is in the index already", w.ID)
	}
	if len(w.Owners) == 0 {
		return fmt.Errorf("work %d has no owner", w.ID)
	}
	in := &indexed{id: w.ID, owners: slices.Clone(w.Owners), level: level(w.Prints.Tokens())}
	number := uint32(len(x.works))
	had := x.ownedBy(w.Owners[0])
	found := x.template.own(w.Prints, in.level)
	in.prints = make([]uint32, len(found))
	for i, f := range found {
		in.prints[i] = x.post(f, number, had)
	}
	slices.Sort(in.prints)
	x.works = append(x.works, in)
	x.byID[w.ID] = number
	x.countOwner(w.Owners[0], func() { x.byOwner[w.Owners[0]] = append(x.byOwner[w.Owners[0]], number) })
	return nil
}

// ownedBy gathers the fingerprints an owner has by earlier works.
func (x *Index) ownedBy(owner int64) map[uint32]bool {
	var had map[uint32]bool
	for _, n := range x.byOwner[owner] {
		if had == nil {
			had = map[uint32]bool{}
		}
		for _, p := range x.works[n].prints {
			had[p] = true
		}
	}
	return had
}

// post notes that a work has a fingerprint, and gives the fingerprint's number.
func (x *Index) post(f fingerprint, work uint32, had map[uint32]bool) uint32 {
	n, ok := x.numbers[f.hash]
	if !ok {
		n = uint32(len(x.entries))
		x.numbers[f.hash] = n
		x.entries = append(x.entries, entry{view: f.view, zeros: uint8(zeros(f.hash))})
	}
	e := &x.entries[n]
	switch e.works {
	case 0:
		e.first = work
	case 1:
		x.lists = append(x.lists, []uint32{e.first, work})
		e.first = uint32(len(x.lists) - 1)
	default:
		x.lists[e.first] = append(x.lists[e.first], work)
	}
	e.works++
	if !had[n] {
		e.owners++
	}
	return n
}

// Remove takes a work out, as when it expires or its author is erased. An
// unknown id is no error.
func (x *Index) Remove(id int64) {
	number, ok := x.byID[id]
	if !ok {
		return
	}
	in := x.works[number]
	owner := in.owners[0]
	x.countOwner(owner, func() {
		x.byOwner[owner] = slices.DeleteFunc(x.byOwner[owner], func(n uint32) bool { return n == number })
	})
	delete(x.byID, id)
	x.works[number] = nil
	has := x.ownedBy(owner)
	for _, p := range in.prints {
		x.unpost(&x.entries[p], number)
		if !has[p] {
			x.entries[p].owners--
		}
	}
}

func (x *Index) unpost(e *entry, work uint32) {
	if e.works--; e.works == 0 {
		return
	}
	list := slices.DeleteFunc(x.lists[e.first], func(n uint32) bool { return n == work })
	if e.works == 1 {
		x.lists[e.first] = nil
		e.first = list[0]
		return
	}
	x.lists[e.first] = list
}

// countOwner keeps the number of owners true over a change of an owner's works.
func (x *Index) countOwner(owner int64, change func()) {
	x.countFrom(owner, -1)
	change()
	x.countFrom(owner, 1)
	if len(x.byOwner[owner]) == 0 {
		delete(x.byOwner, owner)
	}
	x.scale.state++
}

func (x *Index) countFrom(owner int64, by int) {
	lowest := maxLevel + 1
	for _, n := range x.byOwner[owner] {
		lowest = min(lowest, x.works[n].level)
	}
	for l := lowest; l <= maxLevel; l++ {
		x.owners[l] += by
	}
}

// related tells works that share an owner.
func (w *indexed) related(o *indexed) bool {
	for _, a := range w.owners {
		if slices.Contains(o.owners, a) {
			return true
		}
	}
	return false
}
