package work

import (
	"context"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/grade"
	"lectern/internal/status"
)

// InboxTask is a task that waits for the staff.
type InboxTask struct {
	ID             int64         `db:"id" json:"id"`
	ProjectID      int64         `db:"project_id" json:"project_id"`
	DefinitionID   int64         `db:"task_definition_id" json:"task_definition_id"`
	TutorialID     *int64        `db:"tutorial_id" json:"tutorial_id"`
	Status         status.Status `db:"status" json:"status"`
	CompletedOn    *clock.Date   `db:"completion_date" json:"completion_date"`
	SubmittedAt    *clock.Time   `db:"submission_date" json:"submission_date"`
	TimesAssessed  int           `db:"times_assessed" json:"times_assessed"`
	Grade          *grade.Grade  `db:"grade" json:"grade"`
	Quality        int           `db:"quality_pts" json:"quality_pts"`
	NewComments    int           `db:"num_new_comments" json:"num_new_comments"`
	SimilarityFlag bool          `db:"similarity_flag" json:"similarity_flag"`
	Pinned         int           `db:"pinned" json:"pinned"`                 // 1: by the caller
	HasExtensions  int           `db:"has_extensions" json:"has_extensions"` // 1: a request waits for a decision
}

// Waiting says which tasks of a unit to list for one of its staff.
type Waiting struct {
	UnitID, CallerID int64
	Inbox            bool // beside what awaits feedback, what the caller pinned or has not read
	Mine             bool // only the students of the caller's own classes
	Page             db.Page
}

// waitingFrom finds the tasks of unit $1 for the caller $2. Each reason to be
// listed has an index of its own, and what they give is short, however many tasks
// and comments the unit has. Nobody waits for themselves.
const waitingFrom = `chosen k JOIN tasks t ON t.id = k.id
	JOIN projects p ON p.id = t.project_id AND p.enrolled AND p.user_id <> $2
	JOIN task_definitions d ON d.id = t.task_definition_id
` + joinNews + `
	LEFT JOIN task_pins b ON b.task_id = t.id AND b.user_id = $2` + classOf + `WHERE TRUE`

const (
	pinnedOrNew = ` UNION SELECT b.task_id FROM task_pins b
			WHERE b.user_id = $2 AND (SELECT t.unit_id FROM tasks t WHERE t.id = b.task_id) = $1
		UNION SELECT t.id FROM tasks t` + joinNews + `WHERE t.unit_id = $1 AND t.new_to_staff > 0
			AND t.new_to_staff > coalesce(n.comments, 0)`
	ofOwnClasses = ` AND EXISTS (SELECT 1 FROM tutorials x JOIN unit_roles r ON r.id = x.unit_role_id
		WHERE x.id = e.tutorial_id AND r.user_id = $2)`
)

var awaiting = `SELECT id FROM tasks WHERE unit_id = $1 AND status IN ` + db.Literals(status.Awaiting...)

// Tasks lists what waits: the oldest submission first, in the inbox after what
// the caller pinned. It also tells how many there are in all, -1 when all were
// asked for.
func (w Waiting) Tasks(ctx context.Context, q db.Q) ([]InboxTask, int64, error) {
	l := list{
		columns: `t.id, t.project_id, t.task_definition_id, e.tutorial_id, t.status, t.completion_date, t.submission_date,
			t.times_assessed, t.grade, t.quality_pts, t.new_to_staff - coalesce(n.comments, 0) AS num_new_comments,
			CASE WHEN b.task_id IS NULL THEN 0 ELSE 1 END AS pinned, ` + undecided + `, ` + toLookAt +
			` AS similarity_flag`,
		from: waitingFrom,
		order: `t.submission_date NULLS LAST, (SELECT max(c.created_at) FROM task_comments c
			WHERE c.task_id = t.id) NULLS LAST,
			t.task_definition_id, t.id`,
	}
	chosen := awaiting
	if w.Inbox {
		chosen += pinnedOrNew
		l.order = `pinned DESC, ` + l.order
	}
	if w.Mine {
		l.from += ofOwnClasses
	}
	l.with = `WITH chosen AS (` + chosen + `)`
	return part[InboxTask](ctx, q, l, w.Page, w.UnitID, w.CallerID)
}
