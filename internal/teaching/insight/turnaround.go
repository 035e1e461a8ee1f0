package insight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/queue"
)

// turnaroundSpan is how far back marking is looked at.
const turnaroundSpan = 28 * 24 * time.Hour

// Turnaround tells how soon a unit's students hear about their work. What waits is what the queue
// has to mark, from when it was last handed in; it was marked when somebody of the staff first marked it
// after that. Verdicts that were taken back are none, and neither is what was marked
// without having been handed in. What a group hands in together counts once. Time is
// counted in plain hours, nights, weekends and breaks included.
type Turnaround struct {
	FeedbackDays *int         `json:"feedback_days"` // what the unit promises; none: nothing
	Since        clock.Time   `json:"since"`         // of the marking that is counted
	Waiting      int          `json:"waiting" doc:"tasks to mark"`
	ToAnswer     int64        `json:"to_answer" doc:"tasks that need help, with new comments or a review asked for"`
	Oldest       *clock.Time  `json:"oldest"`  // since when the longest to mark has waited
	Overdue      int          `json:"overdue"` // of those, longer than promised
	Ages         []WaitingAge `json:"ages"`
	Pace
	Tasks  []TaskPace  `json:"tasks"`            // by start of the task
	Tutors []TutorPace `json:"tutors,omitempty"` // for convenors
	Weeks  []PaceWeek  `json:"-"`                // since Since
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

// TutorPace is the pace of one person of the staff, and what waits in their tutorials.
type TutorPace struct {
	UserID    int64       `db:"id" json:"user_id"`
	FirstName string      `db:"first_name" json:"first_name"`
	LastName  string      `db:"last_name" json:"last_name"`
	Waiting   int         `json:"waiting"` // to mark, of the students of their tutorials
	Overdue   int         `json:"overdue"`
	Oldest    *clock.Time `json:"oldest"`
	Weeks     []PaceWeek  `json:"-"` // as those of the unit
	Pace
}

// ageEnds are the whole days at which a new age begins.
var ageEnds = [...]int{1, 3, 5, 8}

// TurnaroundOf reads the turnaround of a unit for a caller at the moment of q, by tutor too where
// that is asked for.
func TurnaroundOf(ctx context.Context, q db.Q, unitID, callerID int64, byTutor bool) (*Turnaround, error) {
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
	shares, err := t.readWaiting(ctx, q, unitID, callerID)
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	marked, err := firstMarks(ctx, q, unitID, t.Since)
	if err != nil {
		return nil, fmt.Errorf("read what was marked: %w", err)
	}
	t.pace(marked)
	if byTutor {
		err = t.readTutors(ctx, q, marked, shares)
	}
	return t, err
}

func (t *Turnaround) readWaiting(ctx context.Context, q db.Q, unitID, callerID int64) ([]queue.Share, error) {
	t.Ages = make([]WaitingAge, len(ageEnds)+1)
	for i, days := range ageEnds {
		last := days - 1
		t.Ages[i].ToDays, t.Ages[i+1].FromDays = &last, days
	}
	unit := queue.Target{UnitID: unitID}
	if t.FeedbackDays != nil {
		unit.Days = new(int64(*t.FeedbackDays))
	}
	shares, err := queue.Shares(ctx, q, callerID, unit, ageEnds[:])
	if err != nil {
		return nil, err
	}
	all, err := queue.Tallies(ctx, q, callerID, []queue.Target{unit})
	if err != nil {
		return nil, err
	}
	t.ToAnswer = all[unitID].ToAnswer
	at := map[int64]*TaskPace{}
	for i := range t.Tasks {
		at[t.Tasks[i].DefinitionID] = &t.Tasks[i]
	}
	for _, s := range shares {
		t.Ages[s.Age].Tasks += s.Tasks
		if s.Overdue {
			t.Overdue += s.Tasks
		}
		wait(&t.Waiting, &t.Oldest, s)
		wait(&at[s.DefinitionID].Waiting, &at[s.DefinitionID].Oldest, s)
	}
	return shares, nil
}

// wait adds a share to a number, and to since when the longest of it has waited.
func wait(n *int, oldest **clock.Time, s queue.Share) {
	*n += s.Tasks
	if *oldest == nil || s.Oldest.Before((*oldest).Time) {
		*oldest = &s.Oldest
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
	UnitID       int64      `db:"unit_id"`
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

// isFirst says that a row h of a task's history is the first word of the staff on work that was handed in.
var isFirst = `h.assessed AND h.submitted_at < h.at AND ` + notUndone("h") + `
	AND NOT EXISTS (SELECT 1 FROM task_history e WHERE e.task_id = h.task_id AND e.id < h.id AND e.assessed
		AND e.submitted_at = h.submitted_at AND ` + notUndone("e") + `)`

// firstMarks reads the first marks since a moment. A task that has one was
// assessed since then, which an index finds.
func firstMarks(ctx context.Context, q db.Q, unitID int64, since clock.Time) ([]firstMark, error) {
	return firstMarksFrom(ctx, q, `tasks t JOIN task_history h ON h.task_id = t.id AND h.at >= $2
		WHERE t.unit_id = $1 AND t.assessment_date >= $2`, unitID, since)
}

// firstMarksFrom reads the first marks of the tasks t and the rows h of their history that a text finds.
func firstMarksFrom(ctx context.Context, q db.Q, from string, args ...any) (out []firstMark, err error) {
	type key struct {
		work int64
		at   time.Time
	}
	seen := map[key]bool{}
	for j, err := range db.Each[firstMark](ctx, q, `SELECT t.unit_id, t.task_definition_id, h.actor_id, h.submitted_at,
			h.at, coalesce(-t.group_submission_id, t.id) AS work
		FROM `+from+` AND `+isFirst+` ORDER BY h.at, h.id`, args...) {
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
	t.Pace, t.Weeks = paceOf(all, t.promise()), t.byWeek(marked)
	for i := range t.Tasks {
		t.Tasks[i].Pace = paceOf(by[t.Tasks[i].DefinitionID], t.promise())
	}
}

// readTutors works out how soon each of the staff marked, and what waits in their tutorials; who
// marked nothing and has nothing to mark is not there.
func (t *Turnaround) readTutors(ctx context.Context, q db.Q, marked []firstMark, shares []queue.Share) (err error) {
	by := map[int64][]firstMark{}
	for _, j := range marked {
		by[j.UserID] = append(by[j.UserID], j)
	}
	for _, s := range shares {
		if s.TutorID != nil && by[*s.TutorID] == nil {
			by[*s.TutorID] = []firstMark{}
		}
	}
	in, args := db.In(nil, slices.Collect(maps.Keys(by)))
	t.Tutors, err = db.All[TutorPace](ctx, q, `SELECT id, first_name, last_name FROM users WHERE id IN `+in+`
		ORDER BY last_name, first_name, id`, args...)
	for i := range t.Tutors {
		p := &t.Tutors[i]
		p.Pace, p.Weeks = paceOf(took(by[p.UserID]), t.promise()), t.byWeek(by[p.UserID])
		for _, s := range shares {
			if s.TutorID == nil || *s.TutorID != p.UserID {
				continue
			}
			if wait(&p.Waiting, &p.Oldest, s); s.Overdue {
				p.Overdue += s.Tasks
			}
		}
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
