package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/stats"
)

// What is new on a task is counted as it changes: new_to_staff and new_to_student
// in its row, and in news_seen what others than its student have read of the
// former. Lists then cost what they show, however much was said.

// newComments is the SQL for how many comments of task t are new to the caller
// $2, who is the student of its project p or somebody else.
const newComments = `CASE WHEN p.user_id = $2 THEN t.new_to_student ELSE t.new_to_staff - coalesce(n.comments, 0) END`

// JoinNews joins what newComments asks for.
const JoinNews = ` LEFT JOIN news_seen n ON n.task_id = t.id AND n.user_id = $2 `

// countNew counts a comment just written: its author has read it, and all the
// staff when it is read for them.
func countNew(ctx context.Context, q db.Q, t *HeldTask, author int64, staffRead bool) error {
	staff, student := 1, 1
	if staffRead {
		staff = 0
	}
	if author == t.OwnerID {
		student = 0
	}
	_, err := db.Exec(ctx, q, `UPDATE tasks SET new_to_staff = new_to_staff + $2, new_to_student = new_to_student + $3
		WHERE id = $1`, t.ID, staff, student)
	if err != nil || author == t.OwnerID || staffRead {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO news_seen (task_id, user_id, comments) VALUES ($1, $2, 1)
		ON CONFLICT (task_id, user_id) DO UPDATE SET comments = news_seen.comments + 1`, t.ID, author)
	return err
}

// openOn are the comments c that are new to the staff on tasks whose ids follow.
const openOn = `task_comments c JOIN tasks t ON t.id = c.task_id JOIN projects p ON p.id = t.project_id
	JOIN comment_reads r ON r.task_comment_id = c.id AND r.user_id <> p.user_id
	WHERE c.staff_read_at IS NULL AND c.type <> 'status' AND c.unit_id = t.unit_id AND c.task_id IN `

// countSeen counts what a reader has seen of the news on tasks of others.
func countSeen(ctx context.Context, q db.Q, reader int64, tasks []int64) error {
	in, args := db.In([]any{reader}, tasks)
	_, err := db.Exec(ctx, q, `INSERT INTO news_seen (task_id, user_id, comments)
		SELECT c.task_id, r.user_id, count(*) FROM `+openOn+in+` AND r.user_id = $1 GROUP BY c.task_id, r.user_id
		ON CONFLICT (task_id, user_id) DO UPDATE SET comments = excluded.comments`, args...)
	return err
}

// countOpen counts the news of tasks again after some of it was read for all
// the staff.
func countOpen(ctx context.Context, q db.Q, tasks ...int64) error {
	in, args := db.In(nil, tasks)
	seen, err := db.All[bool](ctx, q, `UPDATE tasks SET new_to_staff = `+openCount+` WHERE id IN `+in+`
		RETURNING EXISTS (SELECT 1 FROM news_seen n WHERE n.task_id = tasks.id AND n.comments > 0)`, args...)
	if err != nil || !slices.Contains(seen, true) { // nobody else had read any of it before
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE news_seen SET comments = (SELECT count(*) FROM task_comments c
			JOIN comment_reads r ON r.task_comment_id = c.id AND r.user_id = news_seen.user_id
			WHERE c.staff_read_at IS NULL AND c.type <> 'status' AND c.task_id = news_seen.task_id
				AND c.unit_id = (SELECT t.unit_id FROM tasks t WHERE t.id = news_seen.task_id))
		WHERE task_id IN `+in, args...)
	return err
}

const (
	openCount = `(SELECT count(*) FROM task_comments c WHERE c.unit_id = tasks.unit_id AND c.task_id = tasks.id
		AND c.staff_read_at IS NULL AND c.type <> 'status')`
	unreadCount = `(SELECT count(*) FROM task_comments c JOIN projects p ON p.id = tasks.project_id
		WHERE c.task_id = tasks.id AND c.type <> 'status' AND NOT EXISTS (SELECT 1 FROM comment_reads r
			WHERE r.task_comment_id = c.id AND r.user_id = p.user_id))`
)

// holdTaskOf holds the task of a comment on PostgreSQL before it is recounted. A count that
// waited for a reader in the middle of its statement would be one from before that reader.
func holdTaskOf(ctx context.Context, q db.Q, commentID int64) error {
	if !q.Postgres() {
		return nil
	}
	_, err := db.Exec(ctx, q, `SELECT t.id FROM tasks t JOIN task_comments c ON c.task_id = t.id WHERE c.id = $1
		FOR NO KEY UPDATE OF t`, commentID)
	return err
}

// RecountNews works out anew what is new on tasks, from every comment on them: for what happens
// seldom, such as deleting one. The tasks are held by then. It is part of changes whose right
// was asked, and refuses nothing.
func RecountNews(ctx context.Context, q db.Q, tasks ...int64) error {
	in, args := db.In(nil, tasks)
	for _, text := range []string{
		`UPDATE tasks SET new_to_staff = ` + openCount + `, new_to_student = ` + unreadCount + ` WHERE id IN ` + in,
		`DELETE FROM news_seen WHERE task_id IN ` + in,
		`INSERT INTO news_seen (task_id, user_id, comments)
			SELECT c.task_id, r.user_id, count(*) FROM ` + openOn + in + ` GROUP BY c.task_id, r.user_id`,
	} {
		if _, err := db.Exec(ctx, q, text, args...); err != nil {
			return fmt.Errorf("count what is new: %w", err)
		}
	}
	return nil
}

// ErrNews says that the numbers of new comments did not agree with the comments.
var ErrNews = errors.New("the numbers of new comments were wrong and are right now")

// CheckNews counts what is new on every task anew, unit by unit. The numbers
// should stand already: where they do not, it puts them right and fails with
// ErrNews, naming the tasks, because some change forgot them.
func CheckNews(ctx context.Context, d *db.DB) error {
	return stats.CheckUnits(ctx, d, ErrNews, "tasks", func(ctx context.Context, q db.Q, unitID int64) ([]int64, error) {
		off, err := wrongNews(ctx, q, unitID)
		if err != nil || len(off) == 0 {
			return nil, err
		}
		return off, RecountNews(ctx, q, off...)
	})
}

// wrongNews lists the tasks of a unit whose numbers are wrong. It holds all the
// tasks first, or a comment between two readings would look like a mistake.
func wrongNews(ctx context.Context, q db.Q, unitID int64) ([]int64, error) {
	if q.Postgres() {
		if _, err := db.Exec(ctx, q, `SELECT id FROM tasks WHERE unit_id = $1 ORDER BY id FOR NO KEY UPDATE`,
			unitID); err != nil {
			return nil, err
		}
	}
	return db.All[int64](ctx, q, `SELECT id FROM tasks WHERE unit_id = $1
			AND (new_to_staff <> `+openCount+` OR new_to_student <> `+unreadCount+`)
		UNION SELECT s.task_id FROM (
			SELECT c.task_id, r.user_id, 1 AS n FROM task_comments c JOIN tasks t ON t.id = c.task_id
				JOIN projects p ON p.id = t.project_id
				JOIN comment_reads r ON r.task_comment_id = c.id AND r.user_id <> p.user_id
				WHERE c.unit_id = $1 AND c.staff_read_at IS NULL AND c.type <> 'status'
			UNION ALL SELECT n.task_id, n.user_id, -n.comments FROM news_seen n JOIN tasks t ON t.id = n.task_id
				WHERE t.unit_id = $1) s
		GROUP BY s.task_id, s.user_id HAVING sum(s.n) <> 0 ORDER BY 1`, unitID)
}
