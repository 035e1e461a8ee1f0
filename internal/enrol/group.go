package enrol

import (
	"context"

	"lectern/internal/db"
)

// Group is a team of students inside a set of groups.
type Group struct {
	ID                 int64  `db:"id" json:"id"`
	Name               string `db:"name" json:"name"`
	TutorialID         int64  `db:"tutorial_id" json:"tutorial_id"`
	GroupSetID         int64  `db:"group_set_id" json:"group_set_id"`
	StudentCount       int64  `db:"student_count" json:"student_count"` // enrolled members
	CapacityAdjustment int64  `db:"capacity_adjustment" json:"capacity_adjustment"`
	Locked             bool   `db:"locked" json:"locked"`
}

const selectGroups = `SELECT g.id, g.name, g.tutorial_id, g.group_set_id, g.capacity_adjustment, g.locked,
		(SELECT count(*) FROM group_memberships m JOIN projects p ON p.id = m.project_id AND p.enrolled
			WHERE m.unit_group_id = g.id AND m.active) AS student_count
	FROM unit_groups g`

// GroupsOfProject lists the groups a student is a member of.
func GroupsOfProject(ctx context.Context, q db.Q, projectID int64) ([]Group, error) {
	return db.All[Group](ctx, q, selectGroups+` JOIN group_memberships mine ON mine.unit_group_id = g.id
		WHERE mine.project_id = $1 AND mine.active ORDER BY g.id`, projectID)
}
