package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

func (s *Server) unitAccessRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/access", 200, policy.SeeAccess,
		"List who can see a unit, and why", s.listReaders)
}

type listReadersIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	paging
}

func (s *Server) listReaders(ctx context.Context, _ *access.Caller,
	in listReadersIn) (endpoint.List[access.Reader], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]access.Reader, int64, error) {
		return access.Readers(ctx, q, in.UnitID, p)
	})
}
