package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Mover is the caller as one who moves a task: whoever owns it is its student.
func Mover(who *access.Caller) work.Mover {
	return work.Mover{UserID: who.ID, As: status.ActorOn(who.OwnerID == who.ID, who.May(policy.GradeTask), false),
		Teaches: who.JudgesOwn()}
}

// Reader is the caller as one side of a conversation: whoever owns the task is
// its student, whatever else they are.
func Reader(who *access.Caller) work.Reader {
	return work.Reader{UserID: who.ID, Staff: who.May(policy.GradeTask)}
}

// TasksOfUnit lists the tasks of a unit with how many there are: all of them for
// whoever may list its students, for others their own.
func TasksOfUnit(ctx context.Context, q db.Q, who *access.Caller, unitID int64, p db.Page) ([]work.UnitTask, int64,
	error) {
	student := who.ID
	if who.May(policy.ListStudents) {
		student = 0
	}
	return work.TasksOfUnit(ctx, q, unitID, student, p)
}
