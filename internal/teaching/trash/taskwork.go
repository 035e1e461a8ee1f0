package trash

import (
	"context"

	"lectern/internal/platform/db"
)

// The work for a task goes without the task: submissions with all that hangs on them, and comments. Its statuses,
// grades, dates and history stay.

// workOf gives the submissions and comments of tasks that stay, and remembers whose each of these tasks is.
func (b *box) workOf(ctx context.Context, q db.Q, definitionID int64, ids []int64) (map[string][]int64, error) {
	type task struct {
		ID        int64  `db:"id"`
		ProjectID int64  `db:"project_id"`
		Shared    *int64 `db:"group_submission_id"`
	}
	b.of, b.owners[tasks] = map[int64]int64{}, map[int64]owner{}
	for t, err := range db.Each[task](ctx, q, `SELECT id, project_id, group_submission_id FROM tasks
		WHERE task_definition_id = $1`, definitionID) {
		if err != nil {
			return nil, err
		}
		b.of[t.ID], b.owners[tasks][t.ID] = definitionID, owner{t.ProjectID, t.Shared != nil}
	}
	list, args, err := idList(q, nil, ids)
	if err != nil {
		return nil, err
	}
	seeds := map[string][]int64{}
	for _, name := range []string{handins, comments} {
		if seeds[name], err = db.All[int64](ctx, q, `SELECT id FROM `+name+` WHERE task_id IN `+list+` ORDER BY id`,
			args...); err != nil {
			return nil, err
		}
	}
	return seeds, nil
}

// clearWork removes the work for a task that stays.
func (t Thing) clearWork(ctx context.Context, q db.Q) error {
	for _, name := range []string{handins, comments} {
		if _, err := db.Exec(ctx, q, `DELETE FROM `+name+` WHERE task_id IN (`+t.tasks()+`)`, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// workers gives those whose work is kept in a deletion.
func workers(ctx context.Context, q db.Q, id int64) ([]Student, error) {
	return db.All[Student](ctx, q, `SELECT DISTINCT p.id AS project_id, p.user_id FROM deleted_rows r
		JOIN projects p ON p.id = r.project_id
		JOIN users u ON u.id = p.user_id AND u.erased_at IS NULL
		WHERE r.deletion_id = $1 AND r.table_name <> 'pseudonyms' ORDER BY p.id`, id)
}
