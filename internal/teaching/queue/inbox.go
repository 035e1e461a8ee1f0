package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
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
	Members        Members       `db:"members" json:"members"`               // of the group whose work it is
}

// Member is a student whose task was handed in together with others'.
type Member struct {
	ProjectID int64 `json:"project_id"`
	TaskID    int64 `json:"task_id"`
}

// Members are the enrolled students of a group's one submission, by project; empty
// where somebody works alone.
type Members []Member

// Scan implements sql.Scanner: it reads pairs of ids such as 3:14,5:9.
func (m *Members) Scan(src any) error {
	text, ok := src.(string)
	if !ok && src != nil {
		return fmt.Errorf("read the members of a group from %T", src)
	}
	*m = Members{}
	if text == "" {
		return nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		var one Member
		if _, err := fmt.Sscanf(pair, "%d:%d", &one.ProjectID, &one.TaskID); err != nil {
			return fmt.Errorf("read the members of a group: %w", err)
		}
		*m = append(*m, one)
	}
	slices.SortFunc(*m, func(a, b Member) int { return cmp.Compare(a.ProjectID, b.ProjectID) })
	return nil
}

// Inbox says which tasks of a unit to list for one of its staff.
type Inbox struct {
	UnitID, CallerID int64
	Inbox            bool // beside what awaits feedback, what the caller pinned or has not read
	Mine             bool // only the students of the caller's classes: their own or handed to them, see handover.Roles
	Page             db.Page
}

const (
	// together are the tasks m handed in with task t by those still enrolled.
	together = `FROM tasks m JOIN projects mp ON mp.id = m.project_id AND mp.enrolled`
	withT    = ` WHERE m.group_submission_id = t.group_submission_id`
	// standsFor is the task of who handed in for a group's task t, or that of the first
	// other member when that is nobody to list; t itself where somebody works alone.
	standsFor = `CASE WHEN t.group_submission_id IS NULL THEN t.id ELSE (SELECT m.id ` + together + `
			AND mp.user_id <> $2 JOIN group_submissions s ON s.id = m.group_submission_id
			WHERE m.group_submission_id = t.group_submission_id
			ORDER BY CASE WHEN m.project_id = s.submitted_by_project_id THEN 0 ELSE 1 END, m.id LIMIT 1) END`
	// What is said of a group is true of any of its members.
	groupNews = `CASE WHEN t.group_submission_id IS NULL THEN t.new_to_staff - coalesce(n.comments, 0)
		ELSE (SELECT sum(m.new_to_staff - coalesce(mn.comments, 0)) ` + together + `
			LEFT JOIN news_seen mn ON mn.task_id = m.id AND mn.user_id = $2` + withT + `) END AS num_new_comments`
	groupPinned = `CASE WHEN b.task_id IS NOT NULL OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` + together +
		` JOIN task_pins mb ON mb.task_id = m.id AND mb.user_id = $2` + withT + `) THEN 1 ELSE 0 END AS pinned`
	groupUndecided = `CASE WHEN ` + work.AsksForTime + ` OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` +
		together + ` JOIN task_comments c ON c.task_id = m.id AND c.type = 'extension' AND c.extension_assessed_at IS NULL` + withT +
		`) THEN 1 ELSE 0 END AS has_extensions`
	groupReviews = `(t.review_asked_at IS NOT NULL OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` + together +
		withT + ` AND m.review_asked_at IS NOT NULL)) AS review_asked`
	groupMembers = `CASE WHEN t.group_submission_id IS NULL THEN '' ELSE
		(SELECT string_agg(CAST(m.project_id AS TEXT) || ':' || CAST(m.id AS TEXT), ',') ` + together + withT +
		`) END AS members`
)

// inboxOf reads the tasks k in their order.
const inboxOf = `SELECT t.id, t.project_id, t.task_definition_id, e.tutorial_id, t.status, t.completion_date,
		t.submission_date, t.times_assessed, t.grade, t.quality_pts, ` + groupNews + `, ` + groupPinned + `,
		` + groupUndecided + `, ` + groupMembers + `, ` + work.FlaggedSimilarity + ` AS similarity_flag
	FROM k JOIN tasks t ON t.id = k.id JOIN task_definitions d ON d.id = t.task_definition_id` + work.JoinNews + `
	LEFT JOIN task_pins b ON b.task_id = t.id AND b.user_id = $2` + work.JoinClass + `ORDER BY k.place`

// Tasks lists what waits: the oldest submission first, in the inbox after what the caller
// pinned, then what was never handed in by its newest comment; what is equal by definition
// and task. What a group handed in together stands there once. It also tells how many there
// are in all, -1 when all were asked for.
func (w Inbox) Tasks(ctx context.Context, q db.Q) ([]InboxTask, int64, error) {
	l, err := Queue{UnitID: w.UnitID, CallerID: w.CallerID, Mine: w.Mine, Sort: bySubmission, Feedback: !w.Inbox,
		Page: w.Page}.lined(ctx, q, false)
	if err != nil {
		return nil, 0, err
	}
	rows, err := pageOf[InboxTask](ctx, l, inboxOf)
	if !w.Page.Asked() {
		return rows, -1, err
	}
	return rows, l.total(), err
}
