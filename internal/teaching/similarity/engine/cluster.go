package engine

import (
	"cmp"
	"slices"
)

// Cluster is works that belong together.
type Cluster struct {
	Members []int64 `json:"members"` // ids of works, rising
	// Core tells that the members are not tied by pairs: most of each is code
	// that at least half of the class has and the template has not. The exercise
	// may lead there, a template may be missing, or a solution may have gone round.
	Core bool `json:"core"`
}

// Clusters puts together whoever is tied by the pairs, directly or through
// others, largest first.
func Clusters(pairs [][2]int64) []Cluster {
	up := map[int64]int64{}
	root := func(id int64) int64 {
		for up[id] != id {
			up[id] = up[up[id]]
			id = up[id]
		}
		return id
	}
	for _, p := range pairs {
		for _, id := range p {
			if _, ok := up[id]; !ok {
				up[id] = id
			}
		}
		up[root(p[0])] = root(p[1])
	}
	members := map[int64][]int64{}
	for id := range up {
		members[root(id)] = append(members[root(id)], id)
	}
	var out []Cluster
	for _, m := range members {
		slices.Sort(m)
		out = append(out, Cluster{Members: m})
	}
	slices.SortFunc(out, func(a, b Cluster) int {
		return cmp.Or(len(b.Members)-len(a.Members), cmp.Compare(a.Members[0], b.Members[0]))
	})
	return out
}

const (
	coreView  = 2 // runs of nine tokens, names aside
	coreClass = 5 // a class smaller than this has no "most"
	corePart  = 0.5
)

// Core finds what most of a class shares, which no pair shows: rarity makes it
// invisible there. It is nil where there is no such thing.
func (x *Index) Core() *Cluster {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.class() < coreClass {
		return nil
	}
	c := &Cluster{Core: true}
	owners := map[int64]bool{}
	for _, w := range x.works {
		if w != nil && x.corePart(w) >= corePart {
			c.Members = append(c.Members, w.id)
			owners[w.owners[0]] = true
		}
	}
	if 2*len(owners) < x.class() {
		return nil
	}
	slices.Sort(c.Members)
	return c
}

// corePart is the part of a work that at least half of the class has.
func (x *Index) corePart(w *indexed) float64 {
	core, all := 0, 0
	for _, p := range w.prints {
		e := &x.entries[p]
		if e.view != coreView {
			continue
		}
		all++
		if 2*int(e.owners) >= x.owners[e.zeros] {
			core++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(core) / float64(all)
}
