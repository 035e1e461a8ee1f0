package insight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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

// TurnaroundSince is the moment since which marking is looked at, at the moment of q.
func TurnaroundSince(q db.Q) clock.Time { return clock.At(q.Now().Add(-turnaroundSpan)) }

// TurnaroundOf reads the turnaround of a unit for a caller at the moment of q, by tutor too where
// that is asked for; but for what is to answer, which CountToAnswer adds.
func TurnaroundOf(ctx context.Context, q db.Q, unitID, callerID int64, byTutor bool) (*Turnaround, error) {
	days, err := db.OneOf[struct {
		Days *int `db:"feedback_days"`
	}](ctx, q, "unit", `SELECT feedback_days FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	t := &Turnaround{FeedbackDays: days.Days, Since: TurnaroundSince(q)}
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

// CountToAnswer adds what is to answer, for those who tell it.
func (t *Turnaround) CountToAnswer(ctx context.Context, q db.Q, unitID, callerID int64) error {
	all, err := queue.Tallies(ctx, q, callerID, []queue.Target{{UnitID: unitID}})
	if err != nil {
		return err
	}
	t.ToAnswer = all[unitID].ToAnswer
	return nil
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
	ID           int64       `db:"id"` // in the history
	UnitID       int64       `db:"unit_id"`
	DefinitionID int64       `db:"task_definition_id"`
	TaskID       int64       `db:"task_id"`
	Group        int64       `db:"group_id"` // that handed it in; 0: none
	UserID       int64       `db:"actor_id"`
	HandedIn     clock.Milli `db:"submitted_at"`
	At           clock.Milli `db:"at"`
}

// took is how long it took.
func (m *firstMark) took() time.Duration { return m.At.Since(m.HandedIn) }

// notUndone says that a row of a task's history was not taken back by a later one.
func notUndone(row string) string {
	return `NOT EXISTS (SELECT 1 FROM task_history z WHERE z.task_id = ` + row + `.task_id AND z.id > ` + row + `.id
		AND z.undoes_after < ` + row + `.id)`
}

// isFirst says that a row h of a task's history is the first word of the staff on work that was handed in.
var isFirst = `h.assessed AND h.submitted_at < h.at AND ` + notUndone("h") + `
	AND NOT EXISTS (SELECT 1 FROM task_history e WHERE e.task_id = h.task_id AND e.id < h.id AND e.assessed
		AND e.submitted_at = h.submitted_at AND ` + notUndone("e") + `)`

// firstMarks reads the first marks in a unit since a moment, in no order: those that were given since then, of which
// the first are picked here, as work that was handed in since then was not marked before. Only of older work it is
// asked whether it was.
func firstMarks(ctx context.Context, q db.Q, unitID int64, since clock.Time) ([]firstMark, error) {
	marks, undone := []firstMark{}, undos{}
	for r, err := range db.Each[struct {
		DefinitionID int64  `db:"task_definition_id"`
		Marks        string `db:"marks"`
	}](ctx, q, selectMarks(q), unitID, since) {
		if err != nil {
			return nil, err
		}
		marks = slices.Grow(marks, max(strings.Count(r.Marks, ",")+1, len(marks)))
		for text := range strings.SplitSeq(r.Marks, ",") {
			m := firstMark{DefinitionID: r.DefinitionID, UnitID: unitID}
			undoes, err := m.read(text)
			if err != nil {
				return nil, err
			}
			if undoes >= 0 {
				undone[m.TaskID] = append(undone[m.TaskID], undo{undoes, m.ID})
			}
			if m.HandedIn != 0 {
				marks = append(marks, m)
			}
		}
	}
	if err := addGroups(ctx, q, unitID, since, marks); err != nil {
		return nil, err
	}
	return once(undone.first(marks)), nil
}

// selectMarks selects, by definition, the rows of the history that say how the tasks of the unit $1 were marked since
// $2, as texts for firstMark.read: a row of the database for each mark of a large unit takes three times as long. They
// come in the order of an index that holds all that is asked of them. What a program wrote that does not know which
// definition a row is of is looked up.
func selectMarks(q db.Q) string {
	text := `string_agg(concat_ws(' ', h.task_id, h.id, h.actor_id, ` + db.Instant(q, "h.at") + `,
		CASE WHEN h.assessed AND h.submitted_at IS NOT NULL THEN ` + db.Instant(q, "h.submitted_at") + ` ELSE '0' END,
		h.undoes_after), ',') AS marks`
	marked := `h.at >= $2 AND (h.assessed AND h.submitted_at IS NOT NULL OR h.undoes_after IS NOT NULL)
		AND (h.submitted_at >= $2 OR NOT EXISTS (SELECT 1 FROM task_history e WHERE e.task_id = h.task_id AND e.at < $2
			AND e.id < h.id AND e.assessed AND e.submitted_at = h.submitted_at AND ` + notUndone("e") + `))`
	const ofUnit = ` IN (SELECT d.id FROM task_definitions d WHERE d.unit_id = $1) `
	return `SELECT h.task_definition_id, ` + text + ` FROM task_history h
		WHERE h.task_definition_id` + ofUnit + `AND ` + marked + ` GROUP BY h.task_definition_id
		UNION ALL SELECT t.task_definition_id, ` + text + ` FROM task_history h JOIN tasks t ON t.id = h.task_id
		WHERE h.task_definition_id IS NULL AND t.task_definition_id` + ofUnit + `AND ` + marked + `
		GROUP BY t.task_definition_id`
}

// read reads what selectMarks selects, and tells after which row of its history the task gets back what it was; -1:
// after none.
func (m *firstMark) read(text string) (undoes int64, err error) {
	word := func() (w string) {
		w, text, _ = strings.Cut(text, " ")
		return w
	}
	number := func(to *int64) {
		if err == nil {
			*to, err = strconv.ParseInt(word(), 10, 64)
		}
	}
	instant := func(to *clock.Milli) {
		if err == nil {
			*to, err = clock.ParseMilli(word())
		}
	}
	number(&m.TaskID)
	number(&m.ID)
	number(&m.UserID)
	instant(&m.At)
	instant(&m.HandedIn)
	if undoes = -1; text != "" {
		number(&undoes)
	}
	return undoes, err
}

// addGroups adds to marks that were given since a moment which group handed the work in.
func addGroups(ctx context.Context, q db.Q, unitID int64, since clock.Time, marks []firstMark) error {
	groups := map[int64]int64{}
	for t, err := range db.Each[struct {
		ID    int64 `db:"id"`
		Group int64 `db:"group_submission_id"`
	}](ctx, q, `SELECT t.id, t.group_submission_id FROM tasks t
		WHERE t.task_definition_id IN (SELECT d.id FROM task_definitions d WHERE d.unit_id = $1)
			AND t.assessment_date >= $2 AND t.group_submission_id IS NOT NULL`, unitID, since) {
		if err != nil {
			return err
		}
		groups[t.ID] = t.Group
	}
	if len(groups) == 0 {
		return nil
	}
	for i := range marks {
		marks[i].Group = groups[marks[i].TaskID]
	}
	return nil
}

// undo takes back what a task got between two rows of its history.
type undo struct{ after, by int64 }

// undos are those of tasks.
type undos map[int64][]undo

// first leaves those marks that are the first on their work and still count.
func (u undos) first(marks []firstMark) []firstMark {
	marks = slices.DeleteFunc(marks, func(m firstMark) bool {
		return len(u) > 0 && slices.ContainsFunc(u[m.TaskID], func(u undo) bool { return u.after < m.ID && m.ID < u.by })
	})
	type work struct {
		task int64
		at   clock.Milli
	}
	at, one := make(map[work]int, len(marks)), marks[:0]
	for _, m := range marks {
		if i, seen := at[work{m.TaskID, m.HandedIn}]; !seen {
			at[work{m.TaskID, m.HandedIn}], one = len(one), append(one, m)
		} else if m.ID < one[i].ID {
			one[i] = m
		}
	}
	marks = one
	return slices.DeleteFunc(marks, func(m firstMark) bool { return m.HandedIn >= m.At })
}

// firstMarksFrom reads the first marks of the tasks t and the rows h of their history that a text finds, in the order
// of time.
func firstMarksFrom(ctx context.Context, q db.Q, from string, args ...any) ([]firstMark, error) {
	out, err := db.All[firstMark](ctx, q, `SELECT t.unit_id, t.task_definition_id, t.id AS task_id,
			coalesce(t.group_submission_id, 0) AS group_id, h.actor_id, h.submitted_at, h.at
		FROM `+from+` AND `+isFirst+` ORDER BY h.at, h.id`, args...)
	return once(out), err
}

// once leaves one of the marks that the tasks of a group got together: that of the oldest task.
func once(marks []firstMark) []firstMark {
	type key struct {
		group int64
		at    clock.Milli
	}
	oldest := map[key]int64{}
	for i := range marks {
		if m := &marks[i]; m.Group != 0 {
			k := key{m.Group, m.At}
			if id, seen := oldest[k]; !seen || m.TaskID < id {
				oldest[k] = m.TaskID
			}
		}
	}
	return slices.DeleteFunc(marks, func(m firstMark) bool {
		return m.Group != 0 && oldest[key{m.Group, m.At}] != m.TaskID
	})
}

// pace works out how soon the work was marked, in all and by task.
func (t *Turnaround) pace(marked []firstMark) {
	all, by := each(marked), map[int64][]*firstMark{}
	for _, m := range all {
		by[m.DefinitionID] = append(by[m.DefinitionID], m)
	}
	t.Pace, t.Weeks = paceOf(took(all), t.promise()), t.byWeek(all)
	for i := range t.Tasks {
		t.Tasks[i].Pace = paceOf(took(by[t.Tasks[i].DefinitionID]), t.promise())
	}
}

// readTutors works out how soon each of the staff marked, and what waits in their tutorials; who
// marked nothing and has nothing to mark is not there.
func (t *Turnaround) readTutors(ctx context.Context, q db.Q, marked []firstMark, shares []queue.Share) (err error) {
	by := map[int64][]*firstMark{}
	for _, m := range each(marked) {
		by[m.UserID] = append(by[m.UserID], m)
	}
	for _, s := range shares {
		if s.TutorID != nil && by[*s.TutorID] == nil {
			by[*s.TutorID] = []*firstMark{}
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
