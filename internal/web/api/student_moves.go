package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) studentMoveRoutes() {
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/students/move", 200, policy.ChangeEnrolments,
		"Change campus, tutorials or enrolment of students of a unit, or plan it", s.moveStudents,
		endpoint.Audited(audit.Enrolment, audit.Tutorial),
		endpoint.Also(404, "a student or a tutorial is not of this unit, or there is no such campus"),
		endpoint.Also(409, "something is no longer as it was seen or planned, or more than one in twenty would be "+
			"withdrawn and confirm_withdrawals is not their number"),
		endpoint.Also(422, "no student, too many, or nothing to change"))
}

type moveStudentsIn struct {
	UnitID    int64             `path:"unit_id" scope:"unit"`
	Projects  []int64           `param:"project_ids,required" doc:"the projects of the students, at most 1000"`
	Enrolled  params.Opt[bool]  `param:"enrolled" doc:"false withdraws them, true enrols them again"`
	CampusID  params.Opt[int64] `param:"campus_id" null:"clears" doc:"-1 or null: none"`
	Join      []int64           `param:"tutorial_ids" doc:"tutorials they move to, each in place of the one of its stream"`
	Leave     []int64           `param:"leave_tutorial_ids" doc:"tutorials they leave"`
	Exceed    bool              `param:"exceed_capacity" doc:"full tutorials take more"`
	DryRun    bool              `param:"dry_run" doc:"report the same and change nothing"`
	Plan      string            `param:"plan" doc:"the sign of a dry run; if something else would come of it now, nothing changes"`
	Confirmed params.Opt[int64] `param:"confirm_withdrawals" doc:"how many are withdrawn; needed for more than one in twenty"`

	SeenCampus    params.Opt[int64]   `param:"seen_campus_id" null:"clears" doc:"the campus of the one student as you saw it; -1 or null: none"`
	SeenTutorials params.Opt[[]int64] `param:"seen_tutorial_ids" doc:"the tutorials of the one student as you saw them"`
}

func (s *Server) moveStudents(ctx context.Context, who *access.Caller, in moveStudentsIn) (*enrol.Moved, error) {
	m := enrol.Move{Projects: in.Projects, Enrolled: in.Enrolled.Ptr(), CampusID: orNone(in.CampusID, -1),
		Join: in.Join, Leave: in.Leave, Exceed: in.Exceed, Plan: in.Plan, Confirmed: in.Confirmed.Ptr()}
	if in.SeenCampus.Set || in.SeenTutorials.Set {
		m.Seen = &enrol.Places{Tutorials: in.SeenTutorials.V}
		if in.SeenCampus.V > 0 {
			m.Seen.CampusID = &in.SeenCampus.V
		}
	}
	if in.DryRun {
		return s.usecases.PlanMove(ctx, who, in.UnitID, m)
	}
	return s.usecases.MoveStudents(ctx, who, in.UnitID, m)
}
