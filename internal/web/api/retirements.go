package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
)

const retirementsPath = "/api/units/{unit_id}/retirements"

func (s *Server) retirementRoutes() {
	endpoint.Route(s.Server, "GET "+retirementsPath, 200, policy.SeeDeleted,
		"List what was decided on the work of a unit that is over", s.listRetirements)
	endpoint.Route(s.Server, "GET "+retirementsPath+"/plan", 200, policy.SeeDeleted,
		"Count the work of a unit that would be anonymised or deleted, and what stays", s.planRetirement)
	endpoint.Route(s.Server, "POST "+retirementsPath, 201, policy.DeleteWork,
		"Decide what becomes of the work of a unit that is over", s.retireUnit, endpoint.Audited(audit.Unit),
		endpoint.Also(409, "the unit is not over, its work has changed since the plan, or a decision is under way"))
	endpoint.Route(s.Server, "POST "+retirementsPath+"/{id}/undo", 200, policy.DeleteWork,
		"Bring back the work of a unit that was anonymised or deleted, within 30 days", s.undoRetirement, endpoint.Audited(audit.Unit),
		endpoint.Also(404, "there is no such retirement"), endpoint.Also(409, "it is not done, or was undone, or is too old"))
}

type listRetirementsIn struct {
	underUnit
	paging
}

func (s *Server) listRetirements(ctx context.Context, _ *access.Caller,
	in listRetirementsIn) (endpoint.List[trash.Retirement], error) {
	list, err := trash.Retirements(ctx, s.db.Pool(), in.UnitID)
	return short(in.paging, list, err)
}

func (s *Server) planRetirement(ctx context.Context, _ *access.Caller, in underUnit) (*trash.RetirementPlan, error) {
	return view(ctx, s.db, func(q db.Q) (*trash.RetirementPlan, error) { return trash.PlanOf(ctx, q, in.UnitID) })
}

type retireIn struct {
	underUnit
	Plan        trash.Plan `param:"plan,required" enum:"" doc:"what is done with the work of students"`
	Confirm     string     `param:"confirm,required" doc:"the code of the unit, once more"`
	Submissions int64      `param:"submissions" doc:"how many the plan counted; 409 where there are others now"`
	Comments    int64      `param:"comments" doc:"how many comments the plan counted; 409 where there are others now"`
	Portfolios  int64      `param:"portfolios" doc:"how many portfolios the plan counted; 409 where there are others now"`
}

func (s *Server) retireUnit(ctx context.Context, who *access.Caller, in retireIn) (*trash.Retirement, error) {
	return s.usecases.RetireUnit(ctx, who, in.UnitID, trash.Intent{Plan: in.Plan, Confirm: in.Confirm,
		Submissions: in.Submissions, Comments: in.Comments, Portfolios: in.Portfolios})
}

type undoRetirementIn struct {
	underUnit
	ID int64 `path:"id"`
}

func (s *Server) undoRetirement(ctx context.Context, who *access.Caller,
	in undoRetirementIn) (*trash.Retirement, error) {
	return s.usecases.UndoRetirement(ctx, who, in.UnitID, in.ID)
}
