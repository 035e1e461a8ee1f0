package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
)

func (s *Server) enrolmentRoutes() {
	const path = "/api/units/{unit_id}/tutorials/{tutorial_abbr}/enrolments/{project_id}"
	endpoint.Route(s.Server, "POST "+path, 201, policy.ChangeTutorial, "Enrol a student in a tutorial", s.takeSeat,
		endpoint.Audited(audit.Tutorial), endpoint.Location("/api/projects/{project_id}"),
		endpoint.Also(409, "the tutorial is full, the student is withdrawn or held by a group"),
		endpoint.Also(422, "the tutorial is for another campus"), endpoint.Asks(policy.ExceedCapacity))
	endpoint.Route(s.Server, "DELETE "+path, 204, policy.ChangeTutorial, "Take a student out of a tutorial",
		s.leaveSeat,
		endpoint.Audited(audit.Tutorial),
		endpoint.Also(409, "a group holds the student"))
}

type seatIn struct {
	UnitID    int64  `path:"unit_id" scope:"unit"`
	Abbr      string `path:"tutorial_abbr"`
	ProjectID int64  `path:"project_id" scope:"project"`
}

type seatsAnswer struct {
	Enrolments []enrol.Enrolment `json:"enrolments"`
}

func (s *Server) takeSeat(ctx context.Context, who *access.Caller, in seatIn) (*seatsAnswer, error) {
	return change(ctx, s.db, func(q db.Q) (*seatsAnswer, error) {
		tutorial, err := enrol.TutorialNamed(ctx, q, in.UnitID, in.Abbr)
		if err != nil {
			return nil, err
		}
		if err := enrol.TakeSeat(ctx, q, in.ProjectID, tutorial, who.May(policy.ExceedCapacity)); err != nil {
			return nil, err
		}
		held, err := enrol.EnrolmentsOf(ctx, q, in.ProjectID)
		return &seatsAnswer{held}, err
	})
}

func (s *Server) leaveSeat(ctx context.Context, _ *access.Caller, in seatIn) (endpoint.NoContent, error) {
	return remove(ctx, s.db, func(q db.Q) error {
		tutorial, err := enrol.TutorialNamed(ctx, q, in.UnitID, in.Abbr)
		if err != nil {
			return err
		}
		return enrol.LeaveSeat(ctx, q, in.ProjectID, tutorial)
	})
}
