package usecase

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/grade"
	"lectern/internal/progress"
	"lectern/internal/status"
)

// Home is what waits for a person in all their units, from one statement for what
// they study and one for what they teach.
type Home struct {
	Studies []Study    `json:"studies"`
	Teaches []Teaching `json:"teaches"`
}

// Study is a unit that somebody studies.
type Study struct {
	ProjectID   int64       `db:"project_id" json:"project_id"`
	Code        string      `db:"code" json:"code"`
	Name        string      `db:"name" json:"name"`
	TargetGrade grade.Grade `db:"target_grade" json:"target_grade"`
	NewComments int64       `db:"new_comments" json:"new_comments"`
	progress.Stats
}

// Teaching is a unit that somebody teaches.
type Teaching struct {
	UnitID      int64       `db:"unit_id" json:"unit_id"`
	Code        string      `db:"code" json:"code"`
	Name        string      `db:"name" json:"name"`
	Waiting     int64       `db:"waiting" json:"waiting"` // tasks that wait for feedback
	Oldest      *clock.Time `db:"oldest" json:"oldest"`   // when the first of them was handed in
	NewComments int64       `db:"new_comments" json:"new_comments"`
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
	teaches, err := db.All[Teaching](ctx, q, `SELECT u.id AS unit_id, u.code, u.name, count(t.id) AS waiting,
			min(t.submission_date) AS oldest,
			(SELECT coalesce(sum(c.new_to_staff - coalesce(n.comments, 0)), 0) FROM tasks c
				LEFT JOIN news_seen n ON n.task_id = c.id AND n.user_id = $1
				WHERE c.unit_id = u.id AND c.new_to_staff > 0) AS new_comments
		FROM unit_roles r JOIN units u ON u.id = r.unit_id
		LEFT JOIN tasks t ON t.unit_id = u.id AND t.status IN `+db.Literals(status.Awaiting...)+`
		WHERE r.user_id = $1 AND u.active GROUP BY u.id, u.code, u.name ORDER BY u.code, u.id`, who.ID)
	return &Home{Studies: studies, Teaches: teaches}, err
}
