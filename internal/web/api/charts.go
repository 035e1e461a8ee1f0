package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
)

func (s *Server) chartRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/charts/{name}", 200, policy.ReadStatistics,
		"Draw a statistic of a unit as SVG", s.drawChart)
	endpoint.Route(s.Server, "GET /api/units/{id}/charts/{name}/table", 200, policy.ReadStatistics,
		"Give what a chart of a unit shows as a plain table, for who cannot see it", s.chartTable)
	endpoint.Route(s.Server, "GET /api/projects/{id}/burndown", 200, policy.ReadProject,
		"Show how the work of a project shrinks; as a picture where Accept names image/svg+xml", s.burndown)
}

type chartIn struct {
	unitIn
	Name string `path:"name" enum:"completion,statuses,targets"`
}

func (s *Server) drawChart(ctx context.Context, _ *access.Caller, in chartIn) (endpoint.Picture, error) {
	c, err := s.chart(ctx, in)
	if err != nil {
		return nil, err
	}
	return c.SVG(), nil
}

func (s *Server) chartTable(ctx context.Context, _ *access.Caller, in chartIn) (chart.Table, error) {
	c, err := s.chart(ctx, in)
	if err != nil {
		return chart.Table{}, err
	}
	return c.Table(), nil
}

func (s *Server) chart(ctx context.Context, in chartIn) (insight.Chart, error) {
	return view(ctx, s.db, func(q db.Q) (insight.Chart, error) { return insight.ChartOf(ctx, q, in.ID, in.Name) })
}

func (s *Server) burndown(ctx context.Context, _ *access.Caller, in projectIn) (out endpoint.Drawn[*insight.Burndown],
	err error) {
	b, err := view(ctx, s.db, func(q db.Q) (*insight.Burndown, error) {
		return insight.BurndownOf(ctx, q, in.ID, nil)
	})
	draw := func() endpoint.Picture { return b.SVG(chart.EnglishBurndown) }
	return endpoint.Drawn[*insight.Burndown]{Data: b, Draw: draw}, err
}
