package insight

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/status"
)

// turnaroundSpan is how far back marking is looked at.
const turnaroundSpan = 28 * 24 * time.Hour

// Turnaround tells how soon a unit's students hear about their work. Work waits from
// when it was last handed in; it was marked when somebody of the staff first marked it
// after that. Verdicts that were taken back are none, and neither is what was marked
// without having been handed in. What a group hands in together counts once. Time is
// counted in plain hours, nights, weekends and breaks included.
type Turnaround struct {
	FeedbackDays *int         `json:"feedback_days"` // what the unit promises; none: nothing
	Since        clock.Time   `json:"since"`         // of the marking that is counted
	Waiting      int          `json:"waiting"`
	Overdue      int          `json:"overdue"` // of those, longer than promised
	Ages         []WaitingAge `json:"ages"`
	Pace
	Tasks  []TaskPace  `json:"tasks"`            // by start of the task
	Tutors []TutorPace `json:"tutors,omitempty"` // for convenors
}

// WaitingAge is how much has waited so many days.
type WaitingAge struct {
	FromDays int  `json:"from_days"` // whole days
	ToDays   *int `json:"to_days"`   // up to and with this one; none: or more
	Tasks    int  `json:"tasks"`
}

// TaskPace is the pace of one task of a unit.
type TaskPace struct {
	DefinitionID int64       `db:"id" json:"task_definition_id"`
	Abbreviation string      `db:"abbreviation" json:"abbreviation"`
	Name         string      `db:"name" json:"task_name"`
	Waiting      int         `json:"waiting"`
	Oldest       *clock.Time `json:"oldest"` // since when the longest has waited
	Pace
}

// TutorPace is the pace of one person of the staff.
type TutorPace struct {
	UserID    int64  `db:"id" json:"user_id"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
	Pace
}

// ageEnds are the whole days at which a new age begins.
var ageEnds = [...]int{1, 3, 5, 8}

// TurnaroundOf reads the turnaround of a unit at the moment of q, by tutor too where
// that is asked for.
func TurnaroundOf(ctx context.Context, q db.Q, unitID int64, byTutor bool) (*Turnaround, error) {
	days, err := db.OneOf[struct {
		Days *int `db:"feedback_days"`
	}](ctx, q, "unit", `SELECT feedback_days FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	t := &Turnaround{FeedbackDays: days.Days, Since: clock.At(q.Now().Add(-turnaroundSpan))}
	t.Tasks, err = db.All[TaskPace](ctx, q, `SELECT id, abbreviation, name FROM task_definitions WHERE unit_id = $1
		ORDER BY start_date, abbreviation`, unitID)
	if err != nil {
		return nil, err
	}
	if err := t.readWaiting(ctx, q, unitID); err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	marked, err := firstMarks(ctx, q, unitID, t.Since)
	if err != nil {
		return nil, fmt.Errorf("read what was marked: %w", err)
	}
	t.pace(marked)
	if byTutor {
		err = t.readTutors(ctx, q, marked)
	}
	return t, err
}

// waiting is how many tasks of a definition have an age.
type waiting struct {
	DefinitionID int64      `db:"task_definition_id"`
	Age          int        `db:"age"`
	Overdue      bool       `db:"overdue"`
	Tasks        int        `db:"tasks"`
	Oldest       clock.Time `db:"oldest"`
}

func (t *Turnaround) readWaiting(ctx context.Context, q db.Q, unitID int64) error {
	t.Ages = make([]WaitingAge, len(ageEnds)+1)
	args := []any{unitID}
	for i, days := range ageEnds {
		last := days - 1
		t.Ages[i].ToDays, t.Ages[i+1].FromDays = &last, days
		args = append(args, clock.At(q.Now().Add(-time.Duration(days)*24*time.Hour)))
	}
	args = append(args, clock.At(q.Now().Add(-t.promise())))
	at := map[int64]*TaskPace{}
	for i := range t.Tasks {
		at[t.Tasks[i].DefinitionID] = &t.Tasks[i]
	}
	for r, err := range db.Each[waiting](ctx, q, `SELECT w.task_definition_id, w.age, w.overdue, count(*) AS tasks,
			min(w.since) AS oldest
		FROM (SELECT t.task_definition_id, min(t.submission_date) AS since,
				CASE WHEN min(t.submission_date) > $2 THEN 0 WHEN min(t.submission_date) > $3 THEN 1
					WHEN min(t.submission_date) > $4 THEN 2 WHEN min(t.submission_date) > $5 THEN 3 ELSE 4 END AS age,
				min(t.submission_date) < $6 AS overdue
			FROM tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled
			WHERE t.unit_id = $1 AND t.status IN `+db.Literals(status.Awaiting...)+`
				AND (t.submission_date > t.assessment_date OR t.assessment_date IS NULL AND t.submission_date IS NOT NULL)
			GROUP BY t.task_definition_id, coalesce(-t.group_submission_id, t.id)) w
		GROUP BY w.task_definition_id, w.age, w.overdue`, args...) {
		if err != nil {
			return err
		}
		t.Waiting += r.Tasks
		t.Ages[r.Age].Tasks += r.Tasks
		if r.Overdue && t.FeedbackDays != nil {
			t.Overdue += r.Tasks
		}
		at[r.DefinitionID].wait(r)
	}
	return nil
}

func (p *TaskPace) wait(r waiting) {
	p.Waiting += r.Tasks
	if p.Oldest == nil || r.Oldest.Before(p.Oldest.Time) {
		p.Oldest = &r.Oldest
	}
}

// promise is how soon the unit promises feedback; 0: it promises nothing.
func (t *Turnaround) promise() time.Duration {
	if t.FeedbackDays == nil {
		return 0
	}
	return time.Duration(*t.FeedbackDays) * 24 * time.Hour
}

// firstMark is the first word of the staff on work that was handed in.
type firstMark struct {
	DefinitionID int64      `db:"task_definition_id"`
	Work         int64      `db:"work"` // the task, or a group's submission as its negative
	UserID       int64      `db:"actor_id"`
	HandedIn     clock.Time `db:"submitted_at"`
	At           clock.Time `db:"at"`
}

// notUndone says that a row of a task's history was not taken back by a later one.
func notUndone(row string) string {
	return `NOT EXISTS (SELECT 1 FROM task_history z WHERE z.task_id = ` + row + `.task_id AND z.id > ` + row + `.id
		AND z.undoes_after < ` + row + `.id)`
}

// firstMarks reads the first marks since a moment. A task that has one was
// assessed since then, which an index finds.
func firstMarks(ctx context.Context, q db.Q, unitID int64, since clock.Time) ([]firstMark, error) {
	type key struct {
		work int64
		at   time.Time
	}
	seen := map[key]bool{}
	var out []firstMark
	for j, err := range db.Each[firstMark](ctx, q, `SELECT t.task_definition_id, h.actor_id, h.submitted_at, h.at,
			coalesce(-t.group_submission_id, t.id) AS work
		FROM tasks t JOIN task_history h ON h.task_id = t.id AND h.at >= $2 AND h.assessed AND h.submitted_at < h.at
		WHERE t.unit_id = $1 AND t.assessment_date >= $2 AND `+notUndone("h")+`
			AND NOT EXISTS (SELECT 1 FROM task_history e WHERE e.task_id = h.task_id AND e.id < h.id AND e.assessed
				AND e.submitted_at = h.submitted_at AND `+notUndone("e")+`)
		ORDER BY h.at, h.id`, unitID, since) {
		if err != nil {
			return nil, err
		}
		if k := (key{j.Work, j.At.Time}); !seen[k] { // of a group's tasks the first stands for all
			seen[k] = true
			out = append(out, j)
		}
	}
	return out, nil
}

// pace works out how soon the work was marked, in all and by task.
func (t *Turnaround) pace(marked []firstMark) {
	by := map[int64][]time.Duration{}
	var all []time.Duration
	for _, j := range marked {
		took := j.At.Sub(j.HandedIn.Time)
		all, by[j.DefinitionID] = append(all, took), append(by[j.DefinitionID], took)
	}
	t.Pace = paceOf(all, t.promise())
	for i := range t.Tasks {
		t.Tasks[i].Pace = paceOf(by[t.Tasks[i].DefinitionID], t.promise())
	}
}

// readTutors works out how soon each of the staff marked; who marked nothing is not
// there.
func (t *Turnaround) readTutors(ctx context.Context, q db.Q, marked []firstMark) (err error) {
	by := map[int64][]time.Duration{}
	var ids []int64
	for _, j := range marked {
		if by[j.UserID] == nil {
			ids = append(ids, j.UserID)
		}
		by[j.UserID] = append(by[j.UserID], j.At.Sub(j.HandedIn.Time))
	}
	in, args := db.In(nil, ids)
	t.Tutors, err = db.All[TutorPace](ctx, q, `SELECT id, first_name, last_name FROM users WHERE id IN `+in+`
		ORDER BY last_name, first_name, id`, args...)
	for i := range t.Tutors {
		t.Tutors[i].Pace = paceOf(by[t.Tutors[i].UserID], t.promise())
	}
	return err
}

// Picture is what waits, to be drawn: in these words, with how the promise is told and the
// ages are.
func (t *Turnaround) Picture(say chart.AgesWords, promise func(days int) string,
	age func(WaitingAge) string) chart.WaitingAges {
	w := chart.WaitingAges{Words: say}
	if t.FeedbackDays != nil {
		w.Promise = promise(*t.FeedbackDays)
	}
	for _, a := range t.Ages {
		w.Ages = append(w.Ages, chart.Age{Days: age(a), Tasks: a.Tasks,
			Late: t.FeedbackDays != nil && a.FromDays >= *t.FeedbackDays})
	}
	return w
}
