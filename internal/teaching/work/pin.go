package work

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Pin keeps a task at the top of someone's inbox.
type Pin struct {
	TaskID int64 `db:"task_id" json:"task_id"`
	UserID int64 `db:"user_id" json:"user_id"`
}

// PinTask pins a task for a user; one who has done so already still has. It is for holders of
// policy.PinTask on the task, and their own pins only.
func PinTask(ctx context.Context, q db.Q, p Pin) error {
	_, err := db.Exec(ctx, q, `INSERT INTO task_pins (task_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		p.TaskID, p.UserID)
	return err
}

// UnpinTask takes a user's pin off a task and those handed in together with it, for which it
// stands in the inbox. It is for holders of policy.PinTask on the task, and their own pins
// only.
func UnpinTask(ctx context.Context, q db.Q, p Pin) error {
	n, err := db.Exec(ctx, q, `DELETE FROM task_pins WHERE user_id = $2 AND (task_id = $1 OR task_id IN (SELECT m.id
		FROM tasks t JOIN tasks m ON m.group_submission_id = t.group_submission_id WHERE t.id = $1))`, p.TaskID, p.UserID)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "You have not pinned this task.")
	}
	return err
}
