package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/work"
)

// LookAtTask notes that the caller, who holds policy.SeePresence on a task, looks at it, for
// as long as presence.Lasts, and tells who else on the staff does.
func (s *Service) LookAtTask(ctx context.Context, who *access.Caller, at work.TaskRef) ([]presence.Looker, error) {
	return change(ctx, s.DB, func(q db.Q) ([]presence.Looker, error) {
		if err := presence.Look(ctx, q, who.ID, presence.Task(at)); err != nil {
			return nil, err
		}
		return presence.Others(ctx, q, who.ID, presence.Task(at))
	})
}

// StopLooking notes that the caller, who holds policy.SeePresence on a task, looks at it no
// more. That they did not is no error.
func (s *Service) StopLooking(ctx context.Context, who *access.Caller, at work.TaskRef) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return presence.Leave(ctx, q, who.ID, presence.Task(at)) })
}
