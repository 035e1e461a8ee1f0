package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/handover"
	"lectern/internal/web/endpoint"
)

const handoversPath = "/api/units/{unit_id}/handovers"

func (s *Server) handoverRoutes() {
	endpoint.Route(s.Server, "GET "+handoversPath, 200, policy.SeeHandovers,
		"List whose queue of a unit is handed to colleagues, now or later", s.listHandovers)
	endpoint.Route(s.Server, "POST "+handoversPath, 201, policy.HandOver,
		"Hand a tutor's queue to others on the staff for a time; it ends by itself", s.addHandover,
		endpoint.Audited(audit.Handover), endpoint.Location(handoversPath+"/{.id}"),
		endpoint.Also(409, "the queue is handed over on one of these days already"),
		endpoint.Also(422, "the days are out of order or past, or somebody is not on the staff"))
	endpoint.Route(s.Server, "GET "+handoversPath+"/{id}", 200, policy.SeeHandovers, "Get a handover of a queue",
		s.getHandover)
	endpoint.Route(s.Server, "DELETE "+handoversPath+"/{id}", 204, policy.HandOver, "End a handover early",
		s.endHandover, endpoint.Audited(audit.Handover))
}

type listHandoversIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	paging
}

func (s *Server) listHandovers(ctx context.Context, _ *access.Caller,
	in listHandoversIn) (endpoint.List[handover.Handover], error) {
	list, err := handover.Of(ctx, s.db.Pool(), in.UnitID)
	return short(in.paging, list, err)
}

type addHandoverIn struct {
	UnitID int64      `path:"unit_id" scope:"unit"`
	RoleID int64      `param:"unit_role_id,required" doc:"the unit role of whose queue it is"`
	Staff  []int64    `param:"staff,required" doc:"the unit roles of who get it, at most 20"`
	From   clock.Date `param:"from,required" doc:"the first day"`
	Until  clock.Date `param:"until,required" doc:"the last day"`
}

func (s *Server) addHandover(ctx context.Context, who *access.Caller, in addHandoverIn) (*handover.Handover, error) {
	return s.usecases.HandOver(ctx, who, handover.New(in))
}

type handoverIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"id"`
}

func (s *Server) getHandover(ctx context.Context, _ *access.Caller, in handoverIn) (*handover.Handover, error) {
	return handover.ByID(ctx, s.db.Pool(), in.UnitID, in.ID)
}

func (s *Server) endHandover(ctx context.Context, who *access.Caller, in handoverIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndHandover(ctx, who, in.UnitID, in.ID)
}
