package verdict

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/work"
)

// pick looks up the levels that come with the verdict. That they cannot be picked is kept for later: whoever
// looked at a task that has changed since hears of that first.
func (v *Verdict) pick(ctx context.Context, q db.Q, definitions ...int64) error {
	if v.Rubric == nil {
		return nil
	}
	slices.Sort(definitions)
	v.picked, v.unfit = v.Rubric.Take(ctx, q, slices.Compact(definitions)...)
	if fault.Is(v.unfit, fault.Internal) {
		return v.unfit
	}
	return nil
}

// fits refuses levels that cannot be picked on a task.
func (v Verdict) fits(own *work.HeldTask) error {
	switch {
	case v.unfit != nil:
		return v.unfit
	case v.picked != nil && v.picked.DefinitionID != own.DefinitionID:
		return fault.Field(fault.Refused, "rubric", "is that of another task: choose a status as well, or leave "+
			"this task out")
	}
	return nil
}

// BatchRubric is what tells whether the tasks of a batch can be given levels: where all are of one definition.
type BatchRubric struct {
	*rubric.Rubric      // by which all of them are marked; nil: none
	Several        bool // they are of several definitions, of which at least one has a rubric
}

// RubricFor finds the rubric of tasks of a unit. It is for holders of policy.ReadUnit.
func RubricFor(ctx context.Context, q db.Q, unitID int64, tasks []TaskVersion) (out BatchRubric, err error) {
	ids := make([]int64, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	in, args := db.In([]any{unitID}, ids)
	definitions, err := db.All[int64](ctx, q, `SELECT DISTINCT task_definition_id FROM tasks WHERE unit_id = $1
		AND id IN `+in, args...)
	if err != nil || len(definitions) == 0 {
		return out, err
	}
	if len(definitions) == 1 {
		out.Rubric, err = rubric.Find(ctx, q, definitions[0])
		return out, err
	}
	all, err := rubric.OfUnit(ctx, q, unitID)
	out.Several = slices.ContainsFunc(definitions, func(id int64) bool { _, has := all[id]; return has })
	return out, err
}

// definitionsOf are those of the tasks of a batch.
func definitionsOf(list []BatchTask) []int64 {
	out := make([]int64, len(list))
	for i, t := range list {
		out[i] = t.DefinitionID
	}
	return out
}

// level notes which tasks are given the levels of their verdicts: all that these reach, but none of its giver's own.
func (r *decision) level(by work.Mover) {
	if r.picked == nil {
		return
	}
	for i := range r.changes {
		r.changes[i].Levels = r.changes[i].OwnerID != by.UserID
	}
}

// giveLevels gives tasks the levels of their verdicts: there is one pick in all of them.
func giveLevels(ctx context.Context, q db.Q, by work.Mover, list []*decision) error {
	var picked *rubric.Picked
	var to []rubric.Giving
	given := map[int64]bool{}
	for _, r := range list {
		if r.picked == nil {
			continue
		}
		picked = r.picked
		for _, c := range r.changes {
			if c.Levels && !given[c.ID] {
				given[c.ID] = true
				to = append(to, rubric.Giving{TaskID: c.ID, VerdictID: &r.id})
			}
		}
	}
	if picked == nil {
		return nil
	}
	return picked.Give(ctx, q, by.UserID, to)
}

// given are the levels that the verdict gave its task; nil where it gave none.
func (r *decision) given(ctx context.Context, q db.Q) (*rubric.Mark, error) {
	if r.picked == nil {
		return nil, nil //nolint:nilnil // there are none
	}
	all, err := rubric.MarksOf(ctx, q, r.Own.ID)
	if m, ok := all[r.Own.ID]; ok {
		return &m, err
	}
	return nil, err
}

// takeBackLevels takes back the levels that came with verdicts, and tells of which tasks.
func takeBackLevels(ctx context.Context, q db.Q, list []*undoing) (map[int64]rubric.Pick, error) {
	ids := make([]int64, len(list))
	for i, u := range list {
		ids[i] = u.ID
	}
	levels, err := rubric.TakeBack(ctx, q, ids)
	for _, u := range list {
		if p, ok := levels[u.TaskID]; ok {
			u.picked = &p
		}
	}
	return levels, err
}
