package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) healthRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/health", 200, policy.SeeService,
		"Tell how the service is doing: versions, what its checks found and what to do, jobs, emails, webhooks, disk "+
			"and backups", s.getHealth, endpoint.Asks(policy.SeeBackups))
}

type healthIn struct {
	Again bool `param:"again" doc:"check everything anew first, and wait for it for some seconds; otherwise what is known is told with its age"`
}

func (s *Server) getHealth(ctx context.Context, who *access.Caller, in healthIn) (*usecase.Health, error) {
	return s.usecases.HealthOf(ctx, who, in.Again)
}
