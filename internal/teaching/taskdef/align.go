package taskdef

import (
	"context"

	"lectern/internal/platform/db"
)

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
		_, err = ChangeAlignment(ctx, q, had[0], &a.Description, &a.Rating)
	case a.Rating != 0:
		_, err = AddAlignment(ctx, q, unitID, projectID, a)
	case len(had) > 0:
		err = DeleteAlignment(ctx, q, had[0])
	}
	return err
}
