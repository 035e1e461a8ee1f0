package usecase

import (
	"context"

	"lectern/internal/platform/db"
)

// TaskByAbbreviation gives the task definition that the unit of a project calls so; 0:
// none.
func TaskByAbbreviation(ctx context.Context, q db.Q, project int64, abbreviation string) (int64, error) {
	found, err := db.All[int64](ctx, q, `SELECT d.id FROM task_definitions d JOIN projects p ON p.unit_id = d.unit_id
		WHERE p.id = $1 AND d.abbreviation = $2`, project, abbreviation)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}
