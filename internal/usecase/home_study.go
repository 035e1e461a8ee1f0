package usecase

import (
	"cmp"
	"context"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/teaching/work"
)

// Turn is why a task is on a student's list of what to do: the more urgent the smaller.
type Turn int

// The turns, in the order in which they are listed.
const (
	TurnLate   Turn = iota // overdue, and the deadline is still to come
	TurnToday              // due today
	TurnAnswer             // somebody wants an answer: to fix, to redo, to talk about, or to a comment
	TurnWeek               // due this week
	TurnLater              // has begun, and is due later
	TurnClosed             // the deadline has passed
	noTurn                 // nothing for its student to do
)

// homeTask is a task of a student as home reads it.
type homeTask struct {
	NextTask
	due.Columns
	Submitted bool       `db:"submitted"`
	Start     clock.Date `db:"start_date"`
	Reader    *string    `db:"reader_zone"`
}

// addTasks reads the tasks of all units that somebody studies and that their target grades ask
// for. It counts them in each unit by status, finds what is next there, and gives what is to do,
// the most urgent first.
func addTasks(ctx context.Context, q db.Q, who *access.Caller, studies []Study) (todo []NextTask, err error) {
	by := map[int64]*Study{}
	for i := range studies {
		studies[i].Counts = map[status.Status]int{}
		by[studies[i].ProjectID] = &studies[i]
	}
	for r, err := range db.Each[homeTask](ctx, q, `SELECT p.id AS project_id, u.code, d.id, d.abbreviation, d.name,
			coalesce(t.status, 'not_started') AS status, coalesce(t.extensions, 0) AS extensions, d.target_date, d.due_date,
			u.end_date, u.time_zone, t.submission_date IS NOT NULL AS submitted, d.start_date,
			coalesce(t.new_to_student, 0) AS new_comments, s.time_zone AS reader_zone
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN users s ON s.id = p.user_id
		JOIN task_definitions d ON d.unit_id = u.id
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
		WHERE p.user_id = $1 AND p.enrolled AND u.active AND d.target_grade <= p.target_grade
		ORDER BY d.target_date, u.code, d.abbreviation`, who.ID) {
		if err != nil {
			return nil, err
		}
		if s := by[r.ProjectID]; s != nil {
			s.Counts[r.Status]++
			if r.place(q.Now().Time); r.Turn != noTurn {
				todo = append(todo, r.NextTask)
			}
		}
	}
	slices.SortStableFunc(todo, func(a, b NextTask) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), a.Dates.Ends().Compare(b.Dates.Ends()))
	})
	for i := range todo {
		if s := by[todo[i].ProjectID]; s.Next == nil && todo[i].Turn != TurnClosed {
			s.Next = &todo[i]
		}
	}
	return todo, nil
}

// place works out the dates of a task and whose turn it is.
func (r *homeTask) place(now time.Time) {
	d := r.Columns.Dates()
	r.NextTask.Dates, r.DueDate = d, d.Due()
	r.Late = Overdue(r.Status, r.Submitted, d, now)
	r.Turn = r.turn(d, now)
}

// turn is why a task is to do. What is asked for again is so as long as its deadline is to come,
// whatever day it is due.
func (r *homeTask) turn(d due.Dates, now time.Time) Turn {
	todo := status.ToDo.Has(r.Status)
	zone := cmp.Or(clock.Zone(r.Reader), d.Zone, time.UTC)
	today, ends := clock.Day(now.In(zone)), clock.Day(d.Ends().In(zone))
	switch owed := Owed(r.Status, r.Submitted); {
	case !todo:
		if r.NewComments > 0 && !status.Closed.Has(r.Status) {
			return TurnAnswer
		}
		return noTurn
	case owed && d.Over(now) && !closedFor(r.Status):
		return TurnClosed
	case r.Late:
		return TurnLate
	case owed && !closedFor(r.Status) && ends == today:
		return TurnToday
	case closedFor(r.Status) || status.Again.Has(r.Status) || r.NewComments > 0:
		return TurnAnswer
	case r.Start.After(today):
		return noTurn
	case ends.Before(week.MondayOf(today).AddDays(7)):
		return TurnWeek
	}
	return TurnLater
}

// closedFor tells whether a task is to be talked about and takes no date: it has come.
func closedFor(st status.Status) bool { return st == status.Discuss || st == status.Demonstrate }

// NewFeedback lists what people said on the caller's own tasks and the caller has not read, the
// newest first, for whoever may read those tasks.
func NewFeedback(ctx context.Context, q db.Q, who *access.Caller, most int) ([]work.Feedback, error) {
	if who.Asked != nil {
		who.Asked(policy.ReadTask)
	}
	if !policy.ReadTask.Allows(policy.Owner) {
		return nil, nil
	}
	return work.NewFeedback(ctx, q, who.ID, most)
}
