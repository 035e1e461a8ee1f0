package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// Employ gives somebody a role on the staff of a unit, for whoever holds policy.EmployStaff.
// Who has that role already keeps it; fault.Conflict where they have the other one. It
// refuses somebody whose system role does not reach so far.
func (s *Service) Employ(ctx context.Context, who *access.Caller, unitID, userID int64,
	role policy.Role) (*course.UnitRole, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.UnitRole, error) {
		id, err := course.Employ(ctx, q, unitID, userID, role)
		if err != nil {
			return nil, err
		}
		return UnitRoleByID(ctx, q, who, id)
	})
}

// ChangeRole makes a tutor of the caller's unit a convenor or the other way round, for
// whoever holds policy.EmployStaff. It refuses with fault.Conflict to take a convenor whom
// the unit cannot do without, and somebody whose system role does not reach so far.
func (s *Service) ChangeRole(ctx context.Context, who *access.Caller, id int64, role policy.Role) (*course.UnitRole,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.UnitRole, error) {
		if err := course.ChangeRole(ctx, q, who.UnitID, id, role); err != nil {
			return nil, err
		}
		return UnitRoleByID(ctx, q, who, id)
	})
}

// Dismiss takes somebody off the staff of the caller's unit, for whoever holds
// policy.EmployStaff; their tutorials stay, without a tutor. It refuses with fault.Conflict a
// convenor whom the unit cannot do without.
func (s *Service) Dismiss(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.Dismiss(ctx, q, who.UnitID, id) })
}

// UnitRoleByID gives a role on the staff of a unit, with the caller's own there.
func UnitRoleByID(ctx context.Context, q db.Q, who *access.Caller, id int64) (*course.UnitRole, error) {
	r, err := course.RoleByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	mine := who.MyRole()
	r.MyRole = &mine
	return r, nil
}
