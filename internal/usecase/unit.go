package usecase

import (
	"context"
	"encoding/json"
	"fmt"

	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/fault"
)

// UnitChange is what to set of a unit, with what reaches beyond its own record.
type UnitChange struct {
	course.UnitChange
	MainConvenorID    *int64                // a unit role of the unit
	DraftDefinitionID course.Setting[int64] // the definition of the draft learning summary
}

// ChangeUnit makes all of a change or, with an error, nothing of it. When the
// start of the unit moves, its task definitions move as many days.
func ChangeUnit(ctx context.Context, q db.Q, id int64, c UnitChange) error {
	seen, err := course.UnitByID(ctx, q, id)
	if err != nil {
		return err
	}
	period, err := c.HeldPeriod(ctx, q, seen)
	if err != nil {
		return err
	}
	old, err := course.LockUnit(ctx, q, id)
	if err != nil {
		return err
	}
	if !same(seen.TeachingPeriodID, old.TeachingPeriodID) {
		return fault.New(fault.Conflict, "Someone else moved the unit to another teaching period at this moment: "+
			"look at it and try again.")
	}
	unit := c.Merge(*old, period)
	if err := unit.Check(ctx, q, period); err != nil {
		return err
	}
	if err := course.SaveUnit(ctx, q, &unit); err != nil {
		return err
	}
	if err := shiftDefinitions(ctx, q, unit.StartDate.DaysSince(old.StartDate), `id = $2`, id); err != nil {
		return err
	}
	return c.beyond(ctx, q, id)
}

func same(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// beyond makes the part of the change that other records hold.
func (c UnitChange) beyond(ctx context.Context, q db.Q, unitID int64) error {
	if c.MainConvenorID != nil {
		if err := course.SetMainConvenor(ctx, q, unitID, *c.MainConvenorID); err != nil {
			return err
		}
	}
	if !c.DraftDefinitionID.Set {
		return nil
	}
	return setDraft(ctx, q, unitID, c.DraftDefinitionID.To)
}

// setDraft chooses the task definition whose submission becomes the learning
// summary of a portfolio; nil chooses none.
func setDraft(ctx context.Context, q db.Q, unitID int64, definitionID *int64) error {
	if definitionID != nil {
		if err := mayBeDraft(ctx, q, unitID, *definitionID); err != nil {
			return err
		}
	}
	// The old one goes first: a unit has one at most at every moment.
	if _, err := db.Exec(ctx, q, `UPDATE task_definitions SET is_draft_summary = FALSE WHERE unit_id = $1
		AND is_draft_summary`, unitID); err != nil {
		return err
	}
	if definitionID == nil {
		return nil
	}
	_, err := db.Exec(ctx, q, `UPDATE task_definitions SET is_draft_summary = TRUE WHERE id = $1`, *definitionID)
	return err
}

// mayBeDraft refuses a definition that does not ask for one document: the
// summary is exactly that. The definition is kept from changing, too.
func mayBeDraft(ctx context.Context, q db.Q, unitID, id int64) error {
	if err := db.Lock(ctx, q, "task_definitions", id); err != nil {
		return err
	}
	text, err := db.OneOf[string](ctx, q, "task definition in this unit",
		`SELECT upload_requirements FROM task_definitions WHERE id = $1 AND unit_id = $2`, id, unitID)
	if err != nil {
		return err
	}
	var files []struct{ Type string }
	if err := json.Unmarshal([]byte(*text), &files); err != nil {
		return fmt.Errorf("read the upload requirements of definition %d: %w", id, err)
	}
	if len(files) != 1 || files[0].Type != "document" {
		return fault.Field(fault.Refused, "unit[draft_task_definition_id]", "must be a task that asks for exactly "+
			"one file, a document")
	}
	return nil
}
