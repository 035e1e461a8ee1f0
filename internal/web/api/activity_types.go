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

func (s *Server) activityTypeRoutes() {
	endpoint.Route(s.Server, "GET /api/activity_types", 200, policy.Anybody, "List the activity types",
		s.listActivityTypes)
	endpoint.Route(s.Server, "GET /api/activity_types/{id}", 200, policy.Anybody, "Get an activity type",
		s.getActivityType)
	endpoint.Route(s.Server, "POST /api/activity_types", 201, policy.EditActivities, "Create an activity type",
		s.addActivityType,
		endpoint.Audited(audit.Setting),
		endpoint.Location("/api/activity_types/{.id}"), endpoint.Also(409, "the name or abbreviation is taken"))
	endpoint.Route(s.Server, "PUT /api/activity_types/{id}", 200, policy.EditActivities, "Change an activity type",
		s.changeActivityType,
		endpoint.Audited(audit.Setting),
		endpoint.Also(409, "the name or abbreviation is taken, or a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE /api/activity_types/{id}", 204, policy.EditActivities,
		"Delete an activity type no stream uses",
		s.deleteActivityType,
		endpoint.Audited(audit.Setting), endpoint.Also(409, "tutorial streams use it"))
}

func (s *Server) listActivityTypes(ctx context.Context, _ *access.Caller,
	in paging) (endpoint.List[course.ActivityType], error) {
	list, err := course.ActivityTypes(ctx, s.db.Pool())
	return short(in, list, err)
}

func (s *Server) getActivityType(ctx context.Context, _ *access.Caller, in byID) (*course.ActivityType, error) {
	return course.ActivityTypeByID(ctx, s.db.Pool(), in.ID)
}

type addActivityTypeIn struct {
	ActivityType struct {
		Name         string `param:"name,required"`
		Abbreviation string `param:"abbreviation,required"`
	} `param:"activity_type,required"`
}

func (s *Server) addActivityType(ctx context.Context, _ *access.Caller, in addActivityTypeIn) (*course.ActivityType,
	error) {
	return s.usecases.AddActivityType(ctx, in.ActivityType.Name, in.ActivityType.Abbreviation)
}

// activityTypeValues are what changing an activity type takes.
type activityTypeValues struct {
	Name         params.Opt[string] `param:"name"`
	Abbreviation params.Opt[string] `param:"abbreviation"`
}

func (v activityTypeValues) change() course.ActivityTypeChange {
	return course.ActivityTypeChange{Name: v.Name.Ptr(), Abbreviation: v.Abbreviation.Ptr()}
}

type changeActivityTypeIn struct {
	ID           int64              `path:"id"`
	ActivityType activityTypeValues `param:"activity_type"`
	Seen         activityTypeValues `param:"seen" faults:"none" doc:"the activity type as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeActivityType(ctx context.Context, _ *access.Caller,
	in changeActivityTypeIn) (*course.ActivityType, error) {
	c, seen := in.ActivityType.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeActivityType(ctx, in.ID, c)
}

func (s *Server) deleteActivityType(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteActivityType(ctx, in.ID)
}
