package announce

import (
	"context"
	"fmt"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Find lists enrolled students of a unit by what somebody typed of their names, at most so many, for
// holders of policy.Announce in the unit.
func Find(ctx context.Context, q db.Q, unitID int64, text string, most int64) ([]Recipient, error) {
	match, args := ident.MatchPerson([]any{unitID}, text)
	args = append(args, most)
	list, err := db.All[Recipient](ctx, q, fmt.Sprintf(`SELECT p.id AS project_id, s.first_name, s.last_name, s.username
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled AND %s
		ORDER BY s.name_key, p.id LIMIT $%d`, match, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("find students: %w", err)
	}
	return list, nil
}

// Known lists those of a selection who are enrolled in the unit, by name, for holders of
// policy.Announce there.
func Known(ctx context.Context, q db.Q, unitID int64, projectIDs []int64) ([]Recipient, error) {
	if len(projectIDs) == 0 {
		return nil, nil
	}
	n := New{UnitID: unitID, Audience: Selection, ProjectIDs: projectIDs}
	from, args, err := n.from(q, nil)
	if err != nil {
		return nil, err
	}
	list, err := db.All[Recipient](ctx, q, `SELECT p.id AS project_id, s.first_name, s.last_name, s.username`+from+`
		ORDER BY s.name_key, p.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read who is selected: %w", err)
	}
	return list, nil
}
