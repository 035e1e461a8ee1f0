package insight

import (
	"context"
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

// haveBegun reads what members of the class, and maybe others, have begun.
func (c Class) haveBegun(ctx context.Context, q db.Q, members map[int64]grade.Grade) (Begun, error) {
	if c.Begun != nil {
		return c.Begun, nil
	}
	ids := make([]int64, 0, len(members))
	for id := range members {
		ids = append(ids, id)
	}
	return enrol.BegunBy(ctx, q, []int64{c.UnitID}, ids)
}

// eachAsked gives, for each task and status, the members of the class who stand there, of those who are asked for the
// task, one after the other. What stands at not started was not begun.
func (c Class) eachAsked(ctx context.Context, q db.Q, tasks []askedTask, members map[int64]grade.Grade,
	each func(definition int64, at status.Status, projects []int64)) error {
	begun, err := c.haveBegun(ctx, q, members)
	if err != nil {
		return err
	}
	from := make(map[int64]grade.Grade, len(tasks))
	for _, t := range tasks {
		from[t.ID] = t.Grade
	}
	var asked []int64
	for i := range begun {
		b := &begun[i]
		least, known := from[b.DefinitionID]
		if !known || b.Status == status.NotStarted {
			continue
		}
		asked = asked[:0]
		for _, id := range b.Projects {
			if target, in := members[id]; in && target >= least {
				asked = append(asked, id)
			}
		}
		if len(asked) > 0 {
			each(b.DefinitionID, b.Status, asked)
		}
	}
	return nil
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
	begun, err := c.haveBegun(ctx, q, members)
	if err != nil {
		return nil, err
	}
	for i := range begun {
		b := &begun[i]
		for _, id := range b.Projects {
			if _, in := members[id]; !in {
				continue
			}
			if out[id] == nil {
				out[id] = map[int64]int64{}
			}
			for _, l := range links[b.DefinitionID] {
				out[id][l.OutcomeID] += l.Rating * worth[b.Status]
			}
		}
	}
	return out, nil
}
