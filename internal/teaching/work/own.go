package work

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// OwnWork is the SQL that tells whether the user in argument user has a part in
// task t, which may have no row yet, of project p for definition d: it is theirs,
// it was handed in together with theirs, or they are in the student's group.
func OwnWork(user string) string {
	return `(p.user_id = ` + user + ` OR EXISTS (SELECT 1 FROM tasks w JOIN projects wp ON wp.id = w.project_id
			WHERE w.group_submission_id = t.group_submission_id AND wp.user_id = ` + user + `)
		OR EXISTS (SELECT 1 FROM projects wp
			JOIN group_memberships wm ON wm.group_set_id = d.group_set_id AND wm.project_id = wp.id AND wm.active
			JOIN group_memberships pm ON pm.group_set_id = d.group_set_id AND pm.project_id = p.id AND pm.active
				AND pm.unit_group_id = wm.unit_group_id
			WHERE wp.user_id = ` + user + ` AND wp.unit_id = p.unit_id AND wp.enrolled))`
}

// RefuseOwnWork refuses with fault.Denied to let someone of the staff mark a task they
// have a part in. Only the tasks of groups cost a statement.
func RefuseOwnWork(ctx context.Context, q db.Q, userID int64, t *HeldTask) error {
	if t.OwnerID == userID {
		return fault.New(fault.Denied, "This is your own work, so you cannot mark it or decide on extensions. Ask "+
			"another member of staff.")
	}
	if t.GroupSetID == nil && t.SubmissionID == nil {
		return nil
	}
	own, err := db.One[bool](ctx, q, `SELECT `+OwnWork("$3")+` FROM projects p
		JOIN task_definitions d ON d.unit_id = p.unit_id LEFT JOIN`+taskJoins+`WHERE p.id = $1 AND d.id = $2`,
		t.ProjectID, t.DefinitionID, userID)
	if err != nil || !*own {
		return err
	}
	return fault.New(fault.Denied, "This is the work of a group you are in, so you cannot mark it or decide on "+
		"extensions. Ask another member of staff.")
}
