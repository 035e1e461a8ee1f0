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
		Teaches: who.MarksOwn()}
}

// Reader is the caller as one side of a conversation: whoever owns the task is
// its student, whatever else they are.
func Reader(who *access.Caller) work.Reader {
	return work.Reader{UserID: who.ID, Staff: who.May(policy.GradeTask), Reasons: who.May(policy.SeeExtensions)}
}

// AsReader are the rights that Reader asks for: whatever shows comments declares them.
var AsReader = []*policy.Right{policy.GradeTask, policy.SeeExtensions}

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

// MoveTask moves, marks or leaves a task of a project out of the portfolio, for whoever holds
// policy.ChangeTask on it; its student and the staff may make other moves. It refuses what
// work.Move refuses: marks by a student, and work that the staff have a part in.
func (s *Service) MoveTask(ctx context.Context, who *access.Caller, at work.TaskRef, c work.Change) (*work.MovedTask,
	error) {
	return change(ctx, s.DB, func(q db.Q) (*work.MovedTask, error) {
		return work.Move(ctx, q, Mover(who), at.ProjectID, at.DefinitionID, c)
	})
}

// PinTask keeps a task at the top of the caller's own inbox, for whoever holds policy.PinTask
// on it; one that is pinned already stays so.
func (s *Service) PinTask(ctx context.Context, who *access.Caller, taskID int64) (work.Pin, error) {
	p := work.Pin{TaskID: taskID, UserID: who.ID}
	return p, s.DB.Brief(ctx, func(q db.Q) error { return work.PinTask(ctx, q, p) })
}

// UnpinTask takes the caller's own pin off a task and those handed in with it, for whoever
// holds policy.PinTask on it. That there was none is no error.
func (s *Service) UnpinTask(ctx context.Context, who *access.Caller, taskID int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		return work.UnpinTask(ctx, q, work.Pin{TaskID: taskID, UserID: who.ID})
	})
}
