package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// projectPartRoutes declares what a student chooses from in a unit, as it stands for
// their project.
func (s *Server) projectPartRoutes() {
	endpoint.Route(s.Server, "GET /api/projects/{id}/outcomes", 200, policy.ReadProject,
		"List the outcomes of a student's unit, and how their tasks serve them", s.projectOutcomes,
		endpoint.Asks(policy.ReadUnit))
	endpoint.Route(s.Server, "GET /api/projects/{id}/tutorials", 200, policy.ReadProject,
		"List the tutorials a student can choose from, and why not", s.projectTutorials,
		endpoint.Asks(policy.ReadUnit, policy.ExceedCapacity, policy.ChangeTutorial))
	endpoint.Route(s.Server, "GET /api/projects/{id}/groups", 200, policy.ReadProject,
		"List the groups a student can choose from, and why not", s.projectGroups,
		endpoint.Asks(policy.ReadUnit, policy.ListGroups, policy.OverfillGroup, policy.CreateGroups,
			policy.ChangeGroup, policy.EditGroup, policy.ReadMembers))
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

func (s *Server) projectTutorials(ctx context.Context, who *access.Caller,
	in projectPartIn) (endpoint.List[enrol.Choice], error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]enrol.Choice, error) {
		return usecase.TutorialChoices(ctx, q, who, in.ID)
	})
	return short(in.paging, list, err)
}

func (s *Server) projectGroups(ctx context.Context, who *access.Caller,
	in projectPartIn) (endpoint.List[usecase.GroupSetChoice], error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]usecase.GroupSetChoice, error) {
		return usecase.GroupChoices(ctx, q, who, in.ID)
	})
	return short(in.paging, list, err)
}
