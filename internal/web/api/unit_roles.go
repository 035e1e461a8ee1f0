package api

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) unitRoleRoutes() {
	endpoint.Route(s.Server, "GET /api/unit_roles", 200, policy.SignedIn, "List your own roles on the staff of units",
		s.listRoles)
	endpoint.Route(s.Server, "POST /api/unit_roles", 201, policy.EmployStaff, "Employ someone in a unit", s.addRole,
		endpoint.Audited(audit.Role),
		endpoint.Location("/api/unit_roles/{.id}"), endpoint.Also(404, "no such user"),
		endpoint.Also(409, "they have another role in the unit"),
		endpoint.Also(422, "their system role does not reach so far"))
	endpoint.Route(s.Server, "GET /api/unit_roles/{id}", 200, policy.SeeStaff, "Get a role on the staff of a unit",
		s.getRole)
	endpoint.Route(s.Server, "PUT /api/unit_roles/{id}", 200, policy.EmployStaff, "Make a tutor a convenor or the "+
		"other way round", s.changeRole,
		endpoint.Audited(audit.Role),
		endpoint.Also(409, "the unit cannot do without this convenor"),
		endpoint.Also(422, "their system role does not reach so far"))
	endpoint.Route(s.Server, "DELETE /api/unit_roles/{id}", 204, policy.EmployStaff, "Take someone off the staff of "+
		"a unit", s.deleteRole,
		endpoint.Audited(audit.Role),
		endpoint.Also(409, "the unit cannot do without this convenor"))
}

type listRolesIn struct {
	paging
	ActiveOnly bool `param:"active_only" doc:"only those in active units"`
}

func (s *Server) listRoles(ctx context.Context, who *access.Caller, in listRolesIn) (endpoint.List[course.UnitRole],
	error) {
	list, err := course.RolesOf(ctx, s.db.Pool(), who.ID, in.ActiveOnly)
	if err != nil {
		return endpoint.List[course.UnitRole]{}, err
	}
	return windowed(list, in.paging)
}

// enrolInstead says how somebody becomes a student of a unit.
const enrolInstead = "must be that of a Tutor or a Convenor: enrol a student by POST /api/projects"

type addRoleIn struct {
	UnitID int64           `param:"unit_id,required" scope:"unit"`
	UserID int64           `param:"user_id,required" doc:"at least a Tutor by system role; a Convenor to convene"`
	Role   policy.RoleName `param:"role,required" doc:"Tutor or Convenor"`
}

func (s *Server) addRole(ctx context.Context, who *access.Caller, in addRoleIn) (*course.UnitRole, error) {
	role, known := policy.ParseRole(string(in.Role))
	if !known {
		return nil, fault.Field(fault.Invalid, "role", "must be Tutor or Convenor")
	}
	if role == policy.Student {
		return nil, fault.Field(fault.Refused, "role", "%s", enrolInstead)
	}
	return s.usecases.Employ(ctx, who, in.UnitID, in.UserID, role)
}

type roleIn struct {
	ID int64 `path:"id" scope:"role"`
}

func (s *Server) getRole(ctx context.Context, who *access.Caller, in roleIn) (*course.UnitRole, error) {
	return usecase.UnitRoleByID(ctx, s.db.Pool(), who, in.ID)
}

type changeRoleIn struct {
	roleIn
	UnitRole struct {
		RoleID int64 `param:"role_id,required" doc:"2: Tutor, 3: Convenor"`
	} `param:"unit_role,required"`
}

func (s *Server) changeRole(ctx context.Context, who *access.Caller, in changeRoleIn) (*course.UnitRole, error) {
	role := policy.Role(in.UnitRole.RoleID)
	if role == policy.Student {
		return nil, fault.Field(fault.Refused, "unit_role[role_id]", "%s", enrolInstead)
	}
	if role != policy.Tutor && role != policy.Convenor {
		return nil, fault.Field(fault.Invalid, "unit_role[role_id]", "must be 2 (Tutor) or 3 (Convenor)")
	}
	return s.usecases.ChangeRole(ctx, who, in.ID, role)
}

func (s *Server) deleteRole(ctx context.Context, who *access.Caller, in roleIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.Dismiss(ctx, who, in.ID)
}
