package course

import (
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// StaffMember is a person employed in a unit, as the unit's record shows them.
type StaffMember struct {
	ID     int64       `db:"id" json:"id"`
	Role   policy.Role `db:"role" json:"role"`
	RoleID int64       `db:"role_id" json:"role_id"`
	Person `json:"user"`
}

// Person is what everybody in a unit may know of its staff.
type Person struct {
	UserID    int64  `db:"user_id" json:"id"`
	Email     string `db:"email" json:"email"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
	Username  string `db:"username" json:"username"`
	Nickname  string `db:"nickname" json:"nickname"`
}

// UnitRole is an employment with the unit it is in.
type UnitRole struct {
	StaffMember
	UnitBrief `json:"unit"`
}

// UnitBrief is a unit in few words, inside another record.
type UnitBrief struct {
	Code             string           `db:"code" json:"code"`
	UnitID           int64            `db:"unit_id" json:"id"`
	UnitName         string           `db:"unit_name" json:"name"`
	MyRole           *policy.RoleName `db:"my_role" json:"my_role"`
	TeachingPeriodID *int64           `db:"teaching_period_id" json:"teaching_period_id,omitempty"`
	StartDate        clock.Date       `db:"start_date" json:"start_date"`
	EndDate          clock.Date       `db:"end_date" json:"end_date"`
	Active           bool             `db:"active" json:"active"`
}

const staffColumns = `r.id, r.role, r.role AS role_id, r.user_id, s.email, s.first_name, s.last_name, s.username,
	coalesce(s.nickname, '') AS nickname`

// StaffOf lists those employed in a unit.
func StaffOf(ctx context.Context, q db.Q, unitID int64) ([]StaffMember, error) {
	return db.All[StaffMember](ctx, q, `SELECT `+staffColumns+`
		FROM unit_roles r JOIN users s ON s.id = r.user_id WHERE r.unit_id = $1 ORDER BY r.id`, unitID)
}

// selectRoles reads UnitRole; my_role is what the employed person is.
const selectRoles = `SELECT ` + staffColumns + `, u.code, u.id AS unit_id, u.name AS unit_name, u.teaching_period_id,
		u.start_date, u.end_date, u.active, CASE r.role WHEN 3 THEN 'Convenor' ELSE 'Tutor' END AS my_role
	FROM unit_roles r JOIN users s ON s.id = r.user_id JOIN units u ON u.id = r.unit_id`

// RolesOf lists the employments of a person, of active units only if so asked.
func RolesOf(ctx context.Context, q db.Q, userID int64, activeOnly bool) ([]UnitRole, error) {
	return db.All[UnitRole](ctx, q, selectRoles+` WHERE r.user_id = $1 AND (u.active OR NOT $2)
		ORDER BY u.start_date DESC, u.code, r.id`,
		userID, activeOnly)
}

// RoleByID reads the employment of one user in one unit. It fails with
// fault.Missing where there is none.
func RoleByID(ctx context.Context, q db.Q, id int64) (*UnitRole, error) {
	return db.OneOf[UnitRole](ctx, q, "unit role", selectRoles+` WHERE r.id = $1`, id)
}

// post is an employment as the rules about staff see it.
type post struct {
	ID     int64       `db:"id"`
	UserID int64       `db:"user_id"`
	Role   policy.Role `db:"role"`
	Main   bool        `db:"is_main"`
	System policy.Role `db:"system"`
}

// posts are all the employments of a unit.
type posts []post

// heldPosts gives the staff of a unit, which nobody else changes until the
// transaction ends: the rules about the last and the main convenor look at all
// of them.
func heldPosts(ctx context.Context, q db.Q, unitID int64) (posts, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	return db.All[post](ctx, q, `SELECT r.id, r.user_id, r.role, r.is_main, s.role AS system
		FROM unit_roles r JOIN users s ON s.id = r.user_id WHERE r.unit_id = $1 ORDER BY r.id`, unitID)
}

func (all posts) find(is func(post) bool) *post {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

func (all posts) byID(id int64) (*post, error) {
	if p := all.find(func(p post) bool { return p.ID == id }); p != nil {
		return p, nil
	}
	return nil, fault.New(fault.Missing, "There is no such unit role in this unit.")
}

func (all posts) hasMain() bool { return all.find(func(p post) bool { return p.Main }) != nil }

// mayGo refuses to let the convenors a unit cannot do without go.
func (all posts) mayGo(leaving *post) error {
	if leaving.Main {
		return fault.New(fault.Conflict, "This is the main convenor of the unit. Make another convenor the main "+
			"convenor first.")
	}
	another := all.find(func(p post) bool { return p.ID != leaving.ID && p.Role == policy.Convenor })
	if leaving.Role == policy.Convenor && another == nil {
		return fault.New(fault.Conflict, "This is the last convenor of the unit. Add another convenor first.")
	}
	return nil
}

// able refuses a role in a unit that a person's system role does not reach.
func able(field string, system, role policy.Role) error {
	if system >= role {
		return nil
	}
	return fault.Field(fault.Refused, field, "must be someone who is at least a %s in the system, not a %s", role,
		system)
}

// Employ gives a person a role in a unit. Who has that role already keeps it; who has the other
// one must be changed by ChangeRole. The first convenor becomes the main convenor. It gives the
// id of the employment. It is for holders of policy.EmployStaff. It refuses a role that is none
// of staff, and somebody whose system role is below it.
func Employ(ctx context.Context, q db.Q, unitID, userID int64, role policy.Role) (int64, error) {
	if role != policy.Tutor && role != policy.Convenor {
		return 0, fault.Field(fault.Refused, "role", "must be Tutor or Convenor: those are the roles of staff")
	}
	all, err := heldPosts(ctx, q, unitID)
	if err != nil {
		return 0, err
	}
	system, err := heldSystemRole(ctx, q, userID)
	if err != nil {
		return 0, err
	}
	if err := able("user_id", system, role); err != nil {
		return 0, err
	}
	if p := all.find(func(p post) bool { return p.UserID == userID }); p != nil {
		if p.Role != role {
			return 0, fault.New(fault.Conflict, "This person is a %s of the unit already: change unit role %d "+
				"instead.", p.Role, p.ID)
		}
		return p.ID, nil
	}
	return employ(ctx, q, unitID, userID, role, role == policy.Convenor && !all.hasMain())
}

func employ(ctx context.Context, q db.Q, unitID, userID int64, role policy.Role, main bool) (int64, error) {
	id, err := db.One[int64](ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`, unitID, userID, int64(role), main, q.Now())
	if err != nil {
		return 0, err
	}
	return *id, tellRole(ctx, q, unitID, userID, *id, role)
}

// tellRole writes down that somebody has another role in a unit; 0 is none.
func tellRole(ctx context.Context, q db.Q, unitID, userID, id int64, role policy.Role) error {
	action := "dismissed"
	if role != 0 {
		action = strings.ToLower(role.String())
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Role, Action: action, UnitID: unitID, UserID: userID,
		RecordID: id})
}

// heldSystemRole gives what a person is in the system, and keeps it so until
// the transaction ends: who is being demoted must not be employed meanwhile.
func heldSystemRole(ctx context.Context, q db.Q, userID int64) (policy.Role, error) {
	if err := db.Lock(ctx, q, "users", userID); err != nil {
		return 0, err
	}
	role, err := db.OneOf[policy.Role](ctx, q, "user", `SELECT role FROM users WHERE id = $1`, userID)
	if err != nil {
		return 0, err
	}
	return *role, nil
}

// ChangeRole makes a tutor of the unit a convenor or the other way round, for holders of
// policy.EmployStaff. It refuses somebody whose system role is below the new one, and with
// fault.Conflict the main convenor and the last one, without whom nobody could run the unit.
func ChangeRole(ctx context.Context, q db.Q, unitID, id int64, role policy.Role) error {
	all, err := heldPosts(ctx, q, unitID)
	if err != nil {
		return err
	}
	p, err := all.byID(id)
	if err != nil || p.Role == role {
		return err
	}
	if role == policy.Tutor {
		err = all.mayGo(p)
	} else {
		p.System, err = heldSystemRole(ctx, q, p.UserID)
	}
	if err != nil {
		return err
	}
	if err := able("role_id", p.System, role); err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE unit_roles SET role = $2, is_main = $3, updated_at = $4 WHERE id = $1`,
		id, int64(role), role == policy.Convenor && !all.hasMain(), q.Now())
	if err != nil {
		return err
	}
	return tellRole(ctx, q, unitID, p.UserID, id, role)
}

// Dismiss ends an employment. Tutorials of that person stay, without a tutor. It is for holders
// of policy.EmployStaff, and fault.Conflict for the main convenor and the last one, without
// whom nobody could run the unit.
func Dismiss(ctx context.Context, q db.Q, unitID, id int64) error {
	all, err := heldPosts(ctx, q, unitID)
	if err != nil {
		return err
	}
	p, err := all.byID(id)
	if err != nil {
		return err
	}
	if err := all.mayGo(p); err != nil {
		return err
	}
	if _, err = db.Exec(ctx, q, `DELETE FROM unit_roles WHERE id = $1`, id); err != nil {
		return err
	}
	return tellRole(ctx, q, unitID, p.UserID, id, 0)
}

// SetMainConvenor makes one of the unit's convenors the main one, for holders of
// policy.EditUnit. It refuses a tutor, and somebody whose system role is below Convenor.
func SetMainConvenor(ctx context.Context, q db.Q, unitID, id int64) error {
	all, err := heldPosts(ctx, q, unitID)
	if err != nil {
		return err
	}
	p, err := all.byID(id)
	if err != nil || p.Main {
		return err
	}
	if p.Role != policy.Convenor {
		return fault.Field(fault.Refused, "main_convenor_id", "must be the unit role of a convenor; this one "+
			"is a %s", p.Role)
	}
	if err := able("main_convenor_id", p.System, policy.Convenor); err != nil {
		return err
	}
	// One statement for both would meet the rule of one main convenor half-way.
	if _, err := db.Exec(ctx, q, `UPDATE unit_roles SET is_main = FALSE, updated_at = $2 WHERE unit_id = $1
		AND is_main`, unitID, q.Now()); err != nil {
		return err
	}
	if _, err = db.Exec(ctx, q, `UPDATE unit_roles SET is_main = TRUE, updated_at = $2 WHERE id = $1`, id,
		q.Now()); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Role, Action: "main_convenor", UnitID: unitID, UserID: p.UserID,
		RecordID: id})
}
