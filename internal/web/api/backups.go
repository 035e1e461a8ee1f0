package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/backup"
	"lectern/internal/web/endpoint"
)

func (s *Server) backupRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/backups", 200, policy.SeeBackups,
		"Tell when the last backup was made, how large it is, and whether a try failed since", s.getBackups)
}

func (s *Server) getBackups(ctx context.Context, _ *access.Caller, _ none) (*backup.State, error) {
	return backup.StateOf(ctx, s.db.Pool())
}
