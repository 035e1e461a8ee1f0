package taskdef

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// SetDraftSummary chooses the definition of a unit whose submission becomes the learning
// summary of a portfolio; nil chooses none. The definition must ask for exactly one file, a
// document: the summary is that. Any other is fault.Refused. It is for holders of
// policy.EditUnit.
func SetDraftSummary(ctx context.Context, q db.Q, unitID int64, definitionID *int64) error {
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

// mayBeDraft refuses a definition that cannot be the draft, and keeps one that
// can from changing.
func mayBeDraft(ctx context.Context, q db.Q, unitID, id int64) error {
	if err := db.Lock(ctx, q, "task_definitions", id); err != nil {
		return err
	}
	r, err := db.OneOf[Requirements](ctx, q, "task definition in this unit",
		`SELECT upload_requirements FROM task_definitions WHERE id = $1 AND unit_id = $2`, id, unitID)
	if err != nil {
		return err
	}
	if !r.OneDocument() {
		return fault.Field(fault.Refused, "draft_task_definition_id", "must be a task that asks for exactly "+
			"one file, a document")
	}
	return nil
}
