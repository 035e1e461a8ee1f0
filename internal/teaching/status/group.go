package status

// Propagate repeats on a group member's task what a move did to the task it
// was made on; from is that task before the move. It tells whether there is
// anything to do. The rules:
//
//   - need_help and working_on_it are a student's own and do not spread.
//   - A member's task that is complete, feedback_exceeded or fail keeps its
//     status; so does one a student of the group may not move.
//   - The larger extension of the two counts for the member, and whether the
//     member is late follows from it.
//   - Grade and quality go to every member, also where the status stays.
//   - Nothing reaches a task its mover owns, if they teach the unit as well.
//   - Files reach no closed task.
//   - Status comments stand only on the task the move was made on.
func Propagate(from Task, m Move, member Task, moverOwns bool) (Plan, bool) {
	m = from.unsaid(m)
	to, err := m.read()
	if err != nil || moverOwns {
		return Plan{}, false
	}
	if m.By == Student {
		m.By = GroupMember
	}
	if to != "" && !to.row().is(alone) && !member.Status.row().is(final) {
		if p, err := Decide(member.joining(from, to), m); err == nil && !(m.Upload && Closed.Has(member.Status)) {
			return p.Quiet(), true
		}
	}
	return member.marksOnly(m)
}

// joining is the member's task with what it takes over from the task the
// group's move was made on: a larger extension, and marks it has not itself.
func (t Task) joining(from Task, to Status) Task {
	t.Extensions = max(t.Extensions, from.Extensions)
	t.InGroup = true
	if to.row().does != pass {
		return t
	}
	if t.Grade == nil {
		t.Grade, t.GradedLate = from.Grade, from.GradedLate
	}
	if t.Quality < 0 {
		t.Quality = from.Quality
	}
	return t
}

// marksOnly gives the marks of a move to a task whose status stays.
func (t Task) marksOnly(m Move) (Plan, bool) {
	if m.By != Staff || m.Grade == nil && m.Quality == nil || t.placeForMarks(m) != nil {
		return Plan{After: t.State}, false
	}
	t.takeMarks(m)
	return Plan{After: t.State}, true
}
