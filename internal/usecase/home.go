package usecase

import (
	"cmp"
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
)

// Home is what waits for a person in all their units, from two statements for what
// they study and two for what they teach.
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
	Waiting     int64       `json:"waiting"` // tasks to mark and to answer
	queue.Tally             // as the queue of the unit has them
	Oldest      *clock.Time `json:"oldest"` // since when the first to mark waits
	NewComments int64       `db:"new_comments" json:"new_comments"`

	FeedbackDays *int64  `db:"feedback_days" json:"-"` // within which feedback is promised
	Overdue      int64   `json:"-"`                    // tasks to mark that wait longer
	Reader       *string `db:"reader_zone" json:"-"`   // the time zone of whoever teaches
	Zone         *string `db:"time_zone" json:"-"`     // of the unit
}

// Targets are the units that somebody teaches, with what each promises.
func (h *Home) Targets() []queue.Target {
	out := make([]queue.Target, len(h.Teaches))
	for i, t := range h.Teaches {
		out[i] = queue.Target{UnitID: t.UnitID, Days: t.FeedbackDays}
	}
	return out
}

// Monday is when the week began for whoever teaches: on their own clock, else on that of a unit.
func (h *Home) Monday(now clock.Time) clock.Time {
	zone := time.UTC
	if len(h.Teaches) > 0 {
		zone = cmp.Or(clock.Zone(h.Teaches[0].Reader), clock.Zone(h.Teaches[0].Zone), zone)
	}
	day := week.MondayOf(clock.Day(now.In(zone)))
	return clock.At(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone))
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
	teaches, err := db.All[Teaching](ctx, q, `SELECT u.id AS unit_id, u.code, u.name, u.feedback_days, u.time_zone,
			o.time_zone AS reader_zone,
			(SELECT coalesce(sum(c.new_to_staff - coalesce(n.comments, 0)), 0) FROM tasks c
				LEFT JOIN news_seen n ON n.task_id = c.id AND n.user_id = $1
				WHERE c.unit_id = u.id AND c.new_to_staff > 0) AS new_comments
		FROM unit_roles r JOIN units u ON u.id = r.unit_id JOIN users o ON o.id = r.user_id
		WHERE r.user_id = $1 AND u.active ORDER BY u.code, u.id`, who.ID)
	h := &Home{Studies: studies, Teaches: teaches, ToDo: todo}
	if err == nil {
		err = h.addTallies(ctx, q, who)
	}
	return h, err
}

// addTallies counts in each unit what waits, by one statement for all units.
func (h *Home) addTallies(ctx context.Context, q db.Q, who *access.Caller) error {
	all, err := queue.Tallies(ctx, q, who.ID, h.Targets())
	for i := range h.Teaches {
		t, n := &h.Teaches[i], all[h.Teaches[i].UnitID]
		t.Tally, t.Waiting, t.Oldest, t.Overdue = n.Tally, n.Waiting(), n.Oldest, n.Overdue
	}
	return err
}
