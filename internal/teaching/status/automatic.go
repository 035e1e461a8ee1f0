package status

import "lectern/internal/ground/clock"

// WeekEnd completes a task that waited for a talk in class. Its grade and
// quality stay. It tells whether there was anything to do.
func WeekEnd(t Task, at clock.Time) (Plan, bool) {
	if t.Status != Discuss && t.Status != Demonstrate {
		return Plan{}, false
	}
	return t.assess(Complete, at, Mover), true
}

// Extended takes a task whose extension was just granted back to ready for
// feedback, if it was only late and is no longer: the fail that lateness gave
// is withdrawn. It tells whether there was anything to do.
func Extended(t Task) (Plan, bool) {
	if t.Status != TimeExceeded || t.SubmittedAt == nil || !t.dates().OnTime(t.SubmittedAt.Time) {
		return Plan{}, false
	}
	t.Status = ReadyForFeedback
	t.withdrawLateGrade()
	return Plan{After: t.State, Entries: []Entry{{ReadyForFeedback, Mover, true}}}, true
}

// Unreadable sends a task back whose files could not be made into a document,
// in the name of the tutor. New evidence for a closed task does not reopen it
// by being unreadable. It tells whether there was anything to do.
func Unreadable(t Task, at clock.Time) (Plan, bool) {
	if Closed.Has(t.Status) {
		return Plan{}, false
	}
	return t.assess(FixAndResubmit, at, Tutor), true
}

// ByAssessment moves work that waits for feedback where an automated assessment sends
// it, in the name of the tutor; nobody is its assessor. Work that has been marked
// or taken back meanwhile stays, and so does a task that needs marks only staff
// can give. It tells whether there was anything to do.
func ByAssessment(t Task, to Status, at clock.Time) (Plan, bool) {
	if t.Status != ReadyForFeedback || !Automatable.Has(to) || t.checkMarks(Move{}, to) != nil {
		return Plan{}, false
	}
	return t.assess(to, at, Tutor), true
}
