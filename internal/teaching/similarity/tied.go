package similarity

import (
	"cmp"
	"context"
	"slices"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine"
)

// ties are which cases of a unit hang together: the works of one task and file that pairs tie, directly or through
// others. A cluster has the number of its first case.
type ties struct {
	of      map[int64]int64   // the cluster of a case
	members map[int64][]brief // the cases of a cluster
	works   map[int64][]int64 // the works in a cluster
}

// cluster is the number of the cluster that a case is in: an outside report is alone.
func (t *ties) cluster(id int64) int64 { return cmp.Or(t.of[id], id) }

// size is how many works hang together with those of a case.
func (t *ties) size(id int64) int { return max(len(t.works[t.of[id]]), 1) }

// tiesOf finds what hangs together of cases that are ordered by their numbers.
func tiesOf(list []brief) *ties {
	type place struct {
		definition int64
		part       string
	}
	byPlace := map[place][]brief{}
	for _, b := range list {
		if b.Other != nil {
			at := place{b.DefinitionID, b.Part}
			byPlace[at] = append(byPlace[at], b)
		}
	}
	out := &ties{map[int64]int64{}, map[int64][]brief{}, map[int64][]int64{}}
	for _, cases := range byPlace {
		out.add(cases)
	}
	return out
}

// add takes the cases of one task and file, by their numbers.
func (t *ties) add(cases []brief) {
	pairs := make([][2]int64, len(cases))
	for i, c := range cases {
		pairs[i] = [2]int64{c.Own, *c.Other}
	}
	clusters, at := engine.Clusters(pairs), map[int64]int{}
	for i, c := range clusters {
		for _, work := range c.Members {
			at[work] = i
		}
	}
	first := make([]int64, len(clusters))
	for _, c := range cases {
		i := at[c.Own]
		if first[i] == 0 {
			first[i] = c.ID
			t.works[c.ID] = clusters[i].Members
		}
		t.of[c.ID] = first[i]
		t.members[first[i]] = append(t.members[first[i]], c)
	}
}

// CaseCluster is work of a unit that hangs together by more than one pair. ID is the number of its first case.
type CaseCluster struct {
	ID           int64     `json:"id"`
	DefinitionID int64     `json:"task_definition_id"`
	Abbreviation string    `json:"abbreviation"` // of the task
	File         string    `json:"file"`         // code, or the key of the document that is alike
	Works        int       `json:"works"`
	Cases        []int64   `json:"cases"`
	Undecided    int       `json:"undecided"` // cases that nobody decided on
	Pct          int       `json:"pct"`       // of the most similar two
	Students     []Student `json:"students"`  // those whose names the caller may know, by user name
}

// fewestWorks make a cluster; two are a case.
const fewestWorks = 3

// Clusters lists which cases hang together: those with cases that nobody decided on first, then the largest. It
// tells how many there are in all.
func (u *UnitCases) Clusters(ctx context.Context, q db.Q, p db.Page) ([]CaseCluster, int64, error) {
	out, works := []CaseCluster{}, []int64{}
	for id, members := range u.ties.members {
		if len(u.ties.works[id]) >= fewestWorks {
			out = append(out, u.ties.sum(id, members))
		}
	}
	slices.SortFunc(out, func(a, b CaseCluster) int {
		return cmp.Or(min(b.Undecided, 1)-min(a.Undecided, 1), b.Works-a.Works, cmp.Compare(a.ID, b.ID))
	})
	total := int64(len(out))
	out = cut(out, p)
	for _, c := range out {
		works = append(works, u.ties.works[c.ID]...)
	}
	names, err := namesOf(ctx, q, u.who, u.unitID, works)
	if err != nil {
		return nil, 0, err
	}
	for i := range out {
		for _, work := range u.ties.works[out[i].ID] {
			out[i].Students = append(out[i].Students, names[work]...)
		}
		slices.SortFunc(out[i].Students, func(a, b Student) int { return cmp.Compare(a.Username, b.Username) })
	}
	return out, total, nil
}

// sum is a cluster without the names.
func (t *ties) sum(id int64, members []brief) CaseCluster {
	c := CaseCluster{ID: id, DefinitionID: members[0].DefinitionID, Abbreviation: members[0].Abbreviation,
		File: fileOf(members[0].Part), Works: len(t.works[id]), Cases: []int64{}, Students: []Student{}}
	for _, m := range members {
		c.Cases, c.Pct, c.Undecided = append(c.Cases, m.ID), max(c.Pct, m.Pct), c.Undecided+m.open()
	}
	return c
}

// cut is the part of a list that a page shows.
func cut[T any](list []T, p db.Page) []T {
	total := int64(len(list))
	from := min(p.Offset(), total)
	if !p.Asked() {
		return list[from:]
	}
	return list[from:min(from+p.Limit(), total)]
}

// namesOf gives those whose works these are, as far as the caller may know it.
func namesOf(ctx context.Context, q db.Q, who *access.Caller, unitID int64,
	works []int64) (map[int64][]Student, error) {
	type student struct {
		Work   int64 `db:"work"`
		UnitID int64 `db:"unit_id"`
		Student
	}
	var tasks, groups []int64
	for _, w := range works {
		if w < 0 {
			groups = append(groups, -w)
		} else {
			tasks = append(tasks, w)
		}
	}
	inTasks, args := db.In(nil, tasks)
	inGroups, args := db.In(args, groups)
	list, err := db.All[student](ctx, q, `SELECT coalesce(-t.group_submission_id, t.id) AS work, t.unit_id, x.user_id,
			t.id AS task_id, t.project_id, u.username, u.first_name, u.last_name
		FROM tasks t JOIN projects x ON x.id = t.project_id JOIN users u ON u.id = x.user_id
		WHERE t.id IN `+inTasks+` OR t.group_submission_id IN `+inGroups, args...)
	if err != nil {
		return nil, err
	}
	units := []int64{}
	for _, s := range list {
		units = append(units, s.UnitID)
	}
	slices.Sort(units)
	named, err := seesNamesIn(ctx, q, who, slices.Compact(units))
	if err != nil {
		return nil, err
	}
	out := map[int64][]Student{}
	for _, s := range list {
		if s.UnitID == unitID || named[s.UnitID] {
			out[s.Work] = append(out[s.Work], s.Student)
		}
	}
	return out, nil
}
