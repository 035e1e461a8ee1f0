package trash

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/platform/db"
)

// Student is somebody whose work went, or came back.
type Student struct {
	ProjectID int64 `db:"project_id"`
	UserID    int64 `db:"user_id"`
}

// Keep puts a thing with all that hangs on it into the archive, and takes the students' work
// out of the way: the thing itself is then its own package's to delete, in the same
// transaction. It gives those whose work went. It is for holders of policy.DeleteWork, who are
// asked for a second word first (force) wherever there is work.
func Keep(ctx context.Context, q db.Q, t Thing, by int64) (*Deletion, []Student, error) {
	head, err := t.lock(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	b, err := t.gather(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	told, err := db.All[Student](ctx, q, `SELECT DISTINCT p.id AS project_id, p.user_id FROM tasks t
		JOIN projects p ON p.id = t.project_id WHERE t.id IN (`+t.tasks()+`) AND `+holds+` ORDER BY p.id`, t.ID)
	if err != nil {
		return nil, nil, err
	}
	d := &Deletion{UnitID: head.UnitID, Kind: t.Kind, RecordID: t.ID, Name: head.Name, DeletedBy: by,
		Students: int64(len(told)), At: q.Now(), RetirementID: t.Retirement}
	if err := d.insert(ctx, q, head.SetID, b); err != nil {
		return nil, nil, fmt.Errorf("keep what is deleted: %w", err)
	}
	if err := t.clear(ctx, q); err != nil || !t.Named {
		return d, told, err
	}
	return d, told, b.anonymise(ctx, q, d)
}

// insert puts a deletion with its rows into the archive.
func (d *Deletion) insert(ctx context.Context, q db.Q, setID *int64, b *box) error {
	d.date()
	kind := d.Kind
	if d.RetirementID != nil {
		kind = Definition // kindOf tells what it is
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO deletions (unit_id, kind, record_id, name, group_set_id, user_id,
			students, at, retirement_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`, d.UnitID, string(kind),
		d.RecordID, d.Name, setID, d.DeletedBy, d.Students, d.At, d.RetirementID)
	if err != nil {
		return err
	}
	d.ID = *id
	return b.write(ctx, q, d.ID)
}

// head is what the archive says of a thing.
type head struct {
	UnitID int64  `db:"unit_id"`
	Name   string `db:"name"`
	SetID  *int64 `db:"set_id"` // that it needs
}

// lock holds the thing and its students' tasks, so that nothing is added to them
// between being read and being deleted, and reads what it is called.
func (t Thing) lock(ctx context.Context, q db.Q) (*head, error) {
	read := map[Kind][2]string{
		Definition: {definitions, `SELECT unit_id, abbreviation || ' ' || name AS name, group_set_id AS set_id
			FROM task_definitions WHERE id = $1`},
		GroupSet: {sets, `SELECT unit_id, name, CAST(NULL AS BIGINT) AS set_id FROM group_sets WHERE id = $1`},
		Group: {groups, `SELECT s.unit_id, g.name, s.id AS set_id FROM unit_groups g
			JOIN group_sets s ON s.id = g.group_set_id WHERE g.id = $1`},
		TaskWork: {definitions, `SELECT unit_id, abbreviation || ' ' || name AS name, CAST(NULL AS BIGINT) AS set_id
			FROM task_definitions WHERE id = $1`},
	}[t.Kind]
	if err := db.Lock(ctx, q, read[0], t.ID); err != nil {
		return nil, err
	}
	if q.Postgres() {
		for _, rows := range []string{`unit_groups WHERE id IN (SELECT g.id FROM unit_groups g WHERE ` + t.groups() + `)`,
			`tasks WHERE id IN (` + t.tasks() + `)`, `submissions WHERE task_id IN (` + t.tasks() + `)`} {
			if _, err := db.Exec(ctx, q, `SELECT 1 FROM `+rows+` ORDER BY id FOR UPDATE`, t.ID); err != nil {
				return nil, err
			}
		}
	}
	return db.OneOf[head](ctx, q, t.Kind.Word(), read[1], t.ID)
}

// clear removes what would keep the thing from being deleted.
func (t Thing) clear(ctx context.Context, q db.Q) error {
	switch t.Kind {
	case Definition:
		return nil
	case TaskWork:
		return t.clearWork(ctx, q)
	}
	texts := []string{`DELETE FROM tasks WHERE id IN (` + t.tasks() + `)`,
		`DELETE FROM group_submissions WHERE unit_group_id IN (SELECT g.id FROM unit_groups g WHERE ` + t.groups() + `)`}
	if t.Kind == GroupSet {
		texts = append(texts, `UPDATE task_definitions SET group_set_id = NULL WHERE group_set_id = $1`)
	}
	for _, text := range texts {
		if _, err := db.Exec(ctx, q, text, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// owner is whose work a row is.
type owner struct {
	project int64
	shared  bool
}

// kept is a row with the table it is of.
type kept struct {
	table *table
	row   row
	owner owner
}

// box is what goes into the archive.
type box struct {
	rows   []kept
	ids    map[string][]int64
	owners map[string]map[int64]owner
	// of is the definition of each task that stays while its work goes.
	of map[int64]int64
}

// gather reads every row that hangs on the thing, one statement for each table.
func (t Thing) gather(ctx context.Context, q db.Q) (*box, error) {
	b := &box{ids: map[string][]int64{}, owners: map[string]map[int64]owner{}}
	seeds := map[string][]int64{}
	var err error
	if seeds[tasks], err = db.All[int64](ctx, q, t.tasks(), t.ID); err != nil {
		return nil, err
	}
	if seeds[groups], err = db.All[int64](ctx, q, `SELECT g.id FROM unit_groups g WHERE `+t.groups(), t.ID); err != nil {
		return nil, err
	}
	switch t.Kind {
	case Definition:
		seeds[definitions] = []int64{t.ID}
	case GroupSet:
		seeds[sets] = []int64{t.ID}
	case TaskWork:
		if seeds, err = b.workOf(ctx, q, t.ID, seeds[tasks]); err != nil {
			return nil, err
		}
	}
	for i := range tables {
		if err := b.read(ctx, q, &tables[i], seeds); err != nil {
			return nil, fmt.Errorf("read %s: %w", tables[i].called(), err)
		}
	}
	return b, nil
}

// read adds the rows of a table that refer to rows in the box or, where nothing
// does, whose ids are given.
func (b *box) read(ctx context.Context, q db.Q, t *table, seeds map[string][]int64) error {
	by := t.of
	from := b.ids
	if len(by) == 0 || len(seeds[handins])+len(seeds[comments]) > 0 && (t.name == handins || t.name == comments) {
		by, from = []ref{{"id", t.name}}, seeds
	}
	var where []string
	var args []any
	for _, r := range by {
		if len(from[r.table]) == 0 {
			continue
		}
		list, with, err := idList(q, args, from[r.table])
		if err != nil {
			return err
		}
		where, args = append(where, "t."+r.column+" IN "+list), with
	}
	if len(where) == 0 {
		return nil
	}
	columns := "t.*"
	if t.relink != "" {
		columns = db.Columns("t.", append(append([]string{}, t.key...), t.relink))
	}
	for r, err := range db.Records(ctx, q, `SELECT `+columns+` FROM `+t.name+` t WHERE `+strings.Join(where, " OR ")+
		` ORDER BY 1, 2`, args...) {
		if err != nil {
			return err
		}
		b.add(t, toRow(r))
	}
	return nil
}

// idList writes the list of an IN condition over many ids.
func idList(q db.Q, args []any, ids []int64) (string, []any, error) {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	from, args, err := db.Rows(q, args, []string{"id BIGINT"}, rows)
	return "(SELECT v.id FROM " + from + " v)", args, err
}

// add puts a row into the box, as the work of whom it is.
func (b *box) add(t *table, r row) {
	k := kept{table: t, row: r, owner: b.ownerOf(t, r)}
	b.rows = append(b.rows, k)
	if t.relink != "" {
		return
	}
	if id := r.id("id"); id != 0 {
		b.ids[t.name] = append(b.ids[t.name], id)
		if b.owners[t.name] == nil {
			b.owners[t.name] = map[int64]owner{}
		}
		b.owners[t.name][id] = k.owner
	}
}

func (b *box) ownerOf(t *table, r row) owner {
	switch t.name {
	case tasks:
		return owner{r.id("project_id"), r["group_submission_id"] != nil}
	case "group_memberships", "idempotency_keys":
		return owner{r.id("project_id"), t.name == "group_memberships"}
	case pairs:
		return owner{}
	}
	for _, ref := range t.of {
		if o, ok := b.owners[ref.table][r.id(ref.column)]; ok && o.project != 0 {
			return o
		}
	}
	return owner{}
}

// write stores the rows and what files they refer to.
func (b *box) write(ctx context.Context, q db.Q, id int64) error {
	rows := make([][]any, len(b.rows))
	for i, k := range b.rows {
		text, err := k.row.encode()
		if err != nil {
			return err
		}
		rows[i] = []any{id, i, k.table.called(), none(k.row.id("id")), none(k.owner.project), k.owner.shared, text}
	}
	err := db.Insert(ctx, q, "deleted_rows (deletion_id, position, table_name, row_id, project_id, shared, record)", "",
		rows)
	if err != nil {
		return err
	}
	return b.writeFiles(ctx, q, id)
}

func none(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
