package taskdef

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// Cell is what to set of how a task of a unit serves an outcome; nil leaves a value alone.
type Cell struct {
	DefinitionID, OutcomeID int64
	Rating                  *int64 // 0: not at all, which takes the reason away, too
	Description             *string
	Seen                    *Cell // what it was when it was seen; nil: it does not matter
}

// SetCell makes it so that a task of a unit serves an outcome as strongly as c says, whatever it did
// before. It fails with fault.Conflict where somebody else changed the same meanwhile to something else,
// with fault.Invalid for a rating out of range, with fault.Refused for a reason without one, and with
// fault.Missing for a task or an outcome of another unit. It is for holders of policy.EditAlignments.
func SetCell(ctx context.Context, q db.Q, unitID int64, c Cell) error {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return err
	}
	had, err := db.All[Alignment](ctx, q, selectAlignments+` WHERE l.task_definition_id = $1
		AND l.learning_outcome_id = $2 AND l.task_id IS NULL`, c.DefinitionID, c.OutcomeID)
	if err != nil {
		return err
	}
	now := Alignment{DefinitionID: c.DefinitionID, OutcomeID: c.OutcomeID}
	if len(had) > 0 {
		now = had[0]
	}
	if err := c.clashes(now); err != nil {
		return err
	}
	to := c.over(now)
	switch {
	case len(had) == 0 && to.Rating == 0 && to.Description != "":
		return fault.Field(fault.Refused, "rating", "is needed for a reason: choose one, or leave the reason empty")
	case len(had) == 0 && to.Rating == 0:
		return nil
	case len(had) == 0:
		_, err = AddAlignment(ctx, q, unitID, 0, to)
	case to.Rating == 0:
		err = DeleteAlignment(ctx, q, now.ID)
	case to != now:
		_, err = ChangeAlignment(ctx, q, now.ID, Cell{Description: &to.Description, Rating: &to.Rating})
	}
	return err
}

func (c Cell) over(a Alignment) Alignment {
	opt.Set(&a.Rating, c.Rating)
	opt.Set(&a.Description, c.Description)
	return a
}

// clashes refuses a change of what somebody else changed since whoever makes it saw it.
func (c Cell) clashes(now Alignment) error {
	if c.Seen == nil {
		return nil
	}
	before := c.Seen.over(now)
	after := c.over(before)
	var wrong fault.Fields
	course.Clash(&wrong, "rating", now.Rating, before.Rating, after.Rating)
	course.Clash(&wrong, "description", now.Description, before.Description, after.Description)
	return wrong.Err(fault.Conflict)
}

// Align makes it so that a student says a task of theirs serves an outcome, whatever they said
// before; a rating of 0 takes it back. It fails with fault.Invalid for a rating out of range,
// and fault.Missing for a task or an outcome of another unit. It is for holders of
// policy.AlignProject on the project.
func Align(ctx context.Context, q db.Q, unitID, projectID int64, a Alignment) error {
	had, err := db.All[int64](ctx, q, `SELECT l.id FROM learning_outcome_links l JOIN tasks t ON t.id = l.task_id
		WHERE t.project_id = $1 AND t.task_definition_id = $2 AND l.learning_outcome_id = $3`, projectID,
		a.DefinitionID, a.OutcomeID)
	switch {
	case err != nil:
		return err
	case a.Rating != 0 && len(had) > 0:
		_, err = ChangeAlignment(ctx, q, had[0], Cell{Description: &a.Description, Rating: &a.Rating})
	case a.Rating != 0:
		_, err = AddAlignment(ctx, q, unitID, projectID, a)
	case len(had) > 0:
		err = DeleteAlignment(ctx, q, had[0])
	}
	return err
}
