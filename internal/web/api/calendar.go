package api

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
)

func (s *Server) calendarRoutes() {
	endpoint.Route(s.Server, "GET /api/calendar", 200, policy.SignedIn,
		"Show a month of your own due dates, classes and breaks", s.month)
}

type monthIn struct {
	Month string `param:"month" doc:"such as 2026-03; the present one when absent"`
}

func (s *Server) month(ctx context.Context, who *access.Caller, in monthIn) (*insight.Month, error) {
	day := clock.Day(s.db.Now().Time)
	if in.Month != "" {
		t, err := time.Parse("2006-01", in.Month)
		if err != nil {
			return nil, fault.Field(fault.Invalid, "month", "must be a year and a month, such as 2026-03")
		}
		day = clock.Day(t)
	}
	return view(ctx, s.db, func(q db.Q) (*insight.Month, error) { return insight.MonthOf(ctx, q, who.ID, day) })
}
