package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/db"
	"lectern/internal/policy"
	"lectern/internal/usecase"
)

// projectPartRoutes declares what a student chooses from in a unit, as it stands for
// their project.
func (s *Server) projectPartRoutes() {
	endpoint.Route(s.Server, "GET /api/projects/{id}/outcomes", 200, policy.ReadProject,
		"List the outcomes of a student's unit, and how their tasks serve them", s.projectOutcomes,
		endpoint.Asks(policy.ReadUnit))
}

type projectPartIn struct {
	projectIn
	paging
}

func (s *Server) projectOutcomes(ctx context.Context, who *access.Caller,
	in projectPartIn) (endpoint.List[usecase.ProjectOutcome], error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]usecase.ProjectOutcome, error) {
		return usecase.OutcomesOf(ctx, q, who, in.ID)
	})
	return short(in.paging, list, err)
}
