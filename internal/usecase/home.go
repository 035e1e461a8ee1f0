package usecase

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// Home is what waits for a person in all their units, from two statements for what
// they study and one for what they teach.
type Home struct {
	Studies []Study    `json:"studies"`
	Teaches []Teaching `json:"teaches"`

	ToDo []NextTask `json:"-"` // of all units they study, what is most urgent first
}

// Study is a unit that somebody studies.
type Study struct {
	ProjectID   int64       `db:"project_id" json:"project_id"`
	Code        string      `db:"code" json:"code"`
	Name        string      `db:"name" json:"name"`
	TargetGrade grade.Grade `db:"target_grade" json:"target_grade"`
	NewComments int64       `db:"new_comments" json:"new_comments"`
	Next        *NextTask   `json:"next"` // null where nothing is to do
	progress.Stats

	Counts map[status.Status]int `json:"-"` // of the tasks that the target grade asks for
}

// NextTask is what somebody has to do next in a unit.
type NextTask struct {
	ProjectID    int64         `db:"project_id" json:"-"`
	DefinitionID int64         `db:"id" json:"task_definition_id"`
	Abbreviation string        `db:"abbreviation" json:"abbreviation"`
	Name         string        `db:"name" json:"name"`
	Status       status.Status `db:"status" json:"status"`
	DueDate      clock.Date    `json:"due_date"`
	Dates        due.Dates     `json:"-"`
	Late         bool          `json:"-"` // what it waits for is no longer on time
	Code         string        `db:"code" json:"-"`
	NewComments  int64         `db:"new_comments" json:"-"`
	Turn         Turn          `json:"-"`
}

// Teaching is a unit that somebody teaches.
type Teaching struct {
	UnitID      int64       `db:"unit_id" json:"unit_id"`
	Code        string      `db:"code" json:"code"`
	Name        string      `db:"name" json:"name"`
	Waiting     int64       `db:"waiting" json:"waiting"` // tasks that wait for feedback
	Oldest      *clock.Time `db:"oldest" json:"oldest"`   // when the first of them was handed in
	NewComments int64       `db:"new_comments" json:"new_comments"`

	ToAnswer     int64  `db:"to_answer" json:"-"`     // tasks that wait for no feedback, with a review or unread comments
	FeedbackDays *int64 `db:"feedback_days" json:"-"` // within which feedback is promised
	Overdue      int64  `json:"-"`                    // tasks that wait longer; see AddOverdue
}

// HomeOf gives what waits for somebody in the active units they study or teach.
func HomeOf(ctx context.Context, q db.Q, who *access.Caller) (*Home, error) {
	studies, err := db.All[Study](ctx, q, `SELECT p.id AS project_id, u.code, u.name, p.target_grade, p.red_pct,
			p.grey_pct, p.orange_pct, p.blue_pct, p.green_pct, p.order_scale,
			coalesce((SELECT sum(t.new_to_student) FROM tasks t WHERE t.project_id = p.id), 0) AS new_comments
		FROM projects p JOIN units u ON u.id = p.unit_id
		WHERE p.user_id = $1 AND p.enrolled AND u.active ORDER BY u.code, p.id`, who.ID)
	if err != nil {
		return nil, err
	}
	todo, err := addTasks(ctx, q, who, studies)
	if err != nil {
		return nil, err
	}
	teaches, err := db.All[Teaching](ctx, q, `SELECT u.id AS unit_id, u.code, u.name, count(t.id) AS waiting,
			min(t.submission_date) AS oldest,
			(SELECT coalesce(sum(c.new_to_staff - coalesce(n.comments, 0)), 0) FROM tasks c
				LEFT JOIN news_seen n ON n.task_id = c.id AND n.user_id = $1
				WHERE c.unit_id = u.id AND c.new_to_staff > 0) AS new_comments,
			(SELECT count(*) FROM tasks c LEFT JOIN news_seen n ON n.task_id = c.id AND n.user_id = $1
				WHERE c.unit_id = u.id AND (c.new_to_staff > 0 OR c.review_asked_at IS NOT NULL)
				AND (c.new_to_staff > coalesce(n.comments, 0) OR c.review_asked_at IS NOT NULL) AND c.status NOT IN `+db.Literals(status.Awaiting...)+`) AS to_answer, u.feedback_days
		FROM unit_roles r JOIN units u ON u.id = r.unit_id
		LEFT JOIN tasks t ON t.unit_id = u.id AND t.status IN `+db.Literals(status.Awaiting...)+`
		WHERE r.user_id = $1 AND u.active GROUP BY u.id, u.code, u.name, u.feedback_days ORDER BY u.code, u.id`, who.ID)
	return &Home{Studies: studies, Teaches: teaches, ToDo: todo}, err
}

// AddOverdue counts in each unit the tasks that wait for feedback longer than it promises, by one
// statement for all units.
func AddOverdue(ctx context.Context, q db.Q, teaches []Teaching) error {
	by, parts, args := map[int64]*Teaching{}, []string{}, []any{}
	for i := range teaches {
		t := &teaches[i]
		if t.FeedbackDays == nil {
			continue
		}
		by[t.UnitID] = t
		args = append(args, t.UnitID, clock.At(q.Now().Add(-time.Duration(*t.FeedbackDays)*24*time.Hour)))
		parts = append(parts, fmt.Sprintf(`SELECT unit_id, count(*) AS tasks FROM tasks WHERE unit_id = $%d
			AND submission_date < $%d AND status IN %s GROUP BY unit_id`, len(args)-1, len(args),
			db.Literals(status.Awaiting...)))
	}
	if len(parts) == 0 {
		return nil
	}
	type row struct {
		UnitID int64 `db:"unit_id"`
		Tasks  int64 `db:"tasks"`
	}
	for r, err := range db.Each[row](ctx, q, strings.Join(parts, " UNION ALL "), args...) {
		if err != nil {
			return fmt.Errorf("count what waits too long: %w", err)
		}
		by[r.UnitID].Overdue = r.Tasks
	}
	return nil
}
