package course

import (
	"context"
	"strings"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Teacher is somebody who may teach, with the employment they have in a unit; 0: none.
type Teacher struct {
	UserID   int64  `db:"user_id"`
	Username string `db:"username"`
	RoleID   int64  `db:"role_id"`
}

// HeldTeachers finds those who may teach by the user names or addresses that people wrote, each under
// the ident.Key of what was written, and keeps them so until the transaction ends: who is being demoted
// must not be employed meanwhile. Whoever may not sign in is not found.
func HeldTeachers(ctx context.Context, q db.Q, unitID int64, written []string) (map[string]*Teacher, error) {
	keys := make([]string, len(written))
	for i, w := range written {
		keys[i] = ident.Key(w)
	}
	in, args := db.In([]any{unitID, int64(policy.Tutor)}, keys)
	held := ""
	if q.Postgres() {
		held = ` FOR NO KEY UPDATE OF u`
	}
	type account struct {
		Teacher
		Name  string `db:"username_key"`
		Email string `db:"email_key"`
	}
	// Engines look up either column by its index; together they would walk the table.
	list, err := db.All[account](ctx, q, `SELECT u.id AS user_id, u.username, u.username_key, u.email_key,
			coalesce((SELECT r.id FROM unit_roles r WHERE r.unit_id = $1 AND r.user_id = u.id), 0) AS role_id
		FROM users u WHERE u.role >= $2 AND u.disabled_at IS NULL AND u.id IN (SELECT id FROM users WHERE username_key IN `+
		in+` UNION SELECT id FROM users WHERE email_key IN `+in+`) ORDER BY u.id`+held, args...)
	found := map[string]*Teacher{}
	for i := range list {
		found[list[i].Email] = &list[i].Teacher
	}
	for i := range list { // a name that looks like the address of somebody else is a name
		found[list[i].Name] = &list[i].Teacher
	}
	return found, err
}

// EmployTutors makes people tutors of a unit who have no role in it, all at once, and sets the
// employment of each. The caller holds them by HeldTeachers, and the unit. It is for holders of
// policy.EmployStaff.
func EmployTutors(ctx context.Context, q db.Q, unitID int64, people []*Teacher) error {
	if len(people) == 0 {
		return nil
	}
	by, rows := map[int64]*Teacher{}, [][]any{}
	for _, p := range people {
		by[p.UserID] = p
		rows = append(rows, []any{unitID, p.UserID, int64(policy.Tutor), q.Now().String()})
	}
	list, args, err := db.Rows(q, nil, []string{"unit BIGINT", "person BIGINT", "role BIGINT", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	made, err := db.All[Teacher](ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)
		SELECT unit, person, role, FALSE, at, at FROM `+list+` r WHERE TRUE
		RETURNING id AS role_id, user_id, '' AS username`, args...)
	if err != nil {
		return err
	}
	var entries []audit.Entry
	for _, m := range made {
		by[m.UserID].RoleID = m.RoleID
		entries = append(entries, audit.Entry{Kind: audit.Role, Action: strings.ToLower(policy.Tutor.String()),
			UnitID: unitID, UserID: m.UserID, RecordID: m.RoleID})
	}
	return audit.Add(ctx, q, entries...)
}
