package trash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Restored is what came back.
type Restored struct {
	Deletion
	Students []Student
	// Unfinished are the submissions whose documents were not made when they went.
	Unfinished []int64
}

// Restore brings something back as it was, with all that went with it, and removes it from the
// archive. It fails with fault.Conflict where its name is taken, where students began again or
// joined another group meanwhile, and where it needs what was deleted after it. It is for
// holders of policy.DeleteWork; usecase.RestoreDeleted tells the students.
func Restore(ctx context.Context, q db.Q, unitID, id int64) (*Restored, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "deletions", id); err != nil {
		return nil, err
	}
	d, err := byID(ctx, q, unitID, id)
	if err != nil {
		return nil, err
	}
	out := &Restored{Deletion: *d}
	if d.Anonymised() {
		if err := d.takeBack(ctx, q); err != nil {
			return nil, err
		}
	}
	archive, err := readRows(ctx, q, id)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		t := &tables[i]
		rows := archive[t.called()]
		if len(rows) == 0 {
			continue
		}
		if err := out.put(ctx, q, t, rows); err != nil {
			return nil, err
		}
	}
	if err := out.check(ctx, q); err != nil {
		return nil, err
	}
	if out.Students, err = out.back(ctx, q, archive); err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `DELETE FROM deletions WHERE id = $1`, id)
	return out, err
}

// readRows reads the archive by table, each in the order it was written.
func readRows(ctx context.Context, q db.Q, id int64) (map[string][]row, error) {
	type stored struct {
		Table  string `db:"table_name"`
		Record string `db:"record"`
	}
	out := map[string][]row{}
	for s, err := range db.Each[stored](ctx, q, `SELECT table_name, record FROM deleted_rows WHERE deletion_id = $1
		ORDER BY position`, id) {
		if err != nil {
			return nil, err
		}
		r, err := decode(s.Record)
		if err != nil {
			return nil, err
		}
		out[s.Table] = append(out[s.Table], r)
	}
	return out, nil
}

// put writes the rows of a table back.
func (d *Restored) put(ctx context.Context, q db.Q, t *table, rows []row) error {
	if t.relink != "" {
		return relink(ctx, q, t, rows)
	}
	rows, err := d.fit(ctx, q, t, rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	columns, err := columnsOf(ctx, q, t.name, rows[0])
	if err != nil {
		return err
	}
	tail := ""
	if t.name == "group_memberships" {
		// Somebody may have been in another group since, and left it; one who is still
		// in it is found by checkMembers.
		tail = "ON CONFLICT (group_set_id, project_id) DO UPDATE SET id = excluded.id, active = excluded.active, " +
			"unit_group_id = excluded.unit_group_id WHERE NOT group_memberships.active"
	}
	err = insertRows(ctx, q, t.name, columns, tail, rows)
	if db.Duplicate(err) {
		return taken(t, &d.Deletion)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", t.name, err)
	}
	return nil
}

func insertRows(ctx context.Context, q db.Q, name string, columns []string, tail string, rows []row) error {
	values := make([][]any, len(rows))
	for i, r := range rows {
		for _, c := range columns {
			values[i] = append(values[i], r[c])
		}
	}
	return db.Insert(ctx, q, name+" ("+strings.Join(columns, ", ")+")", tail, values)
}

// columnsOf gives the columns that a row has and the table still has.
func columnsOf(ctx context.Context, q db.Q, name string, r row) ([]string, error) {
	var now []string
	for rec, err := range db.Records(ctx, q, `SELECT t.* FROM (SELECT 1 AS one) o LEFT JOIN (SELECT * FROM `+name+
		` LIMIT 0) t ON TRUE`) {
		if err != nil {
			return nil, err
		}
		now = rec.Columns
	}
	return slices.DeleteFunc(slices.Clone(now), func(c string) bool { _, had := r[c]; return !had }), nil
}

// taken says why a row does not find its place again.
func taken(t *table, d *Deletion) error {
	switch t.name {
	case definitions, sets, groups:
		return fault.New(fault.Conflict, "The name of %s is now used by another %s. Rename that one, then restore "+
			"this.",
			d.Name, d.Kind.Word())
	case tasks:
		return fault.New(fault.Conflict, "Students have started the same tasks again since %s was deleted, so it "+
			"cannot be restored.", d.Name)
	}
	return fault.New(fault.Conflict, "Something like it was created after %s was deleted (%s), so it cannot be "+
		"restored.",
		d.Name, strings.ReplaceAll(t.name, "_", " "))
}

// relink gives rows that stayed their references back.
func relink(ctx context.Context, q db.Q, t *table, rows []row) error {
	columns := append(slices.Clone(t.key), t.relink)
	typed := make([]string, len(columns))
	for i, c := range columns {
		typed[i] = c + " BIGINT"
	}
	values := make([][]any, len(rows))
	for i, r := range rows {
		for _, c := range columns {
			values[i] = append(values[i], r[c])
		}
	}
	from, args, err := db.Rows(q, nil, typed, values)
	if err != nil {
		return err
	}
	where := t.name + "." + t.relink + " IS NULL"
	for _, c := range t.key {
		where += " AND " + t.name + "." + c + " = v." + c
	}
	_, err = db.Exec(ctx, q, `UPDATE `+t.name+` SET `+t.relink+` = v.`+t.relink+` FROM `+from+` v WHERE `+where, args...)
	return err
}

// check looks at what came back with the eyes of today: a set that a task was done
// in is that task's again only while nobody handed in alone, and a member of a
// group of the set may be in another one by now.
func (d *Restored) check(ctx context.Context, q db.Q) error {
	if d.Kind != GroupSet && d.Kind != Group {
		return nil
	}
	alone, err := db.All[string](ctx, q, `SELECT DISTINCT f.abbreviation FROM deleted_rows r
		JOIN task_definitions f ON f.id = r.row_id LEFT JOIN tasks t ON t.task_definition_id = f.id
			AND t.submission_date > $2
		WHERE r.deletion_id = $1 AND r.table_name = 'definitions_of_set' AND (t.id IS NOT NULL OR f.group_set_id <> $3)`,
		d.ID, d.At, d.RecordID)
	if err != nil {
		return err
	}
	if len(alone) > 0 {
		return fault.New(fault.Conflict, "After %s was deleted, students submitted on their own for %s, or it got "+
			"another group set. The set cannot be restored.", d.Name, strings.Join(alone, ", "))
	}
	return d.checkMembers(ctx, q)
}

// checkMembers refuses where a member of then is in another group now.
func (d *Restored) checkMembers(ctx context.Context, q db.Q) error {
	moved, err := db.All[string](ctx, q, `SELECT u.username FROM deleted_rows r JOIN projects p ON p.id = r.project_id
		JOIN users u ON u.id = p.user_id JOIN deletions d ON d.id = r.deletion_id
		JOIN group_memberships m ON m.group_set_id = d.group_set_id AND m.project_id = p.id AND m.active
		WHERE r.deletion_id = $1 AND r.table_name = 'group_memberships' AND r.row_id <> m.id
			AND r.record LIKE '%"active":true%' ORDER BY u.username`, d.ID)
	if err == nil && len(moved) > 0 {
		return fault.New(fault.Conflict, "Members of the group are now in another one: %s. Remove them from it, then "+
			"restore this.", strings.Join(moved, ", "))
	}
	return err
}

// back does what is left for single kinds, and gives those whose work came back.
func (d *Restored) back(ctx context.Context, q db.Q, archive map[string][]row) ([]Student, error) {
	switch d.Kind {
	case Portfolios:
		if err := d.restorePortfolios(ctx, q, archive); err != nil {
			return nil, err
		}
		return workers(ctx, q, d.ID)
	case TaskWork:
		return workers(ctx, q, d.ID)
	}
	return studentsOf(ctx, q, archive[tasks])
}

// studentsOf gives those whose tasks came back with work in them.
func studentsOf(ctx context.Context, q db.Q, rows []row) ([]Student, error) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.id("id")
	}
	list, args, err := idList(q, nil, ids)
	if err != nil {
		return nil, err
	}
	return db.All[Student](ctx, q, `SELECT DISTINCT p.id AS project_id, p.user_id FROM tasks t
		JOIN projects p ON p.id = t.project_id WHERE t.id IN `+list+` AND `+holds+` ORDER BY p.id`, args...)
}
