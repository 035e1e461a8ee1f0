package work

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// writeStatusComments tells the two sides of each task what became of it, where
// the plans say so.
func writeStatusComments(ctx context.Context, q db.Q, by Mover, changes []TaskChange) error {
	var rows [][]any
	for _, c := range changes {
		for _, e := range c.Plan.Entries {
			if e.Comment {
				author := c.author(by, e.By)
				rows = append(rows, []any{c.ID, c.UnitID, author, c.Addressee(author), c.said(e.Status), e.Status})
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return addStatusComments(ctx, q, rows)
}

// said are the words of a status comment.
func (c TaskChange) said(s status.Status) string {
	if c.Undoes != nil {
		return "Undone: back to " + s.Name()
	}
	return s.Name()
}

// Addressee is who hears of a status: the tutor when the student moved, else
// the student.
func (t *HeldTask) Addressee(author int64) int64 {
	if author == t.OwnerID && t.TutorID != nil {
		return *t.TutorID
	}
	return t.OwnerID
}

// addStatusComments writes rows of task, unit, author, recipient, text and
// status. Both sides have read them at once and so has all the staff: they never
// count as new.
func addStatusComments(ctx context.Context, q db.Q, rows [][]any) error {
	for i, r := range rows {
		rows[i] = append([]any{i}, r...)
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"n INTEGER", "task_id BIGINT", "unit_id BIGINT",
		"user_id BIGINT",
		"recipient_id BIGINT", "comment TEXT", "status TEXT"}, rows)
	if err != nil {
		return err
	}
	ids, err := db.All[int64](ctx, q, `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type,
		comment, status, created_at, staff_read_at)
		SELECT v.task_id, v.unit_id, v.user_id, v.recipient_id, 'status', v.comment, v.status, $1, $1
		FROM `+from+` v ORDER BY v.n RETURNING id`, args...)
	if err != nil {
		return fmt.Errorf("write status comments: %w", err)
	}
	in, args := db.In([]any{q.Now()}, ids)
	_, err = db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT c.id, u.id, $1 FROM task_comments c JOIN users u ON u.id IN (c.user_id, c.recipient_id) WHERE c.id IN `+
		in, args...)
	return err
}
