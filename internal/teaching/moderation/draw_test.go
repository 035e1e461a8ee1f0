package moderation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lectern/internal/teaching/status"
)

// people makes works of a random unit.
func people(r *rand.Rand, n int) []candidate {
	list := make([]candidate, n)
	for i := range list {
		list[i] = candidate{TaskID: int64(i*7 + 1), MarkerID: int64(r.IntN(4)), Marker: string(rune('A' + r.IntN(3))),
			DefinitionID: int64(r.IntN(5)), Abbreviation: "T", Status: status.Complete}
	}
	return list
}

func tasksOf(list []candidate) (ids []int64) {
	for _, c := range list {
		ids = append(ids, c.TaskID)
	}
	return ids
}

// The same seed draws the same from the same work, in whatever order it is read; another seed draws other work. What
// is drawn is no more of each part than was asked for, and as much as there is.
func TestTheSameSeedDrawsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	others := 0
	for range 200 {
		all := people(r, 1+r.IntN(200))
		size, by := 1+r.IntN(20), []Spread{InAll, ByTutor, ByTask, ByResult}[r.IntN(4)]
		seed := string(rune('a' + r.IntN(26)))
		drawn, parts := choose(all, by, size, seed)
		mixed := slices.Clone(all)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		again, _ := choose(mixed, by, size, seed)
		if !slices.Equal(tasksOf(drawn), tasksOf(again)) {
			t.Fatalf("%q drew %v, and then %v", seed, tasksOf(drawn), tasksOf(again))
		}
		var matched, n int64
		for _, p := range parts {
			if p.Drawn != min(int64(size), p.Matched) {
				t.Fatalf("of %d %d are drawn, asked for %d", p.Matched, p.Drawn, size)
			}
			matched, n = matched+p.Matched, n+p.Drawn
		}
		if matched != int64(len(all)) || n != int64(len(drawn)) {
			t.Fatalf("parts say %d of %d, and %d of %d are drawn", n, matched, len(drawn), len(all))
		}
		if len(all) > 4*size && by == InAll {
			if other, _ := choose(all, by, size, seed+"x"); !slices.Equal(tasksOf(drawn), tasksOf(other)) {
				others++
			}
		}
	}
	if others < 20 {
		t.Errorf("another seed drew the same: only %d drew other work", others)
	}
}

// Work that comes or goes changes no other's place in the draw.
func TestADrawIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		all := people(r, 50)
		before, _ := choose(all, InAll, 20, "s")
		gone := r.IntN(len(all))
		after, _ := choose(slices.Delete(slices.Clone(all), gone, gone+1), InAll, 20, "s")
		for _, id := range tasksOf(before) {
			if id != all[gone].TaskID && !slices.Contains(tasksOf(after), id) {
				t.Fatalf("%d is no longer drawn because %d went", id, all[gone].TaskID)
			}
		}
	}
}

// Nobody is given what they marked themselves.
func TestNobodyGetsTheirOwnMarks(t *testing.T) {
	d := Draw{Markers: []int64{1, 2}}
	turn := 0
	for i := range 40 {
		c := candidate{MarkerID: int64(i % 3), OwnerID: 9}
		if to := d.assign(c, &turn); to == nil || *to == c.MarkerID {
			t.Fatalf("what %d marked is given to %v", c.MarkerID, to)
		}
	}
	if to := (&Draw{Markers: []int64{1}}).assign(candidate{MarkerID: 1}, &turn); to != nil {
		t.Errorf("given to %d, who marked it", *to)
	}
}
