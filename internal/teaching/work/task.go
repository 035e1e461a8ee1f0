// Package work knows what students do and what tutors answer: tasks, comments,
// extensions and pins.
package work

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// StateRow is the part of a task that a move may change, as its table has it.
type StateRow struct {
	Status        status.Status `db:"status"`
	SubmittedAt   *clock.Time   `db:"submission_date"`
	UploadedAt    *clock.Time   `db:"file_uploaded_at"`
	AssessedAt    *clock.Time   `db:"assessment_date"`
	CompletedOn   *clock.Date   `db:"completion_date"`
	TimesAssessed int           `db:"times_assessed"`
	Grade         *grade.Grade  `db:"grade"`
	GradedLate    bool          `db:"failed_for_lateness"`
	Quality       int           `db:"quality_pts"`
	Extensions    int           `db:"extensions"`
}

// State is the row as the status machine sees it.
func (r *StateRow) State() status.State { return status.State(*r) }

// take makes a state the row's.
func (r *StateRow) take(s status.State) { *r = StateRow(s) }

// HeldTask is a student's work on a definition with all that decides about it. Its
// ID is 0 while it has no row: rows are made at the first write.
type HeldTask struct {
	ID           int64 `db:"id"`
	ProjectID    int64 `db:"project_id"`
	DefinitionID int64 `db:"task_definition_id"`
	UnitID       int64 `db:"unit_id"`
	OwnerID      int64 `db:"owner_id"`
	Enrolled     bool  `db:"enrolled"`
	StateRow
	InPortfolio bool  `db:"include_in_portfolio"`
	Version     int64 `db:"version"` // counts its changes; 0 without a row
	// ReviewAskedAt is since when a review is open; nil: none is.
	ReviewAskedAt *clock.Time `db:"review_asked_at"`

	SubmissionID    *int64 `db:"group_submission_id"`
	SubmissionGroup *int64 `db:"submission_group_id"` // the group that made it
	GroupID         *int64 `db:"unit_group_id"`       // the student's group now
	TutorID         *int64 `db:"tutor_id"`            // who answers this student; never the student

	Restricted      bool        `db:"restrict_status_updates"`
	NeedsFiles      bool        `db:"needs_files"`
	Graded          bool        `db:"is_graded"`
	MaxQuality      int         `db:"max_quality_pts"`
	GroupSetID      *int64      `db:"group_set_id"`
	WeeksOnResubmit int         `db:"weeks_on_resubmit"`
	Target          clock.Date  `db:"target_date"`
	OwnDeadline     *clock.Date `db:"due_date"`
	UnitEnd         clock.Date  `db:"end_date"`
	TimeZone        *string     `db:"time_zone"`

	stats *progress.Stats // of its project, where a change of it worked them out
}

// tutorOf finds who answers the student of project p for definition d: the
// tutor of their class in its stream, or else whoever leads the unit. Someone
// who studies a unit they teach is never their own tutor.
const tutorOf = `coalesce((SELECT r.user_id FROM tutorial_enrolments e JOIN tutorials x ON x.id = e.tutorial_id
			JOIN unit_roles r ON r.id = x.unit_role_id
			WHERE e.project_id = p.id AND r.user_id <> p.user_id
				AND (e.tutorial_stream_id IS NULL OR e.tutorial_stream_id = d.tutorial_stream_id)
			ORDER BY e.tutorial_stream_id NULLS LAST LIMIT 1),
		(SELECT r.user_id FROM unit_roles r WHERE r.unit_id = p.unit_id AND r.user_id <> p.user_id
			ORDER BY r.is_main DESC, r.role DESC, r.id LIMIT 1))`

// StatusOf is the SQL for the status of task t, which may have no row yet, for
// this and other packages.
const StatusOf = `coalesce(t.status, '` + string(status.NotStarted) + `')`

const taskColumns = `SELECT coalesce(t.id, 0) AS id, p.id AS project_id, d.id AS task_definition_id, p.unit_id,
	p.user_id AS owner_id, p.enrolled,
		` + StatusOf + ` AS status, t.submission_date, t.file_uploaded_at, t.assessment_date,
		t.completion_date,
		coalesce(t.times_assessed, 0) AS times_assessed, t.grade, coalesce(t.failed_for_lateness, FALSE) AS
		failed_for_lateness,
		coalesce(t.quality_pts, -1) AS quality_pts, coalesce(t.extensions, 0) AS extensions,
		coalesce(t.include_in_portfolio, TRUE) AS include_in_portfolio, coalesce(t.version, 0) AS version,
		t.review_asked_at,
		t.group_submission_id, g.unit_group_id AS submission_group_id, m.unit_group_id, ` + tutorOf + ` AS tutor_id,
		d.restrict_status_updates, d.upload_requirements <> '[]' AS needs_files, d.is_graded, d.max_quality_pts,
		d.group_set_id,
		d.target_date, d.due_date, u.extension_weeks_on_resubmit_request AS weeks_on_resubmit, u.end_date, u.time_zone
	FROM projects p JOIN units u ON u.id = p.unit_id JOIN task_definitions d ON d.unit_id = p.unit_id `

const taskJoins = ` tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
	LEFT JOIN group_submissions g ON g.id = t.group_submission_id
	LEFT JOIN group_memberships m ON m.group_set_id = d.group_set_id AND m.project_id = p.id AND m.active `

// taskAt gives the task of a project for a definition, whether it has a row or
// not.
func taskAt(ctx context.Context, q db.Q, projectID, definitionID int64) (*HeldTask, error) {
	return db.OneOf[HeldTask](ctx, q, "task", taskColumns+`LEFT JOIN`+taskJoins+`WHERE p.id = $1 AND d.id = $2`, projectID,
		definitionID)
}

// LockTasks reads tasks that have rows and holds them until the transaction
// ends, in one order for all, so that two moves of one task come one after the
// other. The later one sees what the earlier one did.
func LockTasks(ctx context.Context, q db.Q, where string, args ...any) ([]*HeldTask, error) {
	if q.Postgres() {
		return readTasks(ctx, q, where, ` FOR NO KEY UPDATE OF t`, args...)
	}
	return readTasks(ctx, q, where, "", args...)
}

// readTasks reads tasks that have rows, with a lock or without.
func readTasks(ctx context.Context, q db.Q, where, lock string, args ...any) ([]*HeldTask, error) {
	text := taskColumns + `JOIN` + taskJoins + `WHERE ` + where + ` ORDER BY t.id` + lock
	var out []*HeldTask
	for t, err := range db.Each[HeldTask](ctx, q, text, args...) {
		if err != nil {
			return nil, fmt.Errorf("read tasks: %w", err)
		}
		out = append(out, &t)
	}
	return out, nil
}

// facts is the task as the status machine sees it.
func (t *HeldTask) facts() status.Task {
	return status.Task{
		State: t.State(),
		Rules: status.Rules{Restricted: t.Restricted, NeedsFiles: t.NeedsFiles, Graded: t.Graded,
			MaxQuality: t.MaxQuality,
			Group:      t.GroupSetID != nil, WeeksOnResubmit: t.WeeksOnResubmit},
		Due:     t.dates(),
		InGroup: t.GroupID != nil,
		Last:    t.lastSubmission(),
	}
}

// lastSubmission is the latest, if any; it awaits assessment when nothing was
// assessed since.
func (t *HeldTask) lastSubmission() *status.Submission {
	if t.SubmittedAt == nil {
		return nil
	}
	return &status.Submission{At: *t.SubmittedAt, Assessed: t.AssessedAt != nil &&
		!t.SubmittedAt.After(t.AssessedAt.Time)}
}

// dates are what the due date follows from. A day ends on the unit's clock, or
// anywhere on earth.
func (t *HeldTask) dates() due.Dates {
	return due.Dates{Target: t.Target, Deadline: due.Deadline(t.OwnDeadline, t.UnitEnd, t.Target),
		Extensions: t.Extensions, Zone: clock.Zone(t.TimeZone)}
}

// dueOn is the day the task is due.
func (t *HeldTask) dueOn() clock.Date {
	return due.Dates{Target: t.Target, Deadline: due.Deadline(t.OwnDeadline, t.UnitEnd, t.Target),
		Extensions: t.Extensions}.Due()
}

// Explain tells how the due date of a task came about.
func Explain(ctx context.Context, q db.Q, projectID, definitionID int64) (*due.Explanation, error) {
	t, err := taskAt(ctx, q, projectID, definitionID)
	if err != nil {
		return nil, err
	}
	e := t.dates().Explain()
	return &e, nil
}

// ExplainAll tells how the due dates of all tasks of a project came about, by their
// definitions, begun or not.
func ExplainAll(ctx context.Context, q db.Q, projectID int64) (map[int64]due.Explanation, error) {
	out := map[int64]due.Explanation{}
	for t, err := range db.Each[HeldTask](ctx, q, `SELECT d.id AS task_definition_id, p.unit_id, d.target_date, d.due_date,
			u.end_date, u.time_zone, coalesce(t.extensions, 0) AS extensions
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN task_definitions d ON d.unit_id = p.unit_id
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id WHERE p.id = $1`, projectID) {
		if err != nil {
			return nil, err
		}
		out[t.DefinitionID] = t.dates().Explain()
	}
	return out, nil
}

// Refreshed is what a client asks for again and again while a task is open.
type Refreshed struct {
	DefinitionID int64         `json:"task_definition_id"`
	Status       status.Status `json:"status"`
	DueDate      clock.Time    `json:"due_date"` // the day's first moment in UTC
	Extensions   int           `json:"extensions"`
	TaskID       int64         `json:"-"` // 0 while nothing was ever written of it
	SubmittedAt  *clock.Time   `json:"-"`
}

// Refresh gives the present state of a task.
func Refresh(ctx context.Context, q db.Q, projectID, definitionID int64) (*Refreshed, error) {
	t, err := taskAt(ctx, q, projectID, definitionID)
	if err != nil {
		return nil, err
	}
	return &Refreshed{t.DefinitionID, t.Status, clock.At(t.dueOn().Time), t.Extensions, t.ID, t.SubmittedAt}, nil
}
