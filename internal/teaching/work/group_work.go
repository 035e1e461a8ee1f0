package work

import (
	"context"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// LockTask locks and gives the task of a project for a definition and, where the group is
// concerned and there is one, those of the others it may touch. It makes the
// rows that are missing and holds them all. Moves within a group come one after
// the other: each holds the group before any of its tasks.
func LockTask(ctx context.Context, q db.Q, projectID, definitionID int64, together bool) (own *HeldTask, around []*HeldTask,
	err error) {
	where, args := `t.project_id = $1 AND t.task_definition_id = $2`, []any{projectID, definitionID}
	alone := where
	if together {
		alone += ` AND m.unit_group_id IS NULL`
	}
	// Most often the row is there and nobody shares it.
	all, err := LockTasks(ctx, q, alone, args...)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 1 {
		return all[0], nil, nil
	}
	group := new(int64)
	if together {
		if group, err = groupFor(ctx, q, projectID, definitionID); err != nil {
			return nil, nil, err
		}
	}
	if *group != 0 {
		if err := db.Lock(ctx, q, "unit_groups", *group); err != nil {
			return nil, nil, err
		}
		where, args = groupTasks, append(args, *group)
	}
	if err := makeTasks(ctx, q, projectID, definitionID, *group); err != nil {
		return nil, nil, err
	}
	if all, err = LockTasks(ctx, q, where, args...); err != nil {
		return nil, nil, err
	}
	mine := slices.IndexFunc(all, func(t *HeldTask) bool { return t.ProjectID == projectID })
	if mine < 0 {
		_, err := taskAt(ctx, q, projectID, definitionID) // says what is missing
		return nil, nil, err
	}
	own = all[mine]
	return own, slices.Delete(all, mine, mine+1), nil
}

// groupFor tells which group a student's work on a definition is done in; 0 for
// none.
func groupFor(ctx context.Context, q db.Q, projectID, definitionID int64) (*int64, error) {
	return db.One[int64](ctx, q, `SELECT coalesce(max(m.unit_group_id), 0) FROM task_definitions d
		JOIN group_memberships m
		ON m.group_set_id = d.group_set_id AND m.project_id = $1 AND m.active WHERE d.id = $2`, projectID, definitionID)
}

// groupTasks are the task $1, $2 itself, those of the members of the group $3,
// and those handed in together with it.
const groupTasks = `t.id IN (
		SELECT s.id FROM tasks s WHERE s.project_id = $1 AND s.task_definition_id = $2
		UNION SELECT s.id FROM tasks s JOIN group_memberships n ON n.project_id = s.project_id
			WHERE n.unit_group_id = $3 AND n.active AND s.task_definition_id = $2
		UNION SELECT s.id FROM tasks s JOIN tasks o ON o.group_submission_id = s.group_submission_id
			WHERE o.project_id = $1 AND o.task_definition_id = $2)`

// makeTasks makes the rows of a task, and of those of a group's enrolled
// members, where there are none yet.
func makeTasks(ctx context.Context, q db.Q, projectID, definitionID, groupID int64) error {
	_, err := db.Exec(ctx, q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
		SELECT p.id, d.id, p.unit_id, $4, $4 FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id
		WHERE d.id = $2 AND (p.id = $1 OR p.enrolled AND p.id IN
			(SELECT m.project_id FROM group_memberships m WHERE m.unit_group_id = $3 AND m.active))
		ORDER BY p.id ON CONFLICT (project_id, task_definition_id) DO NOTHING`, projectID, definitionID, groupID,
		q.Now())
	return err
}

// sharesGroup tells whether the student of t is with the student of other now.
func (t *HeldTask) sharesGroup(other *HeldTask) bool {
	return t.Enrolled && t.GroupID != nil && other.GroupID != nil && *t.GroupID == *other.GroupID
}

// shareWork gives the tasks that are handed in together with own. Where there
// is no submission of its present group yet, it makes one in equal shares with
// all members whose task is still open.
func shareWork(ctx context.Context, q db.Q, own *HeldTask, around []*HeldTask) ([]*HeldTask, error) {
	if own.SubmissionID == nil || *own.SubmissionGroup != *own.GroupID {
		if err := startSubmission(ctx, q, own, around); err != nil {
			return nil, err
		}
	}
	var members []*HeldTask
	for _, t := range around {
		if t.SubmissionID != nil && *t.SubmissionID == *own.SubmissionID {
			members = append(members, t)
		}
	}
	return members, nil
}

func startSubmission(ctx context.Context, q db.Q, own *HeldTask, around []*HeldTask) error {
	id, err := db.One[int64](ctx, q, `INSERT INTO group_submissions (unit_group_id, task_definition_id,
		submitted_by_project_id, created_at)
		VALUES ($1, $2, $3, $4) RETURNING id`, *own.GroupID, own.DefinitionID, own.ProjectID, q.Now())
	if err != nil {
		return err
	}
	var ids, left []int64
	for _, t := range append([]*HeldTask{own}, around...) {
		if t != own && (!t.sharesGroup(own) || status.Closed.Has(t.Status)) {
			continue
		}
		if t.SubmissionID != nil {
			left = append(left, *t.SubmissionID)
		}
		ids = append(ids, t.ID)
		t.SubmissionID, t.SubmissionGroup = id, own.GroupID
	}
	in, args := db.In([]any{*id, 100 / len(ids)}, ids)
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET group_submission_id = $1, contribution_pct = $2 WHERE id IN `+in,
		args...); err != nil {
		return err
	}
	return DropEmptySubmissions(ctx, q, left)
}

// DropEmptySubmissions removes group submissions that no task is part of any more. It is part
// of changes whose right was asked, and refuses nothing.
func DropEmptySubmissions(ctx context.Context, q db.Q, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	in, args := db.In(nil, ids)
	_, err := db.Exec(ctx, q, `DELETE FROM group_submissions WHERE id IN `+in+`
		AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.group_submission_id = group_submissions.id)`, args...)
	return err
}
