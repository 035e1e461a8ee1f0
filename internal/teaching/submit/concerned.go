package submit

import "lectern/internal/platform/events"

// Concerned is one of the tasks that a submission was handed in for, with who is told of it.
type Concerned struct {
	Own       bool  `db:"own"` // the task of whoever handed in
	UnitID    int64 `db:"unit_id"`
	TaskID    int64 `db:"task_id"`
	ProjectID int64 `db:"project_id"`
	OwnerID   int64 `db:"user_id"`
}

// ConcernedColumns and JoinConcerned read those of the submissions s.
const (
	ConcernedColumns = `s.task_id = t.id AS own, s.unit_id, t.id AS task_id, t.project_id, p.user_id`
	JoinConcerned    = ` JOIN submission_tasks l ON l.submission_id = s.id JOIN tasks t ON t.id = l.task_id
		JOIN projects p ON p.id = t.project_id`
)

// Event is what tells its student of something; that of who handed in tells the staff, too, so
// that they hear of it once.
func (c Concerned) Event(kind events.Kind, body any) events.Event {
	e := events.Event{Kind: kind, UserID: c.OwnerID, ProjectID: c.ProjectID, TaskID: c.TaskID, Body: body}
	if c.Own {
		e.UnitID = c.UnitID
	}
	return e
}
