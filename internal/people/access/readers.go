package access

import (
	"context"
	"slices"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Reader is somebody who can see a unit, and why. Whoever can for two reasons,
// as one who teaches and studies it, stands there twice.
type Reader struct {
	UserID    int64       `db:"user_id" json:"user_id"`
	Username  string      `db:"username" json:"username"`
	FirstName string      `db:"first_name" json:"first_name"`
	LastName  string      `db:"last_name" json:"last_name"`
	Email     string      `db:"email" json:"email"`
	Role      policy.Role `db:"role" json:"role"`     // in the unit; Admin for Admins
	Reason    Reason      `db:"reason" json:"reason"` // employed, enrolled, withdrawn or admin
	Sees      string      `db:"-" json:"sees"`        // in words
	Main      bool        `db:"is_main" json:"main"`  // the unit's main convenor
	ProjectID *int64      `db:"project_id" json:"project_id"`
	Suspended bool        `db:"suspended" json:"suspended"` // sees nothing while it lasts
}

// Reason is why somebody can see a unit.
type Reason string

// Employed is why the staff of a unit see it.
const Employed Reason = "employed"

// Enum gives all reasons, for the documentation of the API.
func (Reason) Enum() []string {
	out := make([]string, 0, len(sees))
	for r := range sees {
		out = append(out, string(r))
	}
	slices.Sort(out)
	return out
}

// sees says what each reason lets a person see.
var sees = map[Reason]string{
	"admin":     "everything, as in every unit",
	Employed:    "everything, as staff of the unit",
	"enrolled":  "the unit and their own work",
	"withdrawn": "their own project and files, and can change nothing",
}

// readers are all who can see the unit $1. The numbers are the roles' and give the
// order: staff first, then students, then Admins.
const readers = `SELECT user_id, CASE WHEN role = 3 THEN 1 ELSE 2 END AS place, role, 'employed' AS reason, is_main,
		CAST(NULL AS BIGINT) AS project_id FROM unit_roles WHERE unit_id = $1
	UNION ALL SELECT user_id, CASE WHEN enrolled THEN 3 ELSE 4 END, 1,
		CASE WHEN enrolled THEN 'enrolled' ELSE 'withdrawn' END, FALSE, id FROM projects WHERE unit_id = $1
	UNION ALL SELECT id, 5, 4, 'admin', FALSE, NULL FROM users WHERE role = 4`

// Readers lists who can see a unit and why: its convenors, its tutors, the
// enrolled and the withdrawn students, then the Admins, each by name. It tells how
// many there are in all, -1 where the whole list is asked for.
func Readers(ctx context.Context, q db.Q, unitID int64, p db.Page) (list []Reader, total int64, err error) {
	total = -1
	if p.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*) FROM (`+readers+`) r`, unitID)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	list, err = db.All[Reader](ctx, q, `SELECT r.user_id, u.username, u.first_name, u.last_name, u.email, r.role,
			r.reason, r.is_main, r.project_id, u.disabled_at IS NOT NULL AS suspended
		FROM (`+readers+`) r JOIN users u ON u.id = r.user_id
		ORDER BY r.place, u.name_key, u.first_name, u.last_name, u.id LIMIT $2 OFFSET $3`, unitID, p.Limit(), p.Offset())
	for i := range list {
		list[i].Sees = sees[list[i].Reason]
	}
	return list, total, err
}

// Access is who can see the whole of a unit, by name, and how many students see their own work in it.
type Access struct {
	Staff     []Reader // convenors, tutors, then Admins who are neither
	Enrolled  int64
	Withdrawn int64
}

// AccessTo tells who can see a unit without a row for each student, for holders of policy.SeeAccess.
func AccessTo(ctx context.Context, q db.Q, unitID int64) (*Access, error) {
	staff, err := db.All[Reader](ctx, q, `SELECT r.user_id, u.username, u.first_name, u.last_name, u.email, r.role,
			r.reason, r.is_main, r.project_id, u.disabled_at IS NOT NULL AS suspended
		FROM (`+readers+`) r JOIN users u ON u.id = r.user_id
		WHERE r.reason = 'employed' OR r.reason = 'admin' AND NOT EXISTS (SELECT 1 FROM unit_roles o
			WHERE o.unit_id = $1 AND o.user_id = r.user_id)
		ORDER BY r.place, u.name_key, u.first_name, u.last_name, u.id`, unitID)
	if err != nil {
		return nil, err
	}
	n, err := db.One[struct {
		All      int64 `db:"projects"`
		Enrolled int64 `db:"enrolled"`
	}](ctx, q, `SELECT count(*) AS projects, count(CASE WHEN enrolled THEN 1 END) AS enrolled
		FROM projects WHERE unit_id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	return &Access{staff, n.Enrolled, n.All - n.Enrolled}, nil
}
