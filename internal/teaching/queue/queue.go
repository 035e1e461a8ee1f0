// Package queue lists the tasks of a unit that wait for its staff: page by page in every order, with
// counts and the place of one task among the others, and the inbox of the specification.
package queue

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
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
// in which order: work to mark, what the caller pinned, and comments that are new to
// the caller, as in the inbox. The zero value of a filter lets everything through.
type Queue struct {
	UnitID, CallerID int64
	Mine             bool // only the students of the caller's classes: their own or handed to them, see handover.Roles
	TutorialID       int64
	DefinitionID     int64
	Status           status.Status
	Kind             Kind   // "" are all, with what is only pinned
	Text             string // every word of it in the student's names, or in the task's
	Sort             Sort   // "" is ByWaiting
	Feedback         bool   // only what awaits feedback, pinned or not
	TutorID          int64  // only the students of this person's classes
	Over             bool   // only what is to mark and has waited longer than the unit promises
	Page             db.Page
	late             *clock.Time // since before when that is; nil: it is no filter
}

// Row is a task that waits, with the names a page shows.
type Row struct {
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
	ReviewAsked    bool          `db:"review_asked" json:"review_asked"`     // a review waits for an answer
	Pinned         int           `db:"pinned" json:"pinned"`                 // 1: by the caller
	SimilarityFlag bool          `db:"similarity_flag" json:"similarity_flag"`
	Kind           Kind          `db:"kind" json:"kind"`           // pinned, too, where it waits for nobody
	Version        int64         `db:"version" json:"version"`     // counts its changes, see Verdict
	HandedBy       *string       `db:"handed_by" json:"handed_by"` // whose queue it is, where that is with the caller now
	due.Columns
}

// rowsOf reads the rows of the tasks k in their order. A task that only has
// a review open waits since it was asked for, one that only has new comments since the last.
// $2 is the caller, $3 the moment.
var rowsOf = `SELECT t.id, t.project_id, p.user_id, u.username, u.first_name, u.last_name, u.nickname,
		t.task_definition_id, d.abbreviation, d.name, d.is_graded, d.max_quality_pts, e.tutorial_id,
		x.abbreviation AS tutorial, g.name AS group_name, ` + groupMembers + `, t.status,
		CASE WHEN t.status IN ` + awaitingStatuses + ` THEN k.since
			ELSE coalesce(t.review_asked_at, (SELECT max(c.created_at)
			FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status'), k.since) END AS waiting_since,
		t.grade, t.quality_pts, ` + groupNews + `, ` + groupUndecided + `, ` + groupReviews + `, ` + groupPinned + `,
		` + work.FlaggedSimilarity + ` AS similarity_flag, ` + kindOfWork + ` AS kind, t.version,
		(SELECT hu.first_name || ' ' || hu.last_name FROM unit_roles o JOIN users hu ON hu.id = o.user_id
			WHERE o.id = x.unit_role_id AND o.id IN (` + handover.Handed("$2", "$3") + `)) AS handed_by,
		d.target_date, d.due_date, y.end_date, y.time_zone, t.extensions
	FROM k JOIN tasks t ON t.id = k.id JOIN units y ON y.id = t.unit_id
	JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
	JOIN task_definitions d ON d.id = t.task_definition_id` + work.JoinNews + `
	LEFT JOIN task_pins b ON b.task_id = t.id AND b.user_id = $2` + work.JoinClass + `
	LEFT JOIN tutorials x ON x.id = e.tutorial_id
	LEFT JOIN group_submissions gs ON gs.id = t.group_submission_id
	LEFT JOIN unit_groups g ON g.id = gs.unit_group_id
	ORDER BY k.place`

// Rows gives a page of the queue and how many tasks wait in all, -1 when all of them
// were asked for.
func (w Queue) Rows(ctx context.Context, q db.Q) ([]Row, int64, error) {
	l, err := w.lined(ctx, q, false)
	if err != nil {
		return nil, 0, err
	}
	return l.rows(ctx)
}

func (l *lined) rows(ctx context.Context) ([]Row, int64, error) {
	rows, err := pageOf[Row](ctx, l, rowsOf, l.q.Now())
	if !l.Page.Asked() {
		return rows, -1, err
	}
	return rows, l.total(), err
}

// Listing is a page of a queue with its numbers.
type Listing struct {
	Rows   []Row
	Total  int64       // of rows
	Counts []TaskCount // of every filter but those of the task and the kind
	Tally              // of every filter but that of the kind
}

// List gives what Rows and Counts do. They are one reading, but for the queue of one task or
// kind, whose counts tell of the others, too.
func (w Queue) List(ctx context.Context, q db.Q) (*Listing, error) {
	all := w
	all.DefinitionID, all.Kind = 0, ""
	l, err := all.lined(ctx, q, true)
	if err != nil {
		return nil, err
	}
	list := &Listing{Counts: l.counts()}
	for _, c := range list.Counts {
		if w.DefinitionID == 0 || c.DefinitionID == w.DefinitionID {
			list.ToMark += c.ToMark
			list.ToAnswer += c.ToAnswer
		}
	}
	if w.DefinitionID != 0 || w.Kind != "" {
		list.Rows, list.Total, err = w.Rows(ctx, q)
	} else {
		list.Rows, list.Total, err = l.rows(ctx)
	}
	return list, err
}

// Tally counts what is to mark and to answer.
func (w Queue) Tally(ctx context.Context, q db.Q) (Tally, error) {
	l, err := w.lined(ctx, q, false)
	if err != nil {
		return Tally{}, err
	}
	return l.tally(), nil
}

// pageOf reads the rows of a page of the queue by a statement that begins with its
// tasks k(place, id, since), and has the caller as $2 and more after that.
func pageOf[T any](ctx context.Context, l *lined, text string, more ...any) ([]T, error) {
	spots, err := l.part(ctx, l.Page.Offset(), l.Page.Limit())
	if err != nil || len(spots) == 0 {
		return []T{}, err
	}
	list := make([][]any, len(spots))
	for i, s := range spots {
		list[i] = []any{i, s.Shown, s.Since}
	}
	k, args, err := db.Rows(l.q, nil, []string{"place BIGINT", "id BIGINT", "since TIMESTAMPTZ"}, list)
	if err != nil {
		return nil, err
	}
	return db.All[T](ctx, l.q, `WITH k AS (SELECT * FROM `+k+` w) `+text, append(append(args, l.CallerID), more...)...)
}

// TaskCount is how many students wait with a task.
type TaskCount struct {
	DefinitionID int64  `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Name         string `db:"name" json:"name"`
	Count        int64  `db:"count" json:"count"` // to mark and to answer
	Tally
}

// Counts tells with which tasks how many wait, in the order the unit begins them. It
// follows every filter but that of the task.
func (w Queue) Counts(ctx context.Context, q db.Q) ([]TaskCount, error) {
	w.DefinitionID = 0
	l, err := w.lined(ctx, q, true)
	if err != nil {
		return nil, err
	}
	return l.counts(), nil
}

func (l *lined) counts() []TaskCount {
	more := map[int64]*Tally{}
	add := func(s spot, n int64) {
		if more[s.DefinitionID] == nil {
			more[s.DefinitionID] = &Tally{}
		}
		more[s.DefinitionID].add(s.Kind, n)
	}
	for _, s := range l.apart {
		add(s, 1)
	}
	for _, s := range l.leftOut {
		add(s, -1)
	}
	list := []TaskCount{}
	for _, d := range l.definitions {
		if m := more[d.DefinitionID]; m != nil {
			d.ToMark += m.ToMark
			d.ToAnswer += m.ToAnswer
		}
		if d.Count = d.Waiting(); d.Count > 0 {
			list = append(list, d)
		}
	}
	return list
}
