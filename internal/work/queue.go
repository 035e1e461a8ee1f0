package work

import (
	"context"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/grade"
	"lectern/internal/status"
)

// Sort is an order of the queue.
type Sort string

// The orders: the longest wait first, after what the caller pinned; by task as the
// unit begins them; by the name of the student. Within a task or a student the
// longest wait is first, too.
const (
	ByWaiting Sort = "waiting"
	ByTask    Sort = "task"
	ByStudent Sort = "student"
)

// Queue says which of the tasks that wait in a unit to read for one of its staff, and
// in which order: work to judge, what the caller pinned, and comments that are new to
// the caller, as in the inbox. The zero value of a filter lets everything through.
type Queue struct {
	UnitID, CallerID int64
	Mine             bool // only the students of the caller's own classes
	TutorialID       int64
	DefinitionID     int64
	Status           status.Status
	Text             string // every word of it in the student's names, or in the task's
	Sort             Sort   // "" is ByWaiting
	Page             db.Page
}

// QueueRow is a task that waits, with the names a page shows.
type QueueRow struct {
	ID             int64         `db:"id" json:"id"`
	ProjectID      int64         `db:"project_id" json:"project_id"`
	UserID         int64         `db:"user_id" json:"user_id"`
	Username       string        `db:"username" json:"username"`
	FirstName      string        `db:"first_name" json:"first_name"`
	LastName       string        `db:"last_name" json:"last_name"`
	Nickname       *string       `db:"nickname" json:"nickname"`
	DefinitionID   int64         `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation   string        `db:"abbreviation" json:"abbreviation"`
	Name           string        `db:"name" json:"name"`
	IsGraded       bool          `db:"is_graded" json:"is_graded"`
	MaxQuality     int           `db:"max_quality_pts" json:"max_quality_pts"`
	TutorialID     *int64        `db:"tutorial_id" json:"tutorial_id"`
	Tutorial       *string       `db:"tutorial" json:"tutorial"`     // its abbreviation
	Group          *string       `db:"group_name" json:"group_name"` // whose one work it is
	Members        Members       `db:"members" json:"members"`       // of that group
	Status         status.Status `db:"status" json:"status"`
	WaitingSince   clock.Time    `db:"waiting_since" json:"waiting_since"`
	Grade          *grade.Grade  `db:"grade" json:"grade"`
	Quality        int           `db:"quality_pts" json:"quality_pts"`
	NewComments    int           `db:"num_new_comments" json:"num_new_comments"`
	HasExtensions  int           `db:"has_extensions" json:"has_extensions"` // 1: a request waits for a decision
	Pinned         int           `db:"pinned" json:"pinned"`                 // 1: by the caller
	SimilarityFlag bool          `db:"similarity_flag" json:"similarity_flag"`
	Version        int64         `db:"version" json:"version"` // counts its changes, see Verdict
}

// rowsOf reads the rows of the tasks k in their order. A task that only has new
// comments waits since the last of them.
var rowsOf = `SELECT t.id, t.project_id, p.user_id, u.username, u.first_name, u.last_name, u.nickname,
		t.task_definition_id, d.abbreviation, d.name, d.is_graded, d.max_quality_pts, e.tutorial_id,
		x.abbreviation AS tutorial, g.name AS group_name, ` + groupMembers + `, t.status,
		CASE WHEN t.status IN ` + awaitingStatuses + ` THEN k.since ELSE coalesce((SELECT max(c.created_at)
			FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status'), k.since) END AS waiting_since,
		t.grade, t.quality_pts, ` + groupNews + `, ` + groupUndecided + `, ` + groupPinned + `,
		` + toLookAt + ` AS similarity_flag, t.version
	FROM k JOIN tasks o ON o.id = k.id JOIN tasks t ON t.id = ` + standsFor + `
	JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
	JOIN task_definitions d ON d.id = t.task_definition_id` + joinNews + `
	LEFT JOIN task_pins b ON b.task_id = t.id AND b.user_id = $2` + classOf + `
	LEFT JOIN tutorials x ON x.id = e.tutorial_id
	LEFT JOIN group_submissions gs ON gs.id = t.group_submission_id
	LEFT JOIN unit_groups g ON g.id = gs.unit_group_id
	ORDER BY k.place, k.name, k.since, k.id`

// Rows gives a page of the queue and how many tasks wait in all, -1 when all of them
// were asked for.
func (w Queue) Rows(ctx context.Context, q db.Q) ([]QueueRow, int64, error) {
	s, err := w.selection(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	total := int64(-1)
	if w.Page.Asked() {
		n, err := db.One[int64](ctx, q, s.with+`SELECT count(*) FROM (`+s.every("t.id", ByWaiting)+`) k`, s.args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	rows, err := db.All[QueueRow](ctx, q, s.page(w.Sort, w.Page)+rowsOf, append(s.args, w.Page.Limit(), w.Page.Offset())...)
	return rows, total, err
}

// TaskCount is how many students wait with a task.
type TaskCount struct {
	DefinitionID int64  `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Name         string `db:"name" json:"name"`
	Count        int64  `db:"count" json:"count"`
}

// Counts tells with which tasks how many wait, in the order the unit begins them. It
// follows every filter but that of the task.
func (w Queue) Counts(ctx context.Context, q db.Q) ([]TaskCount, error) {
	w.DefinitionID = 0
	s, err := w.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	return db.All[TaskCount](ctx, q, s.with+`SELECT d.id AS task_definition_id, d.abbreviation, d.name, k.count
		FROM (SELECT w.task_definition_id, count(*) AS count
			FROM (`+s.every("t.task_definition_id", ByWaiting)+`) w GROUP BY w.task_definition_id) k
		JOIN task_definitions d ON d.id = k.task_definition_id ORDER BY d.start_date, d.abbreviation`, s.args...)
}
