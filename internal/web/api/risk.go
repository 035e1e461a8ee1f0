package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) riskRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/students_at_risk", 200, policy.SeeAtRisk, "List the students of a unit "+
		"who are at risk now, with the reasons: all for convenors, for tutors those of their tutorials", s.atRisk,
		endpoint.Asks(policy.SeeAllAtRisk, policy.ListStudents))
}

type atRiskIn struct {
	unitIn
	TutorialID params.Opt[int64]          `param:"tutorial_id" doc:"of one tutorial; 0: without any"`
	Reason     params.Opt[insight.Reason] `param:"reason" enum:"" doc:"only those for whom it holds; any when absent"`
	paging
}

func (s *Server) atRisk(ctx context.Context, who *access.Caller, in atRiskIn) (endpoint.List[insight.AtRisk], error) {
	search, err := usecase.RiskSearch(who, in.ID)
	if err != nil {
		return endpoint.List[insight.AtRisk]{}, err
	}
	search.TutorialID, search.Reason = in.TutorialID.Ptr(), in.Reason.V
	list, err := view(ctx, s.db, func(q db.Q) ([]insight.AtRisk, error) { return search.Students(ctx, q) })
	return short(in.paging, list, err)
}
