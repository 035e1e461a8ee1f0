package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/course"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) campusRoutes() {
	endpoint.Route(s.Server, "GET /api/campuses", 200, policy.Anybody, "List the campuses", s.listCampuses)
	endpoint.Route(s.Server, "GET /api/campuses/{id}", 200, policy.Anybody, "Get a campus", s.getCampus)
	endpoint.Route(s.Server, "POST /api/campuses", 201, policy.EditCampuses, "Create a campus", s.addCampus,
		endpoint.Audited(audit.Setting),
		endpoint.Location("/api/campuses/{.id}"), endpoint.Also(409, "the name or abbreviation is taken"))
	endpoint.Route(s.Server, "PUT /api/campuses/{id}", 200, policy.EditCampuses, "Change a campus", s.changeCampus,
		endpoint.Audited(audit.Setting),
		endpoint.Also(409, "the name or abbreviation is taken, or a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE /api/campuses/{id}", 204, policy.EditCampuses, "Delete a campus nobody uses",
		s.deleteCampus,
		endpoint.Audited(audit.Setting),
		endpoint.Also(409, "students or tutorials use it"))
}

func (s *Server) listCampuses(ctx context.Context, _ *access.Caller, in paging) (endpoint.List[course.Campus],
	error) {
	list, err := course.Campuses(ctx, s.db.Pool())
	return short(in, list, err)
}

func (s *Server) getCampus(ctx context.Context, _ *access.Caller, in byID) (*course.Campus, error) {
	return course.CampusByID(ctx, s.db.Pool(), in.ID)
}

type addCampusIn struct {
	Campus struct {
		Name         string            `param:"name,required"`
		Mode         course.CampusMode `param:"mode,required" enum:"" doc:"how students get their tutorials"`
		Abbreviation string            `param:"abbreviation,required"`
		Active       bool              `param:"active,required"`
	} `param:"campus,required"`
}

func (s *Server) addCampus(ctx context.Context, _ *access.Caller, in addCampusIn) (*course.Campus, error) {
	c := in.Campus
	return s.usecases.AddCampus(ctx, course.Campus{Name: c.Name, Mode: c.Mode, Abbreviation: c.Abbreviation,
		Active: c.Active})
}

// campusValues are what changing a campus takes.
type campusValues struct {
	Name         params.Opt[string]            `param:"name"`
	Mode         params.Opt[course.CampusMode] `param:"mode" enum:""`
	Abbreviation params.Opt[string]            `param:"abbreviation"`
	Active       params.Opt[bool]              `param:"active"`
}

func (c campusValues) change() course.CampusChange {
	return course.CampusChange{Name: c.Name.Ptr(), Mode: c.Mode.Ptr(), Abbreviation: c.Abbreviation.Ptr(),
		Active: c.Active.Ptr()}
}

type changeCampusIn struct {
	ID     int64        `path:"id"`
	Campus campusValues `param:"campus"`
	Seen   campusValues `param:"seen" faults:"none" doc:"the campus as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeCampus(ctx context.Context, _ *access.Caller, in changeCampusIn) (*course.Campus, error) {
	c, seen := in.Campus.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeCampus(ctx, in.ID, c)
}

func (s *Server) deleteCampus(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteCampus(ctx, in.ID)
}
