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

const groupSetPath = "/api/units/{unit_id}/group_sets"

func (s *Server) groupSetRoutes() {
	taken := endpoint.Also(409, "the name is taken")
	endpoint.Route(s.Server, "POST "+groupSetPath, 201, policy.EditGroupSets, "Create a group set", s.addGroupSet,
		endpoint.Audited(audit.Group),
		endpoint.Location(groupSetPath+"/{.id}"), taken)
	endpoint.Route(s.Server, "GET "+groupSetPath+"/{group_set_id}", 200, policy.ReadUnit, "Get a group set",
		s.getGroupSet)
	endpoint.Route(s.Server, "PUT "+groupSetPath+"/{group_set_id}", 200, policy.EditGroupSets, "Change a group set",
		s.changeGroupSet,
		endpoint.Audited(audit.Group),
		endpoint.Also(409, "the name is taken, a member is outside the class their group should stay in, or a value is no "+
			"longer what was seen"))
	endpoint.Route(s.Server, "DELETE "+groupSetPath+"/{group_set_id}", 204, policy.EditGroupSets,
		"Delete a group set with its groups", s.deleteGroupSet,
		endpoint.Audited(audit.Group), endpoint.Asks(policy.DeleteWork),
		endpoint.Also(409, "its groups hold students' work, or tasks are done in them"))
}

// groupSetValues are what creating and changing a group set both take.
type groupSetValues struct {
	StudentsCreate params.Opt[bool]  `param:"allow_students_to_create_groups" doc:"true when never set"`
	StudentsManage params.Opt[bool]  `param:"allow_students_to_manage_groups" doc:"true when never set"`
	KeepInClass    params.Opt[bool]  `param:"keep_groups_in_same_class" doc:"every member is in the group's tutorial"`
	Capacity       params.Opt[int32] `param:"capacity" null:"clears" doc:"places in each group, at least 2; null: no limit"`
	Locked         params.Opt[bool]  `param:"locked" doc:"nobody joins or leaves"`
}

func (v *groupSetValues) change(name *string) enrol.GroupSetChange {
	return enrol.GroupSetChange{Name: name, StudentsCreate: v.StudentsCreate.Ptr(),
		StudentsManage: v.StudentsManage.Ptr(),
		KeepInClass:    v.KeepInClass.Ptr(), Lock: v.Locked.Ptr(), Capacity: v.capacity()}
}

// capacity keeps 0, which the domain reads as no limit, from passing for one.
func (v *groupSetValues) capacity() *int64 {
	if !v.Capacity.Set {
		return nil
	}
	n := int64(v.Capacity.V)
	if v.Capacity.Has() && n == 0 {
		n = -1
	}
	return &n
}

type addGroupSetIn struct {
	underUnit
	GroupSet struct {
		Name string `param:"name,required" doc:"unique in the unit"`
		groupSetValues
	} `param:"group_set,required"`
}

func (s *Server) addGroupSet(ctx context.Context, _ *access.Caller, in addGroupSetIn) (*enrol.GroupSet, error) {
	g := &in.GroupSet
	return s.usecases.AddGroupSet(ctx, in.UnitID, g.change(&g.Name))
}

// underGroupSet is the input of an endpoint about a group set or what is in it.
type underGroupSet struct {
	underUnit
	SetID int64 `path:"group_set_id" scope:"group_set"`
}

func (s *Server) getGroupSet(ctx context.Context, _ *access.Caller, in underGroupSet) (*enrol.GroupSet, error) {
	return enrol.GroupSetByID(ctx, s.db.Pool(), in.SetID)
}

// groupSetChanges are what changing a group set takes.
type groupSetChanges struct {
	Name params.Opt[string] `param:"name" doc:"unique in the unit"`
	groupSetValues
}

type changeGroupSetIn struct {
	underGroupSet
	GroupSet groupSetChanges `param:"group_set"`
	Seen     groupSetChanges `param:"seen" faults:"none" doc:"the set as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeGroupSet(ctx context.Context, _ *access.Caller, in changeGroupSetIn) (*enrol.GroupSet, error) {
	c, seen := in.GroupSet.change(in.GroupSet.Name.Ptr()), in.Seen.change(in.Seen.Name.Ptr())
	c.Seen = &seen
	return s.usecases.ChangeGroupSet(ctx, in.SetID, c)
}

type deleteGroupSetIn struct {
	underGroupSet
	force
}

func (s *Server) deleteGroupSet(ctx context.Context, who *access.Caller, in deleteGroupSetIn) (endpoint.NoContent,
	error) {
	return endpoint.NoContent{}, s.usecases.DeleteGroupSet(ctx, who, in.SetID, in.Force)
}
