package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) enrolmentRoutes() {
	const path = "/api/units/{unit_id}/tutorials/{tutorial_abbr}/enrolments/{project_id}"
	endpoint.Route(s.Server, "POST "+path, 201, policy.ChangeTutorial, "Enrol a student in a tutorial", s.joinTutorial,
		endpoint.Audited(audit.Tutorial), endpoint.Location("/api/projects/{project_id}"),
		endpoint.Also(409, "the tutorial is full, the student is withdrawn or held by a group"),
		endpoint.Also(422, "the tutorial is for another campus"), endpoint.Asks(policy.ExceedCapacity))
	endpoint.Route(s.Server, "DELETE "+path, 204, policy.ChangeTutorial, "Take a student out of a tutorial",
		s.leaveTutorial,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "a group holds the student"))
}

type placeIn struct {
	UnitID    int64  `path:"unit_id" scope:"unit"`
	Abbr      string `path:"tutorial_abbr"`
	ProjectID int64  `path:"project_id" scope:"project"`
}

func (in placeIn) place() usecase.TutorialPlace {
	return usecase.TutorialPlace{ProjectID: in.ProjectID, UnitID: in.UnitID, Abbreviation: in.Abbr}
}

type enrolmentsAnswer struct {
	Enrolments []enrol.Enrolment `json:"enrolments"`
}

func (s *Server) joinTutorial(ctx context.Context, who *access.Caller, in placeIn) (*enrolmentsAnswer, error) {
	held, err := s.usecases.JoinTutorial(ctx, who, in.place())
	return &enrolmentsAnswer{held}, err
}

func (s *Server) leaveTutorial(ctx context.Context, _ *access.Caller, in placeIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.LeaveTutorial(ctx, in.place())
}
