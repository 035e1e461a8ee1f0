package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) readinessRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/readiness", 200, policy.SeeReadiness,
		"Tell what a unit has and still lacks before its students can begin", s.readiness)
}

func (s *Server) readiness(ctx context.Context, _ *access.Caller, in unitIn) (*usecase.Readiness, error) {
	return view(ctx, s.db, func(q db.Q) (*usecase.Readiness, error) { return usecase.ReadinessOf(ctx, q, in.ID) })
}
