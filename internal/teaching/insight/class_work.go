package insight

import (
	"context"
	"iter"
	"math"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
)

// Begun is what the students of a unit have begun, read once for all that counts it.
type Begun []enrol.Alike

// BegunIn reads what the students of a unit have begun. It refuses nobody: its caller asks who may.
func BegunIn(ctx context.Context, q db.Q, unitID int64) (Begun, error) {
	list, err := enrol.AllBegun(ctx, q, []int64{unitID})
	if list == nil {
		list = []enrol.Alike{} // nothing is read, too
	}
	return list, err
}

// members are the students of the class, by project, with what they aim for.
func (c Class) members(ctx context.Context, q db.Q) (map[int64]grade.Grade, error) {
	and, args := c.and([]any{c.UnitID})
	out := map[int64]grade.Grade{}
	for p, err := range db.Each[struct {
		ID     int64       `db:"id"`
		Target grade.Grade `db:"target_grade"`
	}](ctx, q, `SELECT p.id, p.target_grade FROM projects p WHERE p.unit_id = $1 AND p.enrolled`+and, args...) {
		if err != nil {
			return nil, err
		}
		out[p.ID] = p.Target
	}
	return out, nil
}

// each reads what members of the class have begun.
func (c Class) each(ctx context.Context, q db.Q, members map[int64]grade.Grade) iter.Seq2[enrol.Begun, error] {
	return func(yield func(enrol.Begun, error) bool) {
		if c.Begun != nil {
			for b := range enrol.EachOf(c.Begun) {
				if _, in := members[b.ProjectID]; in && !yield(b, nil) {
					return
				}
			}
			return
		}
		ids := make([]int64, 0, len(members))
		for id := range members {
			ids = append(ids, id)
		}
		for b, err := range enrol.EachBegun(ctx, q, []int64{c.UnitID}, ids) {
			if _, in := members[b.ProjectID]; (in || err != nil) && !yield(b, err) {
				return
			}
		}
	}
}

// eachAsked reads what members of the class have begun of what is asked of them. What stands at not started was not
// begun.
func (c Class) eachAsked(ctx context.Context, q db.Q, tasks []askedTask,
	members map[int64]grade.Grade) iter.Seq2[enrol.Begun, error] {
	from := make(map[int64]grade.Grade, len(tasks))
	for _, t := range tasks {
		from[t.ID] = t.Grade
	}
	return func(yield func(enrol.Begun, error) bool) {
		for b, err := range c.each(ctx, q, members) {
			asked := b.Status != status.NotStarted && members[b.ProjectID] >= from[b.DefinitionID]
			if (asked || err != nil) && !yield(b, err) {
				return
			}
		}
	}
}

// earned is what the members of the class who have begun anything have towards the outcomes of the unit, by its own
// alignments: tenths, which are whole so that sums are exact, by project and outcome.
func (c Class) earned(ctx context.Context, q db.Q) (map[int64]map[int64]int64, error) {
	type link struct {
		DefinitionID int64       `db:"task_definition_id"`
		OutcomeID    int64       `db:"learning_outcome_id"`
		Rating       int64       `db:"rating"`
		Grade        grade.Grade `db:"target_grade"`
	}
	links := map[int64][]link{}
	for l, err := range db.Each[link](ctx, q, `SELECT l.task_definition_id, l.learning_outcome_id, l.rating, d.target_grade
		FROM task_definitions d JOIN learning_outcome_links l ON l.task_definition_id = d.id AND l.task_id IS NULL
		WHERE d.unit_id = $1`, c.UnitID) {
		if err != nil {
			return nil, err
		}
		l.Rating *= int64(math.Round(l.Grade.Weight()))
		links[l.DefinitionID] = append(links[l.DefinitionID], l)
	}
	members, err := c.members(ctx, q)
	if err != nil {
		return nil, err
	}
	worth := map[status.Status]int64{}
	for _, s := range status.All {
		worth[s] = int64(math.Round(10 * s.Weight()))
	}
	out := make(map[int64]map[int64]int64, len(members))
	for b, err := range c.each(ctx, q, members) {
		if err != nil {
			return nil, err
		}
		if out[b.ProjectID] == nil {
			out[b.ProjectID] = map[int64]int64{}
		}
		for _, l := range links[b.DefinitionID] {
			out[b.ProjectID][l.OutcomeID] += l.Rating * worth[b.Status]
		}
	}
	return out, nil
}
