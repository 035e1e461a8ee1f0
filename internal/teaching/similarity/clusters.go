package similarity

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine"
)

// Cluster is work for a task that belongs together.
type Cluster struct {
	File string `json:"file"` // code, or the key of the document that is alike
	// Core tells that the members are not tied by pairs: their work is for the most part
	// what at least half of the class has and was not handed out.
	Core        bool     `json:"core"`
	Explanation string   `json:"explanation"`
	Members     []Member `json:"members"` // who handed in first comes first
}

// Member is one of a cluster. Whoever has no rights in their unit learns no name.
type Member struct {
	Student     *Student   `json:"student"`
	UnitCode    string     `json:"unit_code"`
	Term        string     `json:"term"`
	SubmittedAt clock.Time `json:"submitted_at"` // the first version that belongs here
	unit        int64
}

// Clusters tells which work for a definition belongs together: what pairs tie, the
// largest first, and then what most of the class shares.
// Those that hold the caller's own work are left out.
func Clusters(ctx context.Context, q db.Q, who *access.Caller, definitionID int64) ([]Cluster, error) {
	ties, err := db.All[tie](ctx, q, `SELECT DISTINCT p.part, p.left_id, p.right_id FROM tasks t
		JOIN task_similarities s ON s.task_id = t.id AND s.flagged JOIN similarity_pairs p ON p.id = s.pair_id
		WHERE t.task_definition_id = $1`, definitionID)
	if err != nil {
		return nil, err
	}
	core, err := db.All[tie](ctx, q, `SELECT p.part, p.submission_id AS left_id, p.submission_id AS right_id
		FROM tasks t JOIN submissions s ON s.task_id = t.id JOIN similarity_prints p ON p.submission_id = s.id
		WHERE t.task_definition_id = $1 AND p.core`, definitionID)
	if err != nil {
		return nil, err
	}
	g, err := newGathering(ctx, q, who, slices.Concat(ties, core))
	if err != nil {
		return nil, err
	}
	out := g.tied(ties)
	slices.SortStableFunc(out, func(a, b Cluster) int { return len(b.Members) - len(a.Members) })
	return append(out, g.core(core)...), nil
}

// tie joins two submissions.
type tie struct {
	Part  string `db:"part"`
	Left  int64  `db:"left_id"`
	Right int64  `db:"right_id"`
}

// gathering knows whose the submissions are that clusters are made of.
type gathering struct {
	who      *access.Caller
	students map[int64][]Student
	places   map[int64]place
	named    map[int64]bool // units in which the caller may know names
}

// place is when and where a submission was handed in.
type place struct {
	ID     int64       `db:"id"`
	At     clock.Time  `db:"at"`
	UnitID int64       `db:"unit_id"`
	Code   string      `db:"code"`
	Period *string     `db:"period"`
	Year   *int        `db:"year"`
	Start  *clock.Date `db:"start_date"`
}

func newGathering(ctx context.Context, q db.Q, who *access.Caller, ties []tie) (*gathering, error) {
	var ids, units []int64
	for _, t := range ties {
		ids = append(ids, t.Left, t.Right)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	g := &gathering{who: who, places: map[int64]place{}}
	in, args := db.In(nil, ids)
	for p, err := range db.Each[place](ctx, q, `SELECT s.id, s.at, u.id AS unit_id, u.code, tp.period, tp.year,
		u.start_date FROM submissions s JOIN units u ON u.id = s.unit_id
		LEFT JOIN teaching_periods tp ON tp.id = u.teaching_period_id WHERE s.id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		g.places[p.ID] = p
		units = append(units, p.UnitID)
	}
	slices.Sort(units)
	var err error
	if g.students, err = studentsOf(ctx, q, ids); err != nil {
		return nil, err
	}
	g.named, err = seesNamesIn(ctx, q, who, slices.Compact(units))
	return g, err
}

// tied makes clusters of what pairs tie, a part at a time. Versions of one student's
// work, and members of a group, belong together anyhow.
func (g *gathering) tied(ties []tie) (out []Cluster) {
	parts := map[string][][2]int64{}
	for _, t := range ties {
		tasks := slices.Concat(g.students[t.Left], g.students[t.Right])
		for _, s := range tasks {
			parts[t.Part] = append(parts[t.Part], [2]int64{tasks[0].TaskID, s.TaskID})
		}
	}
	for _, part := range sortedKeys(parts) {
		pairs := parts[part]
		members := g.members(ties, part)
		for _, c := range engine.Clusters(pairs) {
			cluster := Cluster{File: fileOf(part), Explanation: "The work of these is alike, directly or through " +
				"others of them. Who submitted first is a time and says nothing of who wrote it."}
			if list, ok := g.list(c.Members, members); ok {
				cluster.Members = list
				out = append(out, cluster)
			}
		}
	}
	slices.SortFunc(out, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Members[0].SubmittedAt.Compare(b.Members[0].SubmittedAt.Time))
	})
	return out
}

// core makes a cluster of what most of the class shares.
func (g *gathering) core(ties []tie) (out []Cluster) {
	parts := map[string][]int64{}
	for _, t := range ties {
		for _, s := range g.students[t.Left] {
			parts[t.Part] = append(parts[t.Part], s.TaskID)
		}
	}
	for _, part := range sortedKeys(parts) {
		tasks := parts[part]
		slices.Sort(tasks)
		if list, ok := g.list(slices.Compact(tasks), g.members(ties, part)); ok {
			out = append(out, Cluster{File: fileOf(part), Core: true, Members: list,
				Explanation: fmt.Sprintf("The work of these %d is for the most part what at least half of the "+
					"students have and was not handed out: the task leads there, a template is missing, or a "+
					"solution went round.", len(list))})
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// members gives, by task, those whose work a part of the ties is about.
func (g *gathering) members(ties []tie, part string) map[int64]Member {
	out := map[int64]Member{}
	for _, t := range ties {
		if t.Part != part {
			continue
		}
		for _, id := range []int64{t.Left, t.Right} {
			p := g.places[id]
			for _, s := range g.students[id] {
				if m, ok := out[s.TaskID]; !ok || p.At.Before(m.SubmittedAt.Time) {
					out[s.TaskID] = Member{&s, p.Code, term(p.Period, p.Year, p.Start), p.At, p.UnitID}
				}
			}
		}
	}
	return out
}

// list gives the members by time, without names where the caller may not know them;
// not ok where the caller is one of them.
func (g *gathering) list(tasks []int64, members map[int64]Member) (out []Member, ok bool) {
	for _, id := range tasks {
		m := members[id]
		if m.Student.UserID == g.who.ID {
			return nil, false
		}
		if m.unit != g.who.UnitID && !g.named[m.unit] {
			m.Student = nil
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b Member) int { return a.SubmittedAt.Compare(b.SubmittedAt.Time) })
	return out, true
}
