package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"
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
// submission however long, about fifty bytes each. Its methods may be called from
// several goroutines; they take turns.
type Index struct {
	mu       sync.Mutex
	template *Template
	numbers  map[uint64]uint32 // of a fingerprint
	entries  []entry
	hashes   []uint64   // of the entries
	lists    [][]uint32 // works that have a fingerprint, where there are several, rising
	works    []*indexed // nil where one was removed
	byID     map[int64]uint32
	byOwner  map[int64][]uint32
	owners   [maxLevel + 1]int // owners whose sample reaches down to the level
	postings int               // fingerprints of all works
	scale    scale

	// What removed works left: places of entries, lists and works to be used again.
	freeEntries, freeLists, freeWorks []uint32
}

// entry is a fingerprint in the index. It is small, since those of a whole class are gone
// through whenever one of it hands in.
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
	prints []uint32                     // numbers of fingerprints, rising
	totals [maxLevel + 1][sides]float64 // their weight, as of Index.scale
	as     uint64                       // the state of the index the totals belong to
}

// NewIndex makes an empty index of works made from a template, which may be nil.
func NewIndex(t *Template) *Index {
	return &Index{template: t, numbers: map[uint64]uint32{}, byID: map[int64]uint32{}, byOwner: map[int64][]uint32{}}
}

// Len tells how many works the index holds.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.byID)
}

// Has tells whether a work is in the index.
func (x *Index) Has(id int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.byID[id]
	return ok
}

// IDs lists the works of the index, in no order.
func (x *Index) IDs() []int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Keys(x.byID))
}

// Owner gives the first owner of a work, 0 where it is not in the index.
func (x *Index) Owner(id int64) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n, ok := x.byID[id]; ok {
		return x.works[n].owners[0]
	}
	return 0
}

// Fingerprints tells how many fingerprints the works of the index have, all told.
func (x *Index) Fingerprints() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.postings
}

// Owners tells how many there are who handed something in.
func (x *Index) Owners() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.class()
}

func (x *Index) class() int { return x.owners[maxLevel] }

// Add takes up a work. Its prints are not kept. An id that is there already is
// refused: remove it first.
func (x *Index) Add(w Work) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.byID[w.ID]; ok {
		return fmt.Errorf("work %d is in the index already", w.ID)
	}
	if len(w.Owners) == 0 {
		return fmt.Errorf("work %d has no owner", w.ID)
	}
	in := &indexed{id: w.ID, owners: slices.Clone(w.Owners)}
	number := take(&x.freeWorks, &x.works)
	had := x.ownedBy(w.Owners[0])
	var found []fingerprint
	found, in.level = x.sample(w.Prints)
	in.prints = make([]uint32, len(found))
	for i, f := range found {
		in.prints[i] = x.post(f, number, had)
	}
	slices.Sort(in.prints)
	x.works[number] = in
	x.postings += len(in.prints)
	x.byID[w.ID] = number
	x.countOwner(w.Owners[0], func() { x.byOwner[w.Owners[0]] = append(x.byOwner[w.Owners[0]], number) })
	return nil
}

// sample gives the fingerprints of a work that are kept, and their level. Work that
// repeats itself, as a copy does that is padded with the same line again and again, has
// few different runs for its length: then more of them are kept, or none of what was
// copied might be among them.
func (x *Index) sample(p *Prints) (found []fingerprint, l int) {
	for l = level(p.Tokens()); ; l-- {
		if found = x.template.own(p, l); l == 0 || len(found) >= leastKept {
			break
		}
	}
	for len(found) > mostKept && l < maxLevel {
		l++
		found = slices.DeleteFunc(found, func(f fingerprint) bool { return f.kept() < l })
	}
	return found, l
}

// take gives a place in a list: one that became free, or a new one at its end.
func take[T any](free *[]uint32, list *[]T) uint32 {
	if n := len(*free); n > 0 {
		at := (*free)[n-1]
		*free = (*free)[:n-1]
		return at
	}
	var zero T
	*list = append(*list, zero)
	return uint32(len(*list) - 1)
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
		n = take(&x.freeEntries, &x.entries)
		x.numbers[f.hash] = n
		x.entries[n] = entry{view: f.view, zeros: uint8(f.kept())}
		if int(n) == len(x.hashes) {
			x.hashes = append(x.hashes, 0)
		}
		x.hashes[n] = f.hash
	}
	e := &x.entries[n]
	switch e.works {
	case 0:
		e.first = work
	case 1:
		at := take(&x.freeLists, &x.lists)
		x.lists[at] = []uint32{min(e.first, work), max(e.first, work)}
		e.first = at
	default:
		list := x.lists[e.first]
		if place := len(list); list[place-1] < work {
			x.lists[e.first] = append(list, work)
		} else { // in the place of one that was removed
			place, _ = slices.BinarySearch(list, work)
			x.lists[e.first] = slices.Insert(list, place, work)
		}
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
	x.mu.Lock()
	defer x.mu.Unlock()
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
	x.freeWorks = append(x.freeWorks, number)
	x.postings -= len(in.prints)
	has := x.ownedBy(owner)
	for _, p := range in.prints {
		if !has[p] {
			x.entries[p].owners--
		}
		x.unpost(p, number)
	}
}

// unpost takes a work from a fingerprint, and forgets the fingerprint with its last.
func (x *Index) unpost(p, work uint32) {
	e := &x.entries[p]
	if e.works--; e.works == 0 {
		delete(x.numbers, x.hashes[p])
		*e = entry{}
		x.freeEntries = append(x.freeEntries, p)
		return
	}
	list := slices.DeleteFunc(x.lists[e.first], func(n uint32) bool { return n == work })
	if e.works == 1 {
		x.lists[e.first] = nil
		x.freeLists = append(x.freeLists, e.first)
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
