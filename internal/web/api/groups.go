package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const (
	groupPath  = groupSetPath + "/{group_set_id}/groups"
	memberPath = groupPath + "/{group_id}/members"
)

func (s *Server) groupRoutes() {
	endpoint.Route(s.Server, "GET "+groupPath, 200, policy.ListGroups, "List the groups of a set", s.listGroups)
	endpoint.Route(s.Server, "POST "+groupPath, 201, policy.CreateGroups, "Create a group; a student joins the one "+
		"they create", s.addGroup,
		endpoint.Audited(audit.Group),
		endpoint.Location(groupPath+"/{.id}"), endpoint.Also(404, "no such tutorial in this unit"),
		endpoint.Also(409, "the name is taken, or the student is in a group already"),
		endpoint.Also(422, "the student is not in the tutorial the group stays in"), endpoint.Asks(policy.SteerGroup))
	endpoint.Route(s.Server, "GET "+groupPath+"/{group_id}", 200, policy.ListGroups, "Get a group", s.getGroup)
	endpoint.Route(s.Server, "PUT "+groupPath+"/{group_id}", 200, policy.EditGroup, "Change a group; what is more "+
		"than its name, as staff only", s.changeGroup,
		endpoint.Audited(audit.Group),
		endpoint.Also(404, "no such tutorial in this unit"), endpoint.Also(409, "the name is taken, a member "+
			"cannot move to the tutorial, or a value is no longer what was seen"), endpoint.Asks(policy.SteerGroup))
	endpoint.Route(s.Server, "DELETE "+groupPath+"/{group_id}", 204, policy.EditGroup, "Delete a group; as a student "+
		"only when nobody else is in it", s.deleteGroup,
		endpoint.Audited(audit.Group),
		endpoint.Also(409, "the group holds students' work"), endpoint.Asks(policy.SteerGroup, policy.DeleteWork))
	endpoint.Route(s.Server, "GET "+memberPath, 200, policy.ReadMembers, "List the members of a group", s.listMembers)
	endpoint.Route(s.Server, "POST "+memberPath+"/{project_id}", 201, policy.ChangeGroup,
		"Put a student into a group, out of another of the set", s.joinGroup,
		endpoint.Audited(audit.Group), endpoint.Location(memberPath),
		endpoint.Also(409, "the group is full or locked, the student is in it already, or no longer where they were seen"),
		endpoint.Also(422, "the student is not in the tutorial the group stays in"),
		endpoint.Asks(policy.OverfillGroup))
	endpoint.Route(s.Server, "DELETE "+memberPath+"/{project_id}", 204, policy.ChangeGroup,
		"Take a student out of a group", s.leaveGroup,
		endpoint.Audited(audit.Group),
		endpoint.Also(409, "the group is locked"))
}

type listGroupsIn struct {
	underGroupSet
	paging
}

func (s *Server) listGroups(ctx context.Context, _ *access.Caller, in listGroupsIn) (endpoint.List[enrol.Group],
	error) {
	list, err := enrol.GroupsOf(ctx, s.db.Pool(), in.SetID)
	return short(in.paging, list, err)
}

type addGroupIn struct {
	underGroupSet
	Group struct {
		Name       string `param:"name" doc:"unique in the set; Group N when blank"`
		TutorialID int64  `param:"tutorial_id,required"`
		Adjustment int32  `param:"capacity_adjustment" doc:"places more than the set's capacity, for staff to set"`
	} `param:"group,required"`
}

func (s *Server) addGroup(ctx context.Context, who *access.Caller, in addGroupIn) (*enrol.Group, error) {
	return s.usecases.CreateGroup(ctx, who, in.SetID, enrol.NewGroup{Name: in.Group.Name,
		TutorialID: in.Group.TutorialID, CapacityAdjustment: int64(in.Group.Adjustment)})
}

// aboutGroup is the input of an endpoint about one group.
type aboutGroup struct {
	underGroupSet
	GroupID int64 `path:"group_id" scope:"group"`
}

// groupChanges are what changing a group takes.
type groupChanges struct {
	Name       params.Opt[string] `param:"name" doc:"unique in the set"`
	TutorialID params.Opt[int64]  `param:"tutorial_id"`
	Adjustment params.Opt[int32]  `param:"capacity_adjustment" doc:"places more than the set's capacity"`
	Locked     params.Opt[bool]   `param:"locked" doc:"nobody joins or leaves"`
}

func (g *groupChanges) change() enrol.GroupChange {
	c := enrol.GroupChange{Name: g.Name.Ptr(), TutorialID: g.TutorialID.Ptr(), Locked: g.Locked.Ptr()}
	if g.Adjustment.Has() {
		n := int64(g.Adjustment.V)
		c.CapacityAdjustment = &n
	}
	return c
}

type changeGroupIn struct {
	aboutGroup
	Group groupChanges `param:"group"`
	Seen  groupChanges `param:"seen" faults:"none" doc:"the group as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeGroup(ctx context.Context, who *access.Caller, in changeGroupIn) (*enrol.Group, error) {
	c, seen := in.Group.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeGroup(ctx, who, in.SetID, in.GroupID, c)
}

type deleteGroupIn struct {
	aboutGroup
	force
}

func (s *Server) deleteGroup(ctx context.Context, who *access.Caller, in deleteGroupIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteGroup(ctx, who, in.SetID, in.GroupID, in.Force)
}

func (s *Server) getGroup(ctx context.Context, _ *access.Caller, in aboutGroup) (*enrol.Group, error) {
	return enrol.GroupByID(ctx, s.db.Pool(), in.GroupID)
}

type listMembersIn struct {
	aboutGroup
	paging
}

func (s *Server) listMembers(ctx context.Context, _ *access.Caller, in listMembersIn) (endpoint.List[enrol.Member],
	error) {
	list, err := enrol.MembersOf(ctx, s.db.Pool(), in.GroupID)
	return short(in.paging, list, err)
}

type memberIn struct {
	aboutGroup
	ProjectID int64 `path:"project_id" scope:"project"`
}

func (in memberIn) membership() usecase.Membership {
	return usecase.Membership{SetID: in.SetID, GroupID: in.GroupID, ProjectID: in.ProjectID}
}

type joinGroupIn struct {
	memberIn
	Exceed params.Opt[bool]  `param:"exceed" doc:"false: refuse a full group to those who may exceed it, too; true when absent"`
	Seen   params.Opt[int64] `param:"seen_group_id" doc:"the group of the set you saw the student in, 0 for none; another by now is refused"`
}

func (s *Server) joinGroup(ctx context.Context, who *access.Caller, in joinGroupIn) (*enrol.Member, error) {
	m := in.membership()
	m.Within, m.Seen = !in.Exceed.Or(true), in.Seen.Ptr()
	return s.usecases.JoinGroup(ctx, who, m)
}

func (s *Server) leaveGroup(ctx context.Context, _ *access.Caller, in memberIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.LeaveGroup(ctx, in.membership())
}
