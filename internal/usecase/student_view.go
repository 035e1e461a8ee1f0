package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// StartView lets one of the staff, who holds policy.SeeAsStudent on a project, look at it as
// its student does, to read only, in this session, for as long as a view lasts. It is written
// to the audit log.
func (s *Service) StartView(ctx context.Context, who *access.Caller, projectID int64) (*ident.StudentView, error) {
	return change(ctx, s.DB, func(q db.Q) (*ident.StudentView, error) {
		return ident.StartView(ctx, q, who, projectID)
	})
}

// EndView ends a view of the caller's own session, which is written to the audit log. One of
// another session, or that has ended, is fault.Missing.
func (s *Service) EndView(ctx context.Context, who *access.Caller, id int64) (*ident.StudentView, error) {
	return change(ctx, s.DB, func(q db.Q) (*ident.StudentView, error) { return ident.EndView(ctx, q, who, id) })
}
