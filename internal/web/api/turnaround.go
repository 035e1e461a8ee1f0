package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
)

func (s *Server) turnaroundRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/turnaround", 200, policy.ReadStatistics,
		"Tell how long work of a unit waits and how soon it was marked in the last four weeks", s.turnaround,
		endpoint.Asks(policy.SeeTutorPace))
}

func (s *Server) turnaround(ctx context.Context, who *access.Caller, in unitIn) (*insight.Turnaround, error) {
	return view(ctx, s.db, func(q db.Q) (*insight.Turnaround, error) {
		t, err := insight.TurnaroundOf(ctx, q, in.ID, who.ID, who.May(policy.SeeTutorPace))
		if err != nil {
			return nil, err
		}
		return t, t.CountToAnswer(ctx, q, in.ID, who.ID)
	})
}
