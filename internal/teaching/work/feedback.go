package work

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Feedback is what somebody said on a student's task that the student has not read.
type Feedback struct {
	ID           int64       `db:"id"`
	ProjectID    int64       `db:"project_id"`
	DefinitionID int64       `db:"task_definition_id"`
	Code         string      `db:"code"` // of the unit
	Abbreviation string      `db:"abbreviation"`
	TaskName     string      `db:"name"`
	Type         CommentType `db:"type"`
	Text         string      `db:"comment"` // empty where only a file was sent
	FirstName    string      `db:"first_name"`
	LastName     string      `db:"last_name"`
	At           clock.Time  `db:"created_at"`
}

// NewFeedback lists what people said on the tasks of a student in all units of now and the
// student has not read, the newest first, one of each task.
func NewFeedback(ctx context.Context, q db.Q, userID int64, most int) ([]Feedback, error) {
	return db.All[Feedback](ctx, q, `SELECT c.id, t.project_id, t.task_definition_id, u.code, d.abbreviation, d.name,
			c.type, c.comment, a.first_name, a.last_name, c.created_at
		FROM projects p JOIN units u ON u.id = p.unit_id AND u.active
		JOIN tasks t ON t.project_id = p.id AND t.new_to_student > 0
		JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN task_comments c ON c.id = (SELECT x.id FROM task_comments x WHERE x.task_id = t.id AND x.type <> 'status'
			AND x.user_id <> $1 AND NOT x.by_service AND NOT EXISTS (SELECT 1 FROM comment_reads r
				WHERE r.task_comment_id = x.id AND r.user_id = $1) ORDER BY x.created_at DESC, x.id DESC LIMIT 1)
		JOIN users a ON a.id = c.user_id
		WHERE p.user_id = $1 AND p.enrolled ORDER BY c.created_at DESC, c.id DESC LIMIT $2`, userID, most)
}
