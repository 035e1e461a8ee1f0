package usecase

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/db"
	"lectern/internal/policy"
	"lectern/internal/work"
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
