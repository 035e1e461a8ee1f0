package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) classChartRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/burndown", 200, policy.ReadStatistics, "Show how the work of the "+
		"students of a unit or a tutorial shrinks; as a picture where Accept names image/svg+xml", s.classBurndown)
	endpoint.Route(s.Server, "GET /api/units/{id}/rubric_insight", 200, policy.ReadStatistics, "Tell where the students "+
		"of a unit or a tutorial lose points, by criterion, level and week; for convenors by tutor, too", s.rubricInsight,
		endpoint.Asks(policy.SeeTutorPace))
	endpoint.Route(s.Server, "GET /api/csv/units/{id}/charts/{name}", 200, policy.ReadStatistics,
		"Download what a chart of a unit or a tutorial shows as CSV; turnaround and rubric-tutors are for convenors",
		exported(s, "charts", s.exportChart), endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet,
		endpoint.Asks(policy.SeeTutorPace))
}

type classIn struct {
	unitIn
	TutorialID params.Opt[int64] `param:"tutorial_id" doc:"of one tutorial of the unit; all students when absent"`
}

func (in classIn) class() insight.Class {
	return insight.Class{UnitID: in.ID, TutorialID: in.TutorialID.Ptr()}
}

func (s *Server) classBurndown(ctx context.Context, _ *access.Caller, in classIn) (
	out endpoint.Drawn[*insight.ClassBurndown], err error) {
	b, err := view(ctx, s.db, func(q db.Q) (*insight.ClassBurndown, error) {
		if err := in.class().Check(ctx, q); err != nil {
			return nil, err
		}
		return in.class().Burndown(ctx, q)
	})
	draw := func() endpoint.Picture { return b.SVG(chart.EnglishBurndown) }
	return endpoint.Drawn[*insight.ClassBurndown]{Data: b, Draw: draw}, err
}

type rubricInsightIn struct {
	classIn
	DefinitionID int64 `param:"task_definition_id" scope:"definition,optional" doc:"only this task; all with a rubric when absent"`
}

func (s *Server) rubricInsight(ctx context.Context, who *access.Caller, in rubricInsightIn) (*insight.ByRubric, error) {
	return view(ctx, s.db, func(q db.Q) (*insight.ByRubric, error) {
		return usecase.RubricInsight(ctx, q, who, insight.RubricSearch{Class: in.class(), DefinitionID: in.DefinitionID})
	})
}

type exportChartIn struct {
	classIn
	Name         string `path:"name" enum:"completion,statuses,tutorials,burndown,turnaround,targets,outcomes,rubrics,rubric-weeks,rubric-tutors"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional" doc:"of the charts by rubric: only this task"`
}

func (s *Server) exportChart(ctx context.Context, who *access.Caller, in exportChartIn) (*endpoint.File, error) {
	return s.unitSheet(ctx, in.ID, "-"+in.Name+".csv", func(q db.Q, _ string) (func(io.Writer) error, error) {
		t, err := usecase.ClassTable(ctx, q, who, in.class(), in.DefinitionID, in.Name)
		return func(w io.Writer) error { return insight.WriteTable(w, t) }, err
	})
}
