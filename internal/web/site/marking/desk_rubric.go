package marking

import (
	"context"
	"slices"
	"strconv"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/web/params"
)

// deskRubric is what the task on the desk is marked by, and the levels that it was given.
type deskRubric struct {
	*rubric.Rubric                // to mark by now; nil: there is none any more
	Mark           *rubric.Mark   // nil: it was given no levels
	Old            *rubric.Rubric // that the levels are of, where it is another; nil: it is the same
}

// deskRubricOf reads it; nil where there is none and never was.
func deskRubricOf(ctx context.Context, q db.Q, projectID, definitionID int64) (*deskRubric, error) {
	on, err := rubric.Show(ctx, q, projectID, definitionID)
	if err != nil || on.Rubric == nil {
		return nil, err
	}
	r := &deskRubric{Rubric: on.Now(), Mark: on.Mark}
	if on.Rubric != r.Rubric {
		r.Old = on.Rubric
	}
	return r, nil
}

// summed tells whether the points that the task has are what its levels add up to.
func (r *deskRubric) summed() bool {
	return r != nil && r.Mark != nil && r.Mark.Sum != nil && !r.Mark.ByHand
}

// Total is what the levels of the task add up to; empty where they do not, or it has none.
func (r *deskRubric) Total() string {
	if r.Mark == nil || r.Mark.Sum == nil {
		return ""
	}
	return strconv.FormatInt(*r.Mark.Sum, 10)
}

// levelPicked is a level with its criterion.
type levelPicked struct {
	Criterion string
	rubric.Level
}

// Was are the levels that the task was given by an earlier version of its rubric.
func (r *deskRubric) Was() (list []levelPicked) {
	if r.Old == nil || r.Mark == nil {
		return nil
	}
	return named(r.Old, r.Mark.Levels)
}

// named are levels of a rubric with their criteria.
func named(r *rubric.Rubric, ids []int64) (list []levelPicked) {
	for _, id := range ids {
		if c, l := r.Level(id); c != nil {
			list = append(list, levelPicked{c.Title, *l})
		}
	}
	return list
}

// picks are the levels that the form has: those that were picked, or that the task was given. What the rubric of
// today has no more is none of them.
func (v *deskPage) picks() *rubric.Picked {
	r := v.Now.Rubric
	if r == nil || r.Rubric == nil {
		return nil
	}
	var ids []int64
	switch {
	case v.Typed.picks != nil:
		ids = v.Typed.picks.Levels
	case r.Mark != nil && !v.Typed.Marks:
		ids = r.Mark.Levels
	}
	return stillPicked(r.Rubric, ids)
}

// stillPicked are those of some levels that a rubric has.
func stillPicked(r *rubric.Rubric, ids []int64) *rubric.Picked {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		c, _ := r.Level(id)
		return c == nil
	})
	p, err := r.Pick(ids)
	if err != nil { // of one criterion there are two, as only a strange form has them
		return &rubric.Picked{Rubric: r}
	}
	return p
}

// Picks are the numbers of the levels that the form has.
func (v *deskPage) Picks() map[int64]bool { return levelSet(v.picks()) }

// levelSet are the numbers of the levels of a pick; of nil there are none.
func levelSet(p *rubric.Picked) map[int64]bool {
	out := map[int64]bool{}
	if p != nil {
		for _, id := range p.Levels {
			out[id] = true
		}
	}
	return out
}

// Summed are the points as the levels add up that the form has; empty where they do not, or the points of the task
// are others.
func (v *deskPage) Summed() string {
	p := v.picks()
	if p == nil || p.Sum == nil || v.Typed.picks == nil && !v.Now.Rubric.summed() {
		return ""
	}
	return strconv.Itoa(*p.Sum)
}

// ByHand tells whether the points of the task are not what its levels add up to.
func (v *deskPage) ByHand() bool {
	r := v.Now.Rubric
	return r != nil && r.Mark != nil && r.Mark.ByHand
}

// levelsIn are levels as the form for a verdict has them.
type levelsIn struct {
	Rubric int64                `param:"rubric"` // as it was seen
	Levels params.JSON[[]int64] `param:"levels"` // 0 for a criterion that is left out
	Summed params.Opt[int64]    `param:"summed"` // the points that stood in their field and that nobody typed
}

// pick are the levels; nil where none are spoken of.
func (in levelsIn) pick() *rubric.Pick {
	if in.Rubric == 0 || !in.Levels.Has() {
		return nil
	}
	none := func(id int64) bool { return id == 0 }
	return &rubric.Pick{RubricID: in.Rubric, Levels: slices.DeleteFunc(slices.Clone(in.Levels.V), none)}
}

// typed are the points that somebody typed: what stood there before levels were picked is none of it.
func (in levelsIn) typed(points params.Opt[int64]) params.Opt[int64] {
	if in.pick() != nil && points.Has() && in.Summed.Has() && points.V == in.Summed.V {
		return params.Opt[int64]{}
	}
	return points
}
