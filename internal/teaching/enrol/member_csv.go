package enrol

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// MemberSheet is what a sheet of group members must have.
var MemberSheet = sheet.Options{Required: []string{"group_name", "username"}}

// ExportMembers reads the enrolled members of the groups of a set, by the names
// of both, and gives what writes them as a sheet that ImportMembers takes back.
func ExportMembers(ctx context.Context, q db.Q, setID int64) (func(io.Writer) error, error) {
	type line struct {
		Group    string `db:"name"`
		Username string `db:"username"`
		Key      string `db:"username_key"`
	}
	members, err := db.All[line](ctx, q, `SELECT g.name, u.username, u.username_key FROM group_memberships m
		JOIN unit_groups g ON g.id = m.unit_group_id JOIN projects p ON p.id = m.project_id AND p.enrolled
		JOIN users u ON u.id = p.user_id WHERE m.group_set_id = $1 AND m.active`, setID)
	slices.SortFunc(members, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Key, b.Key))
	})
	return func(w io.Writer) error {
		t := sheet.Write(w, MemberSheet.Required)
		for _, m := range members {
			if err := t.Row(m.Group, m.Username); err != nil {
				return err
			}
		}
		return t.Flush()
	}, err
}

// memberRow is a row of a sheet of members on its way.
type memberRow struct {
	row      sheet.Row
	username string
	group    *Group
	from     *Group // the group of the set they are in
	project  int64
	wrong    sheet.Flaws
	err      error // all that is wrong; set early where the row cannot be read at all
}

// memberImport takes a sheet of members into the groups of a set.
type memberImport struct {
	unitID  int64
	set     *GroupSet
	byName  map[string]*Group
	byID    map[int64]*Group
	rows    []*memberRow
	seating *allocation
}

// ImportMembers puts students into groups. They leave the group of the set they were in and,
// where groups stay in one class, join its tutorial. Full groups and tutorials take them:
// whoever may import may exceed them. It is for holders of policy.EditGroupSets. Rows with a
// group or a student that there is not, of a group that is locked, or of a class for another
// campus are reported and left out.
func ImportMembers(ctx context.Context, q db.Q, unitID, setID int64, rows *sheet.Reader) (*sheet.Report, error) {
	if err := db.Lock(ctx, q, "group_sets", setID); err != nil {
		return nil, err
	}
	im := &memberImport{unitID: unitID, byName: map[string]*Group{}, byID: map[int64]*Group{}}
	var err error
	if im.set, err = GroupSetByID(ctx, q, setID); err != nil {
		return nil, err
	}
	groups, err := GroupsOf(ctx, q, setID)
	if err != nil {
		return nil, err
	}
	for i := range groups {
		im.byName[groups[i].Name], im.byID[groups[i].ID] = &groups[i], &groups[i]
	}
	im.read(rows)
	if err := im.find(ctx, q); err != nil {
		return nil, err
	}
	if err := im.readMemberships(ctx, q); err != nil {
		return nil, err
	}
	for _, m := range im.rows {
		if m.err == nil {
			m.err = im.check(m)
		}
	}
	if err := im.write(ctx, q); err != nil {
		return nil, err
	}
	return im.report(), audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "members_imported", UnitID: unitID,
		RecordID: setID})
}

func (im *memberImport) read(rows *sheet.Reader) {
	lines := map[string]sheet.Row{}
	for row, err := range rows.Rows() {
		name, key := row.Text("group_name"), ident.Key(row.Get("username"))
		m := &memberRow{row: row, username: row.Get("username"), group: im.byName[name], err: err}
		if m.group == nil {
			m.group = im.byName[strings.TrimSpace(name)]
		}
		if m.group == nil && err == nil {
			m.wrong.Say("there is no group %s; check the spelling, or add the group first", name)
		}
		if first, seen := lines[key]; seen && err == nil {
			m.wrong.Say("%s is already in %s; remove one of the two rows", m.username, first)
		} else if err == nil && len(m.wrong) == 0 {
			lines[key] = row
		}
		im.rows = append(im.rows, m)
	}
}

// find gives the rows their projects, and holds those.
func (im *memberImport) find(ctx context.Context, q db.Q) error {
	names := make([]string, len(im.rows))
	for i, m := range im.rows {
		names[i] = m.username
	}
	found, err := findStudents(ctx, q, im.unitID, names)
	if err != nil {
		return err
	}
	var ids []int64
	for _, p := range found {
		if p.ID != nil {
			ids = append(ids, *p.ID)
		}
	}
	if err := lockAllocation(ctx, q, im.unitID, ids); err != nil {
		return err
	}
	if err := im.lockGroups(ctx, q); err != nil {
		return err
	}
	if im.seating, err = readAllocation(ctx, q, im.unitID, ids, true); err != nil {
		return err
	}
	for _, m := range im.rows {
		if m.err != nil {
			continue
		}
		p, ok := found[ident.Key(m.username)]
		switch {
		case m.username == "":
			m.wrong.Say("username is empty; write the user name of a student")
		case !ok:
			m.wrong.Say("there is no user %s; check the spelling", m.username)
		case p.ID == nil || !im.seating.students[*p.ID].Enrolled:
			m.wrong.Say("%s is not enrolled in this unit; enrol them first, or remove the row", m.username)
		default:
			m.project = *p.ID
		}
		m.err = m.wrong.Err()
	}
	return nil
}

// lockGroups holds the groups of the set against work that is handed in
// together while their members change.
func (im *memberImport) lockGroups(ctx context.Context, q db.Q) error {
	if !q.Postgres() {
		return nil
	}
	_, err := db.Exec(ctx, q, `SELECT 1 FROM unit_groups WHERE group_set_id = $1 ORDER BY id FOR NO KEY UPDATE`,
		im.set.ID)
	return err
}

func (im *memberImport) readMemberships(ctx context.Context, q db.Q) error {
	type membership struct {
		ProjectID int64 `db:"project_id"`
		GroupID   int64 `db:"unit_group_id"`
	}
	in := map[int64]*Group{}
	for m, err := range db.Each[membership](ctx, q, `SELECT project_id, unit_group_id FROM group_memberships
		WHERE group_set_id = $1 AND active`, im.set.ID) {
		if err != nil {
			return err
		}
		in[m.ProjectID] = im.byID[m.GroupID]
	}
	for _, m := range im.rows {
		m.from = in[m.project]
	}
	return nil
}

// check tells why a student cannot go to a group, and finds them a place in its
// tutorial where one is needed.
func (im *memberImport) check(m *memberRow) error {
	if m.from == m.group {
		return nil
	}
	p := membershipState{Set: im.set.Name, SetLocked: im.set.Locked, Group: m.group.Name, Locked: m.group.Locked}
	if m.from != nil {
		p.From, p.FromLocked = &m.from.Name, &m.from.Locked
	}
	if err := p.unlocked(); err != nil || !im.set.KeepGroupsInSameClass {
		return err
	}
	s := im.seating.students[m.project]
	restore := im.seating.state(s)
	for i := range s.ties {
		s.ties[i].left = s.ties[i].left || m.from != nil && s.ties[i].GroupID == m.from.ID
	}
	err := im.seating.take(s, im.seating.tutorials[m.group.TutorialID])
	if err != nil {
		restore()
	}
	return err
}

func (im *memberImport) report() *sheet.Report {
	var r sheet.Report
	for _, m := range im.rows {
		switch {
		case m.err != nil:
			r.Fail(m.row, "%v", m.err)
		case m.from == m.group:
			r.Ignore(m.row, "%s is in the group %s already.", m.username, m.group.Name)
		case m.from != nil:
			r.Succeed(m.row, "%s: moved from %s to %s%s.", m.username, m.from.Name, m.group.Name, im.along(m))
		default:
			r.Succeed(m.row, "%s: in the group %s%s.", m.username, m.group.Name, im.along(m))
		}
	}
	return &r
}

// along tells what else changed for a student: their tutorial, and groups of
// other sets that stay in the one they left.
func (im *memberImport) along(m *memberRow) (what string) {
	s := im.seating.students[m.project]
	for _, e := range s.held {
		if !enrolledIn(s.was, e.TutorialID) {
			what += ", tutorial " + im.seating.tutorials[e.TutorialID].Tutorial
		}
	}
	for _, b := range s.ties {
		if b.left && (m.from == nil || b.GroupID != m.from.ID) {
			what += ", no longer in the group " + b.Group
		}
	}
	return what
}

func (im *memberImport) write(ctx context.Context, q db.Q) error {
	var rows [][]any
	var sitters []*student
	for _, m := range im.rows {
		if m.err == nil && m.from != m.group {
			rows = append(rows, []any{im.set.ID, m.group.ID, m.project})
			sitters = append(sitters, im.seating.students[m.project])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := im.seating.write(ctx, q, sitters); err != nil {
		return err
	}
	list, args, err := db.Rows(q, nil, []string{"s BIGINT", "g BIGINT", "p BIGINT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
		SELECT s, g, p FROM `+list+` r WHERE TRUE ON CONFLICT (group_set_id, project_id) DO UPDATE
		SET unit_group_id = excluded.unit_group_id, active = TRUE`, args...)
	return err
}
