package status

import (
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
)

// Decide says what a move changes and records, or why it must not be: Invalid
// for an unknown word or a mark that is missing or out of range, Denied for
// what the actor may never do, Conflict for what the present status forbids,
// Refused for a mark that the task's definition has no place for. Nobody is
// refused for a mark that the task has already.
//
// An upload is never refused for the status of its task: where the status may
// not change, the plan only notes the files.
func Decide(t Task, m Move) (Plan, error) {
	m = t.unsaid(m)
	to, err := m.read()
	if err != nil {
		return Plan{}, err
	}
	if err := t.permit(m, to); err != nil {
		return Plan{}, err
	}
	if err := t.checkMarks(m, to); err != nil {
		return Plan{}, err
	}
	if err := t.locked(m); err != nil && to != "" {
		if m.Upload {
			return Plan{After: t.noteFiles(m)}, nil
		}
		return Plan{}, err
	}
	return t.carryOut(m, to), nil
}

// unsaid leaves out of a move the marks that were only sent back: those the task
// has already, from someone who could not give them or where they have no place.
func (t Task) unsaid(m Move) Move {
	if m.Grade != nil && t.Grade != nil && *m.Grade == *t.Grade && (m.By != Staff || !t.Graded) {
		m.Grade = nil
	}
	if m.Quality != nil && *m.Quality == t.Quality && (m.By != Staff || t.MaxQuality == 0) {
		m.Quality = nil
	}
	return m
}

// read checks what needs no task to be checked.
func (m Move) read() (Status, error) {
	if m.Grade != nil && !m.Grade.Valid() {
		return "", fault.Field(fault.Invalid, "grade", "must be from %d (fail) to %d (high distinction)", grade.Lowest,
			grade.Highest)
	}
	if m.Word == "" {
		return "", nil
	}
	to, ok := Parse(m.Word)
	if !ok {
		return "", fault.Field(fault.Invalid, "trigger", "%q is not a task status: use one such as %s, %s or %s",
			m.Word, WorkingOnIt, ReadyForFeedback, Complete)
	}
	return to, nil
}

// permit refuses what this actor may never do with this task.
func (t Task) permit(m Move, to Status) error {
	switch {
	case m.By == None:
		return fault.New(fault.Denied, "You have no part in this task.")
	case m.By != Staff && m.Grade != nil:
		return m.staffOnly("grade a task")
	case m.By != Staff && m.Quality != nil:
		return m.staffOnly("rate the quality of a task")
	case to == "":
		return nil
	case m.By != Staff && !to.row().is(byStudents):
		return m.staffOnly("set a task to " + to.Name())
	case t.Group && !t.InGroup:
		return fault.About(fault.Denied, "This is a group task and the student has no group. Add them to one first.",
			"This is a group task and you have no group. Join one first.")
	case to == ReadyForFeedback && t.NeedsFiles && !m.Upload:
		return fault.New(fault.Denied, "This task needs files. Upload them to set it to %s.", to.Name())
	}
	return nil
}

// staffOnly is the refusal of what only staff can do, and not with their own work.
func (m Move) staffOnly(what string) error {
	if m.Teaches {
		return fault.New(fault.Denied, "This is your own work, so another member of staff has to do that.")
	}
	return fault.New(fault.Denied, "Only teaching staff can %s.", what)
}

// checkMarks refuses marks the task cannot take, and asks staff for the grade and
// quality a finished one must have.
func (t Task) checkMarks(m Move, to Status) error {
	if err := t.placeForMarks(m); err != nil || to == "" || to.row().does != pass {
		return err
	}
	if t.Graded && t.Grade == nil && m.Grade == nil {
		return fault.Field(fault.Invalid, "grade", "is required to set this task to %s", to.Name())
	}
	if t.MaxQuality > 0 && m.Quality == nil && t.Quality < 0 {
		return fault.Field(fault.Invalid, "quality_pts", "is required to set this task to %s", to.Name())
	}
	return nil
}

// placeForMarks refuses marks that the task's definition does not provide for.
func (t Task) placeForMarks(m Move) error {
	switch {
	case m.Grade != nil && !t.Graded:
		return fault.Field(fault.Refused, "grade", "cannot be given: this task is not graded")
	case m.Quality != nil && t.MaxQuality == 0:
		return fault.Field(fault.Refused, "quality_pts", "cannot be given: this task has no quality points")
	case m.Quality != nil && (*m.Quality < -1 || *m.Quality > t.MaxQuality):
		return fault.Field(fault.Invalid, "quality_pts", "must be from 0 to %d, or -1 for not rated", t.MaxQuality)
	}
	return nil
}

// locked tells why the present status keeps a student from moving the task.
// Files uploaded to a closed task never reopen it, whoever brings them.
func (t Task) locked(m Move) error {
	now := t.Status.row()
	if now.is(closed) && (m.By != Staff || m.Upload) {
		return fault.New(fault.Conflict, "This task is closed (%s). Ask your tutor to reopen it.", now.name)
	}
	if now.is(assigned) && t.Restricted && m.By != Staff {
		return fault.New(fault.Conflict, "This task is %s, and only teaching staff can change that.", now.name)
	}
	return nil
}

// carryOut makes the plan of a move that is allowed.
func (t Task) carryOut(m Move, to Status) Plan {
	t.State = t.noteFiles(m)
	t.takeMarks(m)
	if to == "" {
		return Plan{After: t.State}
	}
	switch to.row().does {
	case submit:
		return t.handIn(m.At)
	case pass, back:
		return t.assess(to, m.At, Mover)
	}
	if to == t.Status && !m.Upload {
		return Plan{After: t.State}
	}
	t.Status = to
	return Plan{After: t.State, Entries: []Entry{{to, Mover, true}}}
}

// takeMarks gives the state the marks of a move, which placeForMarks let pass.
func (s *State) takeMarks(m Move) {
	if m.Grade != nil {
		s.Grade, s.GradedLate = m.Grade, false
	}
	if m.Quality != nil {
		s.Quality = *m.Quality
	}
}

// noteFiles is the state with an upload noted, if there is one.
func (t Task) noteFiles(m Move) State {
	if m.Upload {
		t.UploadedAt, t.SubmittedAt = &m.At, &m.At
	}
	return t.State
}

// handIn makes a task ready for feedback, or time_exceeded when it is late. A
// fail that lateness gave before falls with work that is on time.
func (t Task) handIn(at clock.Time) Plan {
	t.SubmittedAt = &at
	handed := Entry{ReadyForFeedback, Mover, true}
	if !t.dates().OnTime(at.Time) {
		return t.exceed(handed, at)
	}
	t.Status = ReadyForFeedback
	t.withdrawLateGrade()
	return Plan{After: t.State, Entries: []Entry{handed}, Row: t.handInRow(at)}
}

// exceed assesses late work as time_exceeded on the spot, in the name of the
// tutor; nobody is its assessor. A graded task without a grade fails.
func (t Task) exceed(handed Entry, at clock.Time) Plan {
	if t.Graded && t.Grade == nil {
		t.Grade, t.GradedLate = new(grade.Fail), true
	}
	row := t.handInRow(at)
	row.AssessedAt, row.Outcome = &at, TimeExceeded
	return Plan{
		After:   t.assessed(TimeExceeded, at),
		Entries: []Entry{handed, {TimeExceeded, Tutor, true}},
		Row:     row,
	}
}

// assess records a mark given by staff.
func (t Task) assess(to Status, at clock.Time, by Author) Plan {
	row := &Row{New: true, AssessedAt: &at, Outcome: to, Assessor: by}
	after := t.assessed(to, at)
	row.SubmittedAt = *after.SubmittedAt
	if t.Last != nil && !t.Last.Assessed {
		row.New, row.SubmittedAt = false, t.Last.At
	}
	return Plan{After: after, Entries: []Entry{{to, by, true}}, Row: row}
}

// assessed is the task after a mark. Marking the same submission again
// does not count as another assessment.
func (t Task) assessed(to Status, at clock.Time) State {
	if t.SubmittedAt == nil {
		t.SubmittedAt = &at
	}
	if t.AssessedAt == nil || t.SubmittedAt.After(t.AssessedAt.Time) {
		t.TimesAssessed++
	}
	t.Status, t.AssessedAt = to, &at
	switch {
	case to.row().does != pass:
		t.CompletedOn = nil
	case t.CompletedOn == nil:
		t.CompletedOn = t.day(at)
	}
	if to == FixAndResubmit {
		t.Extensions += t.dates().OnResubmit(at.Time, t.WeeksOnResubmit)
	}
	return t.State
}

// sameSubmission is how long a submission handed in again is still the same
// one, if nobody has looked at it meanwhile.
const sameSubmission = time.Hour

func (t Task) handInRow(at clock.Time) *Row {
	same := t.Last != nil && !t.Last.Assessed && at.Sub(t.Last.At.Time) < sameSubmission
	return &Row{New: !same, SubmittedAt: at}
}

func (s *State) withdrawLateGrade() {
	if s.GradedLate {
		s.Grade, s.GradedLate = nil, false
	}
}
