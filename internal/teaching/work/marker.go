package work

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// MarkedTask is a task as one of the staff has it before them to mark it.
type MarkedTask struct {
	ID           int64         `db:"id"`
	ProjectID    int64         `db:"project_id"`
	DefinitionID int64         `db:"task_definition_id"`
	Version      int64         `db:"version"`
	Status       status.Status `db:"status"`
	Grade        *grade.Grade  `db:"grade"`
	Quality      int           `db:"quality_pts"` // -1: not rated
	SubmittedAt  *clock.Time   `db:"submission_date"`
	Pinned       bool          `db:"pinned"`   // by the marker, be it at another member of the group
	Own          bool          `db:"own"`      // the marker has a part in it, so somebody else has to mark it
	MoverID      *int64        `db:"mover_id"` // who moved or marked it last; nil: nobody did
	Mover        *string       `db:"mover"`    // their name
}

// Ref is where the task stands.
func (t *MarkedTask) Ref() TaskRef { return TaskRef{t.ProjectID, t.DefinitionID} }

// TaskForMarker gives a task, with what it is to one of the staff; fault.Missing
// where there is none.
func TaskForMarker(ctx context.Context, q db.Q, id, userID int64) (*MarkedTask, error) {
	return db.OneOf[MarkedTask](ctx, q, "task", `SELECT t.id, t.project_id, t.task_definition_id, t.version, t.status,
			t.grade, t.quality_pts, t.submission_date, EXISTS (SELECT 1 FROM task_pins b WHERE b.user_id = $2
				AND (b.task_id = t.id OR b.task_id IN (SELECT m.id FROM tasks m
					WHERE m.group_submission_id = t.group_submission_id))) AS pinned, `+OwnWork("$2")+` AS own,
			u.id AS mover_id, u.first_name || ' ' || u.last_name AS mover
		FROM tasks t JOIN projects p ON p.id = t.project_id JOIN task_definitions d ON d.id = t.task_definition_id
			LEFT JOIN users u ON u.id = (SELECT h.actor_id FROM task_history h WHERE h.task_id = t.id
				ORDER BY h.at DESC, h.id DESC LIMIT 1)
		WHERE t.id = $1`, id, userID)
}

// RefOf tells where a task stands by its number; fault.Missing where there is none.
func RefOf(ctx context.Context, q db.Q, id int64) (TaskRef, error) {
	type row struct {
		ProjectID    int64 `db:"project_id"`
		DefinitionID int64 `db:"task_definition_id"`
	}
	r, err := db.OneOf[row](ctx, q, "task", `SELECT project_id, task_definition_id FROM tasks WHERE id = $1`, id)
	if err != nil {
		return TaskRef{}, err
	}
	return TaskRef(*r), nil
}
