package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) rolloverRoutes() {
	endpoint.Route(s.Server, "POST /api/units/{id}/rollover", 201, policy.RolloverUnit,
		"Copy a unit into another teaching period", s.rolloverUnit,
		endpoint.Audited(audit.Unit),
		endpoint.Location("/api/units/{.id}"), endpoint.Also(409, "the period has a unit of that code"),
		endpoint.Also(422, "dates out of order or outside the period"), endpoint.Asks(unitParts...),
		endpoint.Costs(endpoint.Rollovers))
	endpoint.Route(s.Server, "POST /api/units/{id}/rollover/plan", 200, policy.RolloverUnit,
		"Tell what copying a unit into another teaching period would make, and change nothing", s.planRollover,
		endpoint.Unaudited("a plan changes nothing"), endpoint.Also(409, "the period has a unit of that code"),
		endpoint.Also(422, "dates out of order or outside the period"), endpoint.Asks(unitParts...),
		endpoint.Costs(endpoint.Rollovers))
	endpoint.Route(s.Server, "POST /api/teaching_periods/{existing_teaching_period_id}/rollover", 200,
		policy.RolloverPeriod,
		"Copy the units of a teaching period into a later one", s.rolloverPeriod,
		endpoint.Audited(audit.Unit),
		endpoint.Also(409, "the new period has begun, or one of the units cannot be copied"),
		endpoint.Also(422, "the new period does not start after the old one"), endpoint.Costs(endpoint.Rollovers))

	endpoint.Route(s.Server, "POST /api/teaching_periods/{existing_teaching_period_id}/rollover/plan", 200,
		policy.RolloverPeriod,
		"Tell what copying the units of a teaching period into a later one would make, and change nothing",
		s.planPeriodRollover, endpoint.Unaudited("a plan changes nothing"),
		endpoint.Also(409, "the new period has begun, or one of the units cannot be copied"),
		endpoint.Also(422, "the new period does not start after the old one"), endpoint.Costs(endpoint.Rollovers))
}

type rolloverUnitIn struct {
	unitIn
	PeriodID  int64                  `param:"teaching_period_id,required"`
	StartDate params.Opt[clock.Date] `param:"start_date" doc:"inside the teaching period; its first day when absent"`
	EndDate   params.Opt[clock.Date] `param:"end_date" doc:"inside the teaching period; its last day when absent"`
}

func (in *rolloverUnitIn) to() usecase.UnitRollover {
	return usecase.UnitRollover{PeriodID: in.PeriodID, Start: in.StartDate.Ptr(), End: in.EndDate.Ptr()}
}

func (s *Server) rolloverUnit(ctx context.Context, who *access.Caller, in rolloverUnitIn) (*usecase.FullUnit, error) {
	return s.usecases.RolloverUnit(ctx, who, in.ID, in.to())
}

func (s *Server) planRollover(ctx context.Context, who *access.Caller, in rolloverUnitIn) (
	*usecase.RolloverPlan, error) {
	return s.usecases.PlanRollover(ctx, who, in.ID, in.to())
}

type rolloverPeriodIn struct {
	FromID        int64            `path:"existing_teaching_period_id"`
	ToID          int64            `param:"new_teaching_period_id,required"`
	Inactive      bool             `param:"rollover_inactive" doc:"inactive units, too"`
	SearchForward params.Opt[bool] `param:"search_forward" doc:"take the newest unit of each code from the periods in between; true when absent"`
	UnitIDs       []int64          `param:"unit_ids" doc:"of the units that would be copied these alone; all of them when absent"`
}

func (in *rolloverPeriodIn) to(who *access.Caller) usecase.PeriodRollover {
	return usecase.PeriodRollover{FromID: in.FromID, ToID: in.ToID, Inactive: in.Inactive,
		SearchForward: in.SearchForward.Or(true), CallerID: who.ID, Only: in.UnitIDs}
}

func (s *Server) planPeriodRollover(ctx context.Context, who *access.Caller,
	in rolloverPeriodIn) (*usecase.PeriodRolloverPlan, error) {
	return s.usecases.PlanRolloverPeriod(ctx, in.to(who))
}

// rolloverPeriod answers null.
func (s *Server) rolloverPeriod(ctx context.Context, who *access.Caller, in rolloverPeriodIn) (endpoint.Null,
	error) {
	return endpoint.Null{}, s.usecases.RolloverPeriod(ctx, in.to(who))
}
