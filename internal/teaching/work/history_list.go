package work

import (
	"context"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// HistoryKind is what an entry of a task's history tells of.
type HistoryKind string

// The kinds of entries.
const (
	HistoryStatus           HistoryKind = "status"
	HistorySubmission       HistoryKind = "submission"
	HistoryExtensionAsked   HistoryKind = "extension_asked"
	HistoryExtensionDecided HistoryKind = "extension_decided"
)

// Enum gives all kinds, for the documentation of the API.
func (HistoryKind) Enum() []string {
	return []string{string(HistoryStatus), string(HistorySubmission), string(HistoryExtensionAsked),
		string(HistoryExtensionDecided)}
}

// HistoryEntry is one thing that happened to a task. Everything in it may be known to
// the student: what only the staff know is in none.
type HistoryEntry struct {
	At        clock.Time     `db:"at" json:"date"`
	Kind      HistoryKind    `db:"kind" json:"kind"`
	UserID    int64          `db:"user_id" json:"user_id"`
	FirstName string         `db:"first_name" json:"first_name"`
	LastName  string         `db:"last_name" json:"last_name"`
	From      *status.Status `db:"from_status" json:"from_status"`
	To        *status.Status `db:"to_status" json:"to_status"`
	Grade     *grade.Grade   `db:"grade" json:"grade"`
	Quality   *int           `db:"quality_pts" json:"quality_pts"`
	Weeks     *int           `db:"weeks" json:"weeks"`
	Granted   *bool          `db:"granted" json:"granted"`
	Undo      bool           `db:"undo" json:"undo"` // who gave a verdict took it back
}

// historyOf is everything that happened to the tasks t of a condition, as e, with who
// did it, as u. Each part has the columns of the first; n puts what happened at one
// moment in order. What a submission left as it stood is told by the submission alone.
func historyOf(which string) string {
	return strings.ReplaceAll(`(SELECT t.task_definition_id, h.at, 'status' AS kind, h.actor_id AS user_id,
			h.from_status, h.to_status, h.grade,
			CASE WHEN h.quality_pts >= 0 THEN h.quality_pts END AS quality_pts, CAST(NULL AS INTEGER) AS weeks,
			CAST(NULL AS BOOLEAN) AS granted, 2 AS part, h.id AS n, h.undoes_after IS NOT NULL AS undo
		FROM tasks t JOIN task_history h ON h.task_id = t.id
		WHERE {which} AND NOT (h.from_status = h.to_status AND NOT h.assessed AND EXISTS (SELECT 1
			FROM submission_tasks b WHERE b.task_id = h.task_id AND b.at = h.at))
		UNION ALL SELECT t.task_definition_id, l.at, 'submission', s.user_id, NULL, NULL, NULL, NULL, NULL, NULL, 1, s.id,
			FALSE
		FROM tasks t JOIN submission_tasks l ON l.task_id = t.id JOIN submissions s ON s.id = l.submission_id
		WHERE {which}
		UNION ALL SELECT t.task_definition_id, c.created_at, 'extension_asked', c.user_id, NULL, NULL, NULL, NULL,
			c.extension_weeks, NULL, 1, c.id, FALSE
		FROM tasks t JOIN task_comments c ON c.task_id = t.id AND c.type = 'extension' AND NOT `+unasked+`
		WHERE {which}
		UNION ALL SELECT t.task_definition_id, c.extension_assessed_at, 'extension_decided', c.assessor_id, NULL, NULL,
			NULL, NULL, c.extension_weeks, c.extension_granted, 2, c.id, FALSE
		FROM tasks t JOIN task_comments c ON c.task_id = t.id AND c.type = 'extension'
			AND c.extension_assessed_at IS NOT NULL
		WHERE {which}) e JOIN users u ON u.id = e.user_id`, "{which}", which)
}

var (
	historyOfTask    = historyOf(`t.project_id = $1 AND t.task_definition_id = $2`)
	historyOfProject = historyOf(`t.project_id = $1`) + ` JOIN task_definitions d ON d.id = e.task_definition_id`
)

const (
	historyColumns = `e.at, e.kind, e.user_id, u.first_name, u.last_name, e.from_status, e.to_status, e.grade,
		e.quality_pts, e.weeks, e.granted, e.undo`
	newestEntry = `e.at DESC, e.part DESC, e.n DESC`
)

// History lists what happened to a task, newest first: where it was moved and what
// marks it got, what was handed in, and the extensions that were asked for and decided
// on. A task that nobody has touched has none.
func History(ctx context.Context, q db.Q, at TaskRef, p db.Page) ([]HistoryEntry, int64, error) {
	return part[HistoryEntry](ctx, q, list{columns: historyColumns, from: historyOfTask, order: newestEntry}, p,
		at.ProjectID, at.DefinitionID)
}

// ProjectEntry is one thing that happened to one of a project's tasks.
type ProjectEntry struct {
	DefinitionID int64  `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"` // of the task
	HistoryEntry
}

// ProjectHistory lists what happened to all tasks of a project, newest first, as
// History does for one.
func ProjectHistory(ctx context.Context, q db.Q, projectID int64, p db.Page) ([]ProjectEntry, int64, error) {
	return part[ProjectEntry](ctx, q, list{columns: `e.task_definition_id, d.abbreviation, ` + historyColumns,
		from: historyOfProject, order: newestEntry}, p, projectID)
}
