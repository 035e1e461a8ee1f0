package enrol

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// GroupSheet is what a sheet of groups must have. A campus column only tells
// where a tutorial that is not there yet shall be.
var GroupSheet = sheet.Options{Required: []string{"group_name", "capacity_adjustment", "tutorial"}}

// ExportGroups reads the groups of a set, by name, and gives what writes them
// as a sheet that ImportGroups takes back.
func ExportGroups(ctx context.Context, q db.Q, setID int64) (func(io.Writer) error, error) {
	type line struct {
		Name       string  `db:"name"`
		Adjustment int64   `db:"capacity_adjustment"`
		Tutorial   string  `db:"tutorial"`
		Campus     *string `db:"campus"`
	}
	groups, err := db.All[line](ctx, q, `SELECT g.name, g.capacity_adjustment, t.abbreviation AS tutorial,
		c.abbreviation AS campus
		FROM unit_groups g JOIN tutorials t ON t.id = g.tutorial_id LEFT JOIN campuses c ON c.id = t.campus_id
		WHERE g.group_set_id = $1`, setID)
	slices.SortFunc(groups, func(a, b line) int { return cmp.Compare(a.Name, b.Name) })
	return func(w io.Writer) error {
		t := sheet.Write(w, append(slices.Clone(GroupSheet.Required), "campus"))
		for _, g := range groups {
			if err := t.Row(g.Name, strconv.FormatInt(g.Adjustment, 10), g.Tutorial, opt.Or(g.Campus, "")); err != nil {
				return err
			}
		}
		return t.Flush()
	}, err
}

// groupRow is a row of a sheet of groups on its way.
type groupRow struct {
	row        sheet.Row
	now        *Group // nil: to be made
	name       string
	adjustment int64
	tutorialID int64  // 0: to be made, too
	tutorial   string // its abbreviation
	campusID   *int64 // of a tutorial to be made
	err        error
}

// groupImport takes a sheet of groups into a set.
type groupImport struct {
	*Roster
	set    *GroupSet
	groups map[string]*Group
	rows   []*groupRow
	made   map[string]int64 // tutorials, by abbreviation
}

// ImportGroups makes the groups of a sheet and changes those that are there already, told by
// their names. A tutorial that does not exist is made, to be filled in later; where groups stay
// in one class, members move with them. It is for holders of policy.EditGroupSets. A row with a
// campus or a number that there is not, and a group whose members cannot move, is reported and
// the others are done.
func ImportGroups(ctx context.Context, q db.Q, unitID, setID int64, rows *sheet.Reader) (*sheet.Report, error) {
	if err := db.Lock(ctx, q, "group_sets", setID); err != nil {
		return nil, err
	}
	im := &groupImport{groups: map[string]*Group{}, made: map[string]int64{}}
	var err error
	if im.set, err = GroupSetByID(ctx, q, setID); err != nil {
		return nil, err
	}
	if im.Roster, err = ReadRoster(ctx, q, unitID); err != nil {
		return nil, err
	}
	groups, err := GroupsOf(ctx, q, setID)
	if err != nil {
		return nil, err
	}
	for i := range groups {
		im.groups[groups[i].Name] = &groups[i]
	}
	im.read(rows)
	if err := im.makeTutorials(ctx, q); err != nil {
		return nil, err
	}
	if err := im.moveMembers(ctx, q); err != nil {
		return nil, err
	}
	if err := im.write(ctx, q); err != nil {
		return nil, err
	}
	return im.report(), audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "imported", UnitID: unitID,
		RecordID: setID})
}

func (im *groupImport) read(rows *sheet.Reader) {
	lines := map[string]sheet.Row{}
	for row, err := range rows.Rows() {
		g := &groupRow{row: row}
		var wrong sheet.Flaws
		if wrong.Add(err); err == nil {
			im.readRow(g, &wrong)
			if first, seen := lines[g.name]; seen {
				wrong.Say("%s is already in %s; remove one of the two rows", g.name, first)
			} else if len(wrong) == 0 {
				lines[g.name] = row
			}
		}
		g.err = wrong.Err()
		im.rows = append(im.rows, g)
	}
}

func (im *groupImport) readRow(g *groupRow, wrong *sheet.Flaws) {
	if g.name = g.row.Text("group_name"); im.groups[g.name] == nil {
		g.name = strings.TrimSpace(g.name)
	}
	g.now = im.groups[g.name]
	if err := fits(map[string]*string{"group_name": &g.name}); err != nil {
		wrong.Say("group_name must have 1 to %d characters", longest)
	}
	if n := g.row.Get("capacity_adjustment"); n != "" {
		var err error
		if g.adjustment, err = strconv.ParseInt(n, 10, 32); err != nil {
			wrong.Say("capacity_adjustment must be a whole number, not %.30q", n)
		}
	}
	g.tutorial = g.row.Text("tutorial")
	if id, ok := im.tutorials.find(g.tutorial); ok {
		g.tutorialID = id
		return
	}
	g.tutorial = strings.TrimSpace(g.tutorial)
	if err := fits(map[string]*string{"tutorial": &g.tutorial}); err != nil {
		wrong.Say("tutorial must have 1 to %d characters", longest)
	}
	if name := g.row.Text("campus"); strings.TrimSpace(name) != "" {
		id, ok := im.campuses.find(name)
		if !ok {
			wrong.Say("there is no campus %s; write its abbreviation or name, or nothing", name)
		}
		g.campusID = &id
	}
}

// makeTutorials makes the tutorials that rows name and the unit does not have:
// on Mondays at eight, by the main convenor, until someone knows better.
func (im *groupImport) makeTutorials(ctx context.Context, q db.Q) error {
	first := map[string]*groupRow{}
	for _, g := range im.rows {
		if g.err == nil && g.tutorialID == 0 && first[g.tutorial] == nil {
			first[g.tutorial] = g
		}
	}
	if len(first) == 0 {
		return nil
	}
	var rows [][]any
	for _, name := range slices.Sorted(maps.Keys(first)) {
		rows = append(rows, []any{name, first[name].campusID})
	}
	list, args, err := db.Rows(q, []any{im.UnitID}, []string{"name TEXT", "campus BIGINT"}, rows)
	if err != nil {
		return err
	}
	type tutorial struct {
		ID   int64  `db:"id"`
		Name string `db:"abbreviation"`
	}
	for t, err := range db.Each[tutorial](ctx, q, `INSERT INTO tutorials (unit_id, unit_role_id, campus_id,
		abbreviation, meeting_day, meeting_time, meeting_location)
		SELECT u.id, m.id, r.campus, r.name, 'Monday', '8:00am', 'TBA' FROM `+list+` r JOIN units u ON u.id = $1
		LEFT JOIN unit_roles m ON m.unit_id = u.id AND m.is_main RETURNING id, abbreviation`, args...) {
		if err != nil {
			return err
		}
		im.made[t.Name] = t.ID
	}
	for _, g := range im.rows {
		if g.tutorialID == 0 {
			g.tutorialID = im.made[g.tutorial]
		}
	}
	return nil
}

// moves tells whether a group that is there shall have another tutorial.
func (g *groupRow) moves() bool {
	return g.err == nil && g.now != nil && g.now.TutorialID != g.tutorialID
}

// moveMembers takes the members of groups to their new tutorials where the set
// keeps groups in one class; a group that cannot go stays where it is.
func (im *groupImport) moveMembers(ctx context.Context, q db.Q) error {
	var ids []int64
	for _, g := range im.rows {
		if g.moves() {
			ids = append(ids, g.now.ID)
		}
	}
	if len(ids) == 0 || !im.set.KeepGroupsInSameClass {
		return nil
	}
	m, err := lockMoves(ctx, q, im.UnitID, ids)
	if err != nil {
		return err
	}
	for _, g := range im.rows {
		if g.moves() {
			g.err = m.move(g.now.ID, g.tutorialID)
		}
	}
	return m.write(ctx, q)
}

// changes tells in words what a row changes of its group.
func (g *groupRow) changes() (what []string) {
	if g.now.TutorialID != g.tutorialID {
		what = append(what, "tutorial "+g.tutorial)
	}
	if g.now.CapacityAdjustment != g.adjustment {
		what = append(what, fmt.Sprintf("capacity_adjustment %d", g.adjustment))
	}
	return what
}

func (im *groupImport) report() *sheet.Report {
	var r sheet.Report
	for _, g := range im.rows {
		note := ""
		if im.made[g.tutorial] != 0 {
			note = fmt.Sprintf(" Tutorial %s was created: Monday 8:00am, TBA, by the main convenor.", g.tutorial)
		}
		switch {
		case g.err != nil:
			r.Fail(g.row, "%v", g.err)
		case g.now == nil:
			r.Succeed(g.row, "%s: created.%s", g.name, note)
		case len(g.changes()) > 0:
			r.Succeed(g.row, "%s: %s.%s", g.name, strings.Join(g.changes(), ", "), note)
		default:
			r.Ignore(g.row, "%s is like this already.", g.name)
		}
	}
	return &r
}

func (im *groupImport) write(ctx context.Context, q db.Q) error {
	var rows [][]any
	for _, g := range im.rows {
		if g.err == nil && (g.now == nil || len(g.changes()) > 0) {
			rows = append(rows, []any{im.set.ID, g.name, g.tutorialID, g.adjustment})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	list, args, err := db.Rows(q, nil, []string{"s BIGINT", "name TEXT", "t BIGINT", "n BIGINT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO unit_groups (group_set_id, name, tutorial_id, capacity_adjustment)
		SELECT s, name, t, n FROM `+list+` r WHERE TRUE ON CONFLICT (group_set_id, name) DO UPDATE
		SET tutorial_id = excluded.tutorial_id, capacity_adjustment = excluded.capacity_adjustment`, args...)
	return err
}
