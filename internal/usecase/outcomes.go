package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/taskdef"
)

// ProjectOutcome is an outcome of a unit as one of its students sees it.
type ProjectOutcome struct {
	course.Outcome
	Unit   []taskdef.Alignment `json:"unit_alignments"`
	Own    []taskdef.Alignment `json:"own_alignments"`
	Earned float64             `json:"earned"` // points, by the unit's alignments
	Most   float64             `json:"most"`   // points when every task is complete
	Class  progress.Five       `json:"class"`  // the points of all students
}

// OutcomesOf gives the outcomes of a project's unit: how the unit and its student
// align the tasks with them, and how far the student and the class have come. Who must
// be resolved on the project. There are none for whoever may not read the unit any
// more.
func OutcomesOf(ctx context.Context, q db.Q, who *access.Caller, projectID int64) ([]ProjectOutcome, error) {
	if !who.May(policy.ReadUnit) {
		return []ProjectOutcome{}, nil
	}
	outcomes, err := course.OutcomesOf(ctx, q, who.UnitID)
	if err != nil {
		return nil, err
	}
	unit, err := taskdef.AlignmentsOf(ctx, q, who.UnitID)
	if err != nil {
		return nil, err
	}
	own, err := taskdef.ProjectAlignments(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	earned, err := insight.Earned(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	class, err := insight.ClassStats(ctx, q, who.UnitID)
	if err != nil {
		return nil, err
	}
	definitions, err := taskdef.DefinitionsOf(ctx, q, who.UnitID)
	if err != nil {
		return nil, err
	}
	out := make([]ProjectOutcome, len(outcomes))
	for i, o := range outcomes {
		out[i] = ProjectOutcome{Outcome: o, Unit: alignedWith(unit, o.ID), Own: alignedWith(own, o.ID),
			Earned: earned[o.ID], Class: class[o.ID]}
		out[i].Most = most(out[i].Unit, definitions)
	}
	return out, nil
}

func alignedWith(list []taskdef.Alignment, outcomeID int64) []taskdef.Alignment {
	out := []taskdef.Alignment{}
	for _, a := range list {
		if a.OutcomeID == outcomeID {
			out = append(out, a)
		}
	}
	return out
}

// most is what all aligned tasks give when they are complete.
func most(list []taskdef.Alignment, definitions []taskdef.Definition) (sum float64) {
	weight := map[int64]float64{}
	for _, d := range definitions {
		weight[d.ID] = d.TargetGrade.Weight()
	}
	for _, a := range list {
		sum += float64(a.Rating) * weight[a.DefinitionID]
	}
	return sum
}
