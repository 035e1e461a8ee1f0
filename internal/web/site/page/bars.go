package page

import "lectern/internal/teaching/status"

// taskBar shows how tasks stand: how many of them have a status of each family.
type taskBar struct {
	Parts           []barPart
	Complete, Total int
}

// barPart is the share of one family in a bar.
type barPart struct {
	Colour      string
	Words       string
	Count       int
	From, Width float64 // in percent
}

// bar counts tasks by status. A task counts as complete only where its status says so.
func (l *Language) bar(counts map[status.Status]int) (b taskBar) {
	by := map[string]int{}
	for st, n := range counts {
		by[LookOf(st).InBars()] += n
		b.Total += n
	}
	b.Complete = counts[status.Complete]
	at := 0
	for _, p := range []barPart{{Colour: "green", Words: l.Word("bar.green", by["green"])},
		{Colour: "teal", Words: l.Word("bar.teal", by["teal"])}, {Colour: "blue", Words: l.Word("bar.blue", by["blue"])},
		{Colour: "orange", Words: l.Word("bar.orange", by["orange"])}, {Colour: "red", Words: l.Word("bar.red", by["red"])},
		{Colour: "grey", Words: l.Word("bar.grey", by["grey"])}} {
		if p.Count = by[p.Colour]; p.Count == 0 {
			continue
		}
		p.From, p.Width = 100*float64(at)/float64(b.Total), 100*float64(p.Count)/float64(b.Total)
		at += p.Count
		b.Parts = append(b.Parts, p)
	}
	return b
}
