package enrol

import (
	"context"
	"slices"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// WithdrawSheet is what a sheet of students to withdraw must have.
var WithdrawSheet = sheet.Options{Required: []string{"unit_code", "username"}}

// Withdraw takes the students of a sheet out of the unit; their work, places and groups stay
// for the case that they come back, and no longer count. Events name who did it. It is for
// holders of policy.ImportUnit. Rows that name nobody in the unit are reported.
func (r *Roster) Withdraw(ctx context.Context, d *db.DB, by int64, rows *sheet.Reader, dry bool) (*ident.Imported,
	error) {
	all := r.leavers(rows)
	open := slices.DeleteFunc(slices.Clone(all), func(e *rosterRow) bool { return e.outcome != pending })
	if dry {
		err := d.View(ctx, func(q db.Q) error { return r.withdraw(ctx, q, by, open, true) })
		return imported(all), err
	}
	for some := range slices.Chunk(open, importBatch) {
		if err := d.Tx(ctx, func(q db.Q) error { return r.withdraw(ctx, q, by, some, false) }); err != nil {
			return nil, err
		}
	}
	return imported(all), nil
}

func (r *Roster) leavers(rows *sheet.Reader) []*rosterRow {
	var all []*rosterRow
	lines := map[string]sheet.Row{}
	for row, err := range rows.Rows() {
		e := &rosterRow{row: row, user: ident.NewUser{Username: row.Get("username")}}
		name := ident.Key(e.user.Username)
		first, seen := lines[name]
		switch {
		case err != nil:
			e.end(failed, "%v", err)
		case !r.about(row.Get("unit_code")):
			e.end(ignored, "the row is for unit %s, not %s", row.Get("unit_code"), r.Code)
		case name == "":
			e.end(failed, "username may not be blank")
		case seen:
			e.end(ignored, "%s is already in %s", e.user.Username, first)
		default:
			lines[name] = row
		}
		all = append(all, e)
	}
	return all
}

// withdraw decides about some rows and, unless the run is dry, carries them out.
func (r *Roster) withdraw(ctx context.Context, q db.Q, by int64, rows []*rosterRow, dry bool) error {
	names := make([]string, len(rows))
	for i, e := range rows {
		names[i] = e.user.Username
	}
	found, err := findStudents(ctx, q, r.UnitID, names)
	if err != nil {
		return err
	}
	var ids []int64
	for _, e := range rows {
		if p, ok := found[ident.Key(e.user.Username)]; ok && p.ID != nil {
			ids = append(ids, *p.ID)
		}
	}
	if !dry {
		if err := lockProjects(ctx, q, ids); err != nil {
			return err
		}
		if found, err = findStudents(ctx, q, r.UnitID, names); err != nil {
			return err
		}
	}
	var leave []int64
	for _, e := range rows {
		switch p, ok := found[ident.Key(e.user.Username)]; {
		case !ok:
			e.end(failed, "there is no user %s", e.user.Username)
		case p.ID == nil || !p.Enrolled:
			e.end(ignored, "%s is not enrolled in this unit", e.user.Username)
		default:
			e.end(done, "%s: withdrawn.", e.user.Username)
			leave = append(leave, *p.ID)
		}
	}
	if dry || len(leave) == 0 {
		return nil
	}
	list, args, err := idRows(q, leave)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET enrolled = FALSE, updated_at = $2 WHERE id IN (SELECT id FROM `+list+
		` r)`, append(args, q.Now())...)
	if err != nil {
		return err
	}
	return tellEnrolment(ctx, q, by, leave...)
}

// candidate is a user with their project in a unit, if they have one.
type candidate struct {
	Name     string `db:"username_key"`
	ID       *int64 `db:"id"`
	Enrolled bool   `db:"enrolled"`
}

// findStudents gives the users of these names, by the key of their name.
func findStudents(ctx context.Context, q db.Q, unitID int64, names []string) (map[string]candidate, error) {
	rows := make([][]any, len(names))
	for i, name := range names {
		rows[i] = []any{ident.Key(name)}
	}
	list, args, err := db.Rows(q, nil, []string{"name TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	found := map[string]candidate{}
	for p, err := range db.Each[candidate](ctx, q, `SELECT u.username_key, p.id, coalesce(p.enrolled, FALSE) AS
		enrolled FROM users u
		LEFT JOIN projects p ON p.user_id = u.id AND p.unit_id = $2 WHERE u.username_key IN (SELECT name FROM `+list+
		` r)`, append(args, unitID)...) {
		if err != nil {
			return nil, err
		}
		found[p.Name] = p
	}
	return found, nil
}
