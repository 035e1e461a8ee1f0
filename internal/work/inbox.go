package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	// together are the tasks m handed in with task t by those still enrolled.
	together = `FROM tasks m JOIN projects mp ON mp.id = m.project_id AND mp.enrolled`
	withT    = ` WHERE m.group_submission_id = t.group_submission_id`
	// ofOwnClasses leaves those of the caller's classes: of a group, any member's.
	ofOwnClasses = ` AND (EXISTS (SELECT 1 FROM tutorials x JOIN unit_roles r ON r.id = x.unit_role_id
			WHERE x.id = e.tutorial_id AND r.user_id = $2)
		OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` + together + `
			JOIN tutorial_enrolments y ON y.project_id = m.project_id
				AND (y.tutorial_stream_id IS NULL OR y.tutorial_stream_id = d.tutorial_stream_id)
			JOIN tutorials x ON x.id = y.tutorial_id JOIN unit_roles r ON r.id = x.unit_role_id AND r.user_id = $2` +
		withT + `))`
	// standsFor is the task of who handed in for a group's task o, or that of the first
	// other member when that is nobody to list; o itself where somebody works alone.
	standsFor = `CASE WHEN o.group_submission_id IS NULL THEN o.id ELSE (SELECT m.id ` + together + `
			AND mp.user_id <> $2 JOIN group_submissions s ON s.id = m.group_submission_id
			WHERE m.group_submission_id = o.group_submission_id
			ORDER BY CASE WHEN m.project_id = s.submitted_by_project_id THEN 0 ELSE 1 END, m.id LIMIT 1) END`
	once = `SELECT DISTINCT ` + standsFor + ` AS id FROM picked k JOIN tasks o ON o.id = k.id`
	// What is said of a group is true of any of its members.
	groupNews = `CASE WHEN t.group_submission_id IS NULL THEN t.new_to_staff - coalesce(n.comments, 0)
		ELSE (SELECT sum(m.new_to_staff - coalesce(mn.comments, 0)) ` + together + `
			LEFT JOIN news_seen mn ON mn.task_id = m.id AND mn.user_id = $2` + withT + `) END AS num_new_comments`
	groupPinned = `CASE WHEN b.task_id IS NOT NULL OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` + together +
		` JOIN task_pins mb ON mb.task_id = m.id AND mb.user_id = $2` + withT + `) THEN 1 ELSE 0 END AS pinned`
	groupUndecided = `CASE WHEN ` + asksForTime + ` OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` +
		together + ` JOIN task_comments c ON c.task_id = m.id AND c.type = 'extension' AND c.extension_assessed_at IS NULL` + withT +
		`) THEN 1 ELSE 0 END AS has_extensions`
	groupMembers = `CASE WHEN t.group_submission_id IS NULL THEN '' ELSE
		(SELECT string_agg(CAST(m.project_id AS TEXT) || ':' || CAST(m.id AS TEXT), ',') ` + together + withT +
		`) END AS members`
)

var awaiting = `SELECT id FROM tasks WHERE unit_id = $1 AND status IN ` + db.Literals(status.Awaiting...)

// Tasks lists what waits: the oldest submission first, in the inbox after what
// the caller pinned. What a group handed in together stands there once. It also tells
// how many there are in all, -1 when all were asked for.
func (w Waiting) Tasks(ctx context.Context, q db.Q) ([]InboxTask, int64, error) {
	l := list{
		columns: `t.id, t.project_id, t.task_definition_id, e.tutorial_id, t.status, t.completion_date, t.submission_date,
			t.times_assessed, t.grade, t.quality_pts, ` + groupNews + `, ` + groupPinned + `, ` + groupUndecided + `,
			` + groupMembers + `, ` + toLookAt + ` AS similarity_flag`,
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
	l.with = `WITH picked AS (` + chosen + `), chosen AS (` + once + `)`
	return part[InboxTask](ctx, q, l, w.Page, w.UnitID, w.CallerID)
}
