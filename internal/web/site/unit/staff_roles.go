package unit

import (
	"context"
	"errors"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/search"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) staffRoleRoutes() {
	page.Show(s.Site, links.StaffSetup+"/find", policy.FindTeachers, "Find people to add to the staff of a unit",
		s.findStaff, endpoint.Costs(endpoint.Lookups))
	page.Form(s.Site, links.StaffSetup+"/add", policy.EmployStaff, "Add somebody to the staff of a unit", s.addStaff,
		endpoint.Audited(audit.Role))
	page.Form(s.Site, links.StaffRole, policy.EmployStaff, "Make a tutor of a unit a convenor or the other way round",
		s.changeStaff, endpoint.Audited(audit.Role))
	page.Form(s.Site, links.StaffRole+"/main", policy.EditUnit, "Make a convenor the main convenor of a unit",
		s.makeMain, endpoint.Audited(audit.Unit, audit.Role))
	page.Show(s.Site, links.StaffRole+"/remove", policy.SeeStaff, "Ask before somebody is taken off the staff of a unit",
		s.askRemoveStaff)
	page.Form(s.Site, links.StaffRole+"/remove", policy.EmployStaff, "Take somebody off the staff of a unit",
		s.removeStaff, endpoint.Audited(audit.Role))
}

// foundPage is those who may teach, as far as they were found.
type foundPage struct {
	Unit  *course.Unit
	Text  string
	Found []foundRow
	Asked bool // enough was asked for to find anybody
}

// foundRow is somebody who may teach.
type foundRow struct {
	search.Teacher
	On bool // the staff already
}

type findStaffIn struct {
	ID   int64  `path:"id" scope:"unit"`
	Text string `param:"text"`
}

// findStaff lists who was found. A script puts the list into the page of the staff.
func (s *room) findStaff(ctx context.Context, who *access.Caller, in findStaffIn) (*page.Page, error) {
	v := &foundPage{Text: in.Text}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		list, err := search.Teachers(ctx, q, in.Text)
		if fault.Is(err, fault.Refused) {
			return nil
		}
		if err != nil {
			return err
		}
		staff, err := course.StaffOf(ctx, q, in.ID)
		on := map[int64]bool{}
		for _, m := range staff {
			on[m.UserID] = true
		}
		v.Asked = true
		for _, t := range list {
			v.Found = append(v.Found, foundRow{t, on[t.UserID]})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "staff-find", s.Word("staff-setup.add"), v), nil
}

// Name is the whole name of a person who was found.
func (t foundRow) Name() string { return strings.TrimSpace(t.FirstName + " " + t.LastName) }

// Path is where the staff stand.
func (v *foundPage) Path() string { return links.To(links.StaffSetup, v.Unit.ID) }

type addStaffIn struct {
	ID   int64           `path:"id" scope:"unit"`
	User int64           `param:"user"`
	Role policy.RoleName `param:"role"`
}

func (s *room) addStaff(ctx context.Context, who *access.Caller, in addStaffIn) (endpoint.Drawing, error) {
	r, err := s.Usecases.Employ(ctx, who, in.ID, in.User, staffRole(in.Role))
	if err != nil {
		return s.roleRefused(ctx, who, in.ID, err)
	}
	return staffLed(in.ID, "added", fullName(r.StaffMember)), nil
}

// roleRefused says why somebody does not get a role: their account may not reach so far.
func (s *room) roleRefused(ctx context.Context, who *access.Caller, unitID int64, why error) (endpoint.Drawing, error) {
	if e, ok := errors.AsType[*fault.Error](why); ok && e.Kind == fault.Refused && len(e.Fields) > 0 {
		why = fault.New(fault.Refused, "%s", s.Word("staff-setup.unable"))
	}
	return s.staffAgain(ctx, who, unitID, why)
}

// staffRole is the role of that name; 0: none of staff, which is refused.
func staffRole(name policy.RoleName) policy.Role {
	r, _ := policy.ParseRole(string(name))
	return r
}

// staffRoleIn names a role on the staff.
type staffRoleIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	RoleID int64 `path:"unit_role_id" scope:"role"`
}

type changeStaffIn struct {
	staffRoleIn
	Role policy.RoleName `param:"role"`
}

func (s *room) changeStaff(ctx context.Context, who *access.Caller, in changeStaffIn) (endpoint.Drawing, error) {
	role := staffRole(in.Role)
	if role != policy.Tutor && role != policy.Convenor {
		return s.staffAgain(ctx, who, in.UnitID, fault.New(fault.Refused, "%s", s.Word("staff-setup.role-needed")))
	}
	r, err := s.Usecases.ChangeRole(ctx, who, in.RoleID, role)
	if err != nil {
		return s.roleRefused(ctx, who, in.UnitID, err)
	}
	return staffLed(in.UnitID, "changed", fullName(r.StaffMember)), nil
}

func (s *room) makeMain(ctx context.Context, who *access.Caller, in staffRoleIn) (endpoint.Drawing, error) {
	r, err := usecase.UnitRoleByID(ctx, s.DB.Pool(), who, in.RoleID)
	if err != nil {
		return nil, err
	}
	_, err = s.Usecases.ChangeUnit(ctx, who, in.UnitID, usecase.UnitChange{MainConvenorID: &in.RoleID})
	if err != nil {
		return s.staffAgain(ctx, who, in.UnitID, err)
	}
	return staffLed(in.UnitID, "main", fullName(r.StaffMember)), nil
}

// askRemoveStaff says what becomes of the tutorials of somebody who leaves.
func (s *room) askRemoveStaff(ctx context.Context, who *access.Caller, in staffRoleIn) (*page.Page, error) {
	var r *course.UnitRole
	taught := 0
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if r, err = usecase.UnitRoleByID(ctx, q, who, in.RoleID); err != nil {
			return err
		}
		list, err := enrol.TutorialsOf(ctx, q, in.UnitID)
		for _, t := range list {
			if t.TutorID != nil && *t.TutorID == r.UserID {
				taught++
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	q := page.Question{About: fullName(r.StaffMember), Text: s.Word("staff-setup.remove-ask"),
		Action: links.To(links.StaffRole, in.UnitID, in.RoleID) + "/remove", Do: s.Word("staff-setup.remove"),
		Back: links.To(links.StaffSetup, in.UnitID)}
	if taught > 0 {
		q.Text += " " + s.Word("staff-setup.remove-taught", taught)
	}
	return s.Ask(who, s.Word("staff-setup.remove"), q), nil
}

func (s *room) removeStaff(ctx context.Context, who *access.Caller, in staffRoleIn) (endpoint.Drawing, error) {
	r, err := usecase.UnitRoleByID(ctx, s.DB.Pool(), who, in.RoleID)
	if err != nil {
		return nil, err
	}
	if err := s.Usecases.Dismiss(ctx, who, in.RoleID); err != nil {
		return s.staffAgain(ctx, who, in.UnitID, err)
	}
	return staffLed(in.UnitID, "removed", fullName(r.StaffMember)), nil
}
