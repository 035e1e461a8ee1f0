package work

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Include lets tasks of a project, named by their definitions, into the portfolio and takes
// others out, and tells how many it changed. Work that was never begun has nothing to be left
// out. It fails with fault.Refused where a task stands on both sides. It is for holders of
// policy.EditPortfolio on the project.
func Include(ctx context.Context, q db.Q, projectID int64, in, out []int64) (int, error) {
	if slices.ContainsFunc(in, func(id int64) bool { return slices.Contains(out, id) }) {
		return 0, fault.Field(fault.Refused, "excluded", "names a task that is also included")
	}
	args := []any{projectID, q.Now()}
	rows := make([][]any, 0, len(in)+len(out))
	for _, id := range in {
		rows = append(rows, []any{id, true})
	}
	for _, id := range out {
		rows = append(rows, []any{id, false})
	}
	if len(rows) == 0 {
		return 0, nil
	}
	from, args, err := db.Rows(q, args, []string{"id BIGINT", "included BOOLEAN"}, rows)
	if err != nil {
		return 0, err
	}
	changed, err := db.All[int64](ctx, q, `UPDATE tasks SET include_in_portfolio = NOT include_in_portfolio,
			version = version + 1, updated_at = $2
		WHERE project_id = $1 AND (task_definition_id, include_in_portfolio) IN (SELECT r.id, NOT r.included
			FROM `+from+` r) RETURNING id`, args...)
	if err != nil || len(changed) == 0 {
		return 0, err
	}
	entries := make([]audit.Entry, len(changed))
	for i, id := range changed {
		entries[i] = audit.Entry{Kind: audit.Portfolio, Action: audit.Changed, ProjectID: projectID, TaskID: id,
			Fields: []string{"include_in_portfolio"}}
	}
	return len(changed), audit.Add(ctx, q, entries...)
}
