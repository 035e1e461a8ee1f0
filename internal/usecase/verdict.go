package usecase

import (
	"context"
	"errors"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// GiveVerdict gives a verdict on a task: a comment, a move and marks, all or nothing. It
// needs the rights to change and grade the task, and to comment on it where there is a
// comment.
func (s *Service) GiveVerdict(ctx context.Context, who *access.Caller, at work.TaskRef,
	v work.Verdict) (*work.Given, error) {
	if err := mayJudge(who, v.Comment != ""); err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Given, error) { return work.GiveVerdict(ctx, q, Mover(who), at, v) })
}

// UndoVerdict takes a verdict of the caller's own back. It needs what giving it needed.
func (s *Service) UndoVerdict(ctx context.Context, who *access.Caller, id int64) (*work.Undone, error) {
	if err := mayJudge(who, true); err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*work.Undone, error) {
		return work.UndoVerdict(ctx, q, Mover(who), who.UnitID, id)
	})
}

// errPlanned ends the transaction of a plan, so that nothing of it is kept.
var errPlanned = errors.New("this was a plan")

// PlanVerdicts tells what GiveVerdicts would come to, and changes nothing: it is the same
// up to the commit.
func (s *Service) PlanVerdicts(ctx context.Context, who *access.Caller, unitID int64, v work.Verdict,
	tasks []work.TaskVersion) (out *work.Batch, err error) {
	if err := mayJudge(who, v.Comment != ""); err != nil {
		return nil, err
	}
	v.Key = ""
	err = s.DB.Tx(ctx, func(q db.Q) error {
		if out, err = work.GiveVerdicts(ctx, q, Mover(who), unitID, v, tasks); err != nil {
			return err
		}
		return errPlanned
	})
	if !errors.Is(err, errPlanned) {
		return nil, err
	}
	out.ID = nil
	for i := range out.Tasks {
		out.Tasks[i].VerdictID = nil
	}
	return out, nil
}

// GiveVerdicts gives one verdict on many tasks of a unit, wherever it can be given, in one
// transaction. It needs what GiveVerdict needs, in the unit.
func (s *Service) GiveVerdicts(ctx context.Context, who *access.Caller, unitID int64, v work.Verdict,
	tasks []work.TaskVersion) (out *work.Batch, err error) {
	if err := mayJudge(who, v.Comment != ""); err != nil {
		return nil, err
	}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		out, err = work.GiveVerdicts(ctx, q, Mover(who), unitID, v, tasks)
		return err
	})
	return out, err
}

// UndoVerdicts takes the verdicts of a batch of the caller's own back, wherever that can
// be done, in one transaction.
func (s *Service) UndoVerdicts(ctx context.Context, who *access.Caller, id int64) (out *work.UndoneBatch, err error) {
	if err := mayJudge(who, true); err != nil {
		return nil, err
	}
	err = s.DB.Tx(ctx, func(q db.Q) error {
		out, err = work.UndoVerdicts(ctx, q, Mover(who), who.UnitID, id)
		return err
	})
	return out, err
}

// mayJudge tells whether the caller may give a verdict, with a comment or without.
func mayJudge(who *access.Caller, comments bool) error {
	rights := []*policy.Right{policy.GradeTask, policy.ChangeTask}
	if comments {
		rights = append(rights, policy.Comment)
	}
	for _, r := range rights {
		if err := who.Must(r); err != nil {
			return err
		}
	}
	return nil
}
