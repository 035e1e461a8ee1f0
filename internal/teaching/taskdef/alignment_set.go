package taskdef

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// TaskAlignment is how a student says their work serves an outcome.
type TaskAlignment struct {
	OutcomeID int64
	Rating    int64 // 1 to 5
	Rationale string
}

// SetTaskAlignments replaces a student's own alignments of a task. It fails with fault.Refused
// for an outcome that is not of the unit or named twice, and for a rating out of range. It is
// part of handing in, for holders of policy.Submit.
func SetTaskAlignments(ctx context.Context, q db.Q, unitID, definitionID, taskID int64, list []TaskAlignment) error {
	known, err := db.All[int64](ctx, q, `SELECT id FROM learning_outcomes WHERE unit_id = $1`, unitID)
	if err != nil {
		return err
	}
	free := map[int64]bool{}
	for _, id := range known {
		free[id] = true
	}
	var rows [][]any
	for _, a := range list {
		if err := (&Alignment{Rating: a.Rating, Description: a.Rationale}).check(); err != nil {
			return err
		}
		if !free[a.OutcomeID] {
			return fault.Field(fault.Refused, "alignment_data", "names the outcome %d, which is not of this unit or "+
				"is given twice", a.OutcomeID)
		}
		free[a.OutcomeID] = false
		rows = append(rows, []any{definitionID, a.OutcomeID, taskID, a.Rating, a.Rationale})
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM learning_outcome_links WHERE task_id = $1`, taskID); err != nil {
		return err
	}
	return db.Insert(ctx, q, `learning_outcome_links (task_definition_id, learning_outcome_id, task_id, rating,
		description)`, "", rows)
}
