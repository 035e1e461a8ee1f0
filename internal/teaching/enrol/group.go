package enrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Group is a team of students inside a set of groups.
type Group struct {
	ID                 int64  `db:"id" json:"id"`
	Name               string `db:"name" json:"name"`
	TutorialID         int64  `db:"tutorial_id" json:"tutorial_id"`
	GroupSetID         int64  `db:"group_set_id" json:"group_set_id"`
	StudentCount       int64  `db:"student_count" json:"student_count"` // enrolled members
	CapacityAdjustment int64  `db:"capacity_adjustment" json:"capacity_adjustment"`
	Locked             bool   `db:"locked" json:"locked"`
}

const selectGroups = `SELECT g.id, g.name, g.tutorial_id, g.group_set_id, g.capacity_adjustment, g.locked,
		(SELECT count(*) FROM group_memberships m JOIN projects p ON p.id = m.project_id AND p.enrolled
			WHERE m.unit_group_id = g.id AND m.active) AS student_count
	FROM unit_groups g`

// GroupsOfProject lists the groups a student is a member of.
func GroupsOfProject(ctx context.Context, q db.Q, projectID int64) ([]Group, error) {
	return db.All[Group](ctx, q, selectGroups+` JOIN group_memberships mine ON mine.unit_group_id = g.id
		WHERE mine.project_id = $1 AND mine.active ORDER BY g.id`, projectID)
}

// GroupsOfUnit lists the groups of all sets of a unit.
func GroupsOfUnit(ctx context.Context, q db.Q, unitID int64) ([]Group, error) {
	return db.All[Group](ctx, q, selectGroups+` JOIN group_sets s ON s.id = g.group_set_id
		WHERE s.unit_id = $1 ORDER BY g.id`, unitID)
}

// GroupsOf lists the groups of a set in the order they were made.
func GroupsOf(ctx context.Context, q db.Q, setID int64) ([]Group, error) {
	return db.All[Group](ctx, q, selectGroups+` WHERE g.group_set_id = $1 ORDER BY g.id`, setID)
}

// GroupByID reads a group with the number of its members. It fails with
// fault.Missing where there is none.
func GroupByID(ctx context.Context, q db.Q, id int64) (*Group, error) {
	return db.OneOf[Group](ctx, q, "group", selectGroups+` WHERE g.id = $1`, id)
}

// NewGroup is what a group is made from.
type NewGroup struct {
	Name               string // blank: Group N, the first that is free
	TutorialID         int64
	CapacityAdjustment int64
}

// AddGroup makes a group in a set. The set is locked, so that of many who make groups at once
// each gets a name of its own. It is for holders of policy.CreateGroups in the set, and
// fault.Conflict for a name that another group of the set has.
func AddGroup(ctx context.Context, q db.Q, unitID, setID int64, n NewGroup) (*Group, error) {
	if err := db.Lock(ctx, q, "group_sets", setID); err != nil {
		return nil, err
	}
	if err := tutorialIn(ctx, q, unitID, n.TutorialID); err != nil {
		return nil, err
	}
	name, err := groupName(ctx, q, setID, n.Name)
	if err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO unit_groups (group_set_id, tutorial_id, name, capacity_adjustment)
		VALUES ($1, $2, $3, $4) RETURNING id`, setID, n.TutorialID, name, n.CapacityAdjustment)
	if err != nil {
		return nil, groupTaken(err, name)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: audit.Created, UnitID: unitID,
		RecordID: *id}); err != nil {
		return nil, err
	}
	return GroupByID(ctx, q, *id)
}

// groupName gives the name for a new group: the one asked for, or the first
// numbered one that is free.
func groupName(ctx context.Context, q db.Q, setID int64, name string) (string, error) {
	if name = strings.TrimSpace(name); name != "" {
		return name, fits(map[string]*string{"name": &name})
	}
	taken, err := db.All[string](ctx, q, `SELECT name FROM unit_groups WHERE group_set_id = $1`, setID)
	if err != nil {
		return "", err
	}
	slices.Sort(taken)
	for n := 1; ; n++ {
		name = fmt.Sprintf("Group %d", n)
		if _, found := slices.BinarySearch(taken, name); !found {
			return name, nil
		}
	}
}

func tutorialIn(ctx context.Context, q db.Q, unitID, id int64) error {
	_, err := db.OneOf[int64](ctx, q, "tutorial in this unit", `SELECT id FROM tutorials WHERE id = $1
		AND unit_id = $2`, id, unitID)
	return err
}

func groupTaken(err error, name string) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another group of this set has the name %s.", name)
	}
	return err
}

// GroupChange is what to set of a group; nil leaves a value alone.
type GroupChange struct {
	Name               *string
	TutorialID         *int64
	CapacityAdjustment *int64
	Locked             *bool
	Seen               *GroupChange // the group as whoever changes it saw it; nil: it does not matter
}

// groupColumns are those that a change of a group sets, by the names the API has for them.
var groupColumns = []string{"name", "tutorial_id", "capacity_adjustment", "locked"}

// over gives a group with what is to be set of it.
func (c GroupChange) over(g Group) Group {
	if c.Name != nil {
		g.Name = strings.TrimSpace(*c.Name)
	}
	opt.Set(&g.TutorialID, c.TutorialID)
	opt.Set(&g.CapacityAdjustment, c.CapacityAdjustment)
	opt.Set(&g.Locked, c.Locked)
	return g
}

// clashes refuses a change of values that somebody else changed since whoever makes it saw them, to
// something else than they are to be.
func (c GroupChange) clashes(g Group) error {
	if c.Seen == nil {
		return nil
	}
	before := c.Seen.over(g)
	after := c.over(before)
	return clash(&g, &before, &after, groupColumns)
}

// Steers tells whether c changes more of a group than its name.
func (c GroupChange) Steers(g *Group) bool {
	return c.TutorialID != nil && *c.TutorialID != g.TutorialID ||
		c.CapacityAdjustment != nil && *c.CapacityAdjustment != g.CapacityAdjustment ||
		c.Locked != nil && *c.Locked != g.Locked
}

// LockGroup locks a group together with its set, against all who would join or
// leave it, and reads it.
func LockGroup(ctx context.Context, q db.Q, setID, id int64) (*Group, error) {
	if err := db.Lock(ctx, q, "group_sets", setID); err != nil {
		return nil, err
	}
	return GroupByID(ctx, q, id)
}

// ChangeGroup changes a group that HoldGroup gave. Where groups stay in one class, its members
// move to its new tutorial with it: all of them, or the group stays. It is for holders of
// policy.EditGroup, and of policy.SteerGroup for the tutorial, the capacity and the lock. A
// name that is taken, a member who cannot move, and values that are no longer what c.Seen says are
// fault.Conflict.
func ChangeGroup(ctx context.Context, q db.Q, unitID int64, g *Group, c GroupChange) (*Group, error) {
	if err := c.clashes(*g); err != nil {
		return nil, err
	}
	c.Seen = nil
	then := c.over(*g)
	if c.Name != nil {
		if err := fits(map[string]*string{"name": &then.Name}); err != nil {
			return nil, err
		}
	}
	if then.TutorialID != g.TutorialID {
		if err := moveGroup(ctx, q, unitID, g, then.TutorialID); err != nil {
			return nil, err
		}
	}
	_, err := db.Exec(ctx, q, `UPDATE unit_groups SET name = $2, tutorial_id = $3, capacity_adjustment = $4, locked =
		$5 WHERE id = $1`,
		g.ID, then.Name, then.TutorialID, then.CapacityAdjustment, then.Locked)
	if err != nil {
		return nil, groupTaken(err, then.Name)
	}
	return &then, audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: audit.Changed, UnitID: unitID,
		RecordID: g.ID, Fields: audit.Given(c)})
}

// moveGroup takes the members of a group to another tutorial where the set
// keeps groups in one class.
func moveGroup(ctx context.Context, q db.Q, unitID int64, g *Group, tutorialID int64) error {
	if err := tutorialIn(ctx, q, unitID, tutorialID); err != nil {
		return err
	}
	s, err := GroupSetByID(ctx, q, g.GroupSetID)
	if err != nil || !s.KeepGroupsInSameClass {
		return err
	}
	moves, err := lockMoves(ctx, q, unitID, []int64{g.ID})
	if err != nil {
		return err
	}
	if err := moves.move(g.ID, tutorialID); err != nil {
		return err
	}
	return moves.write(ctx, q)
}

// moves is the allocation of the members of groups that shall move.
type moves struct {
	*allocation
	members map[int64][]*student // by group
	names   map[int64]string     // of the students, by project
}

// lockMoves locks and reads the members of groups whose set is locked. The
// withdrawn are locked too, so that none comes back meanwhile; they do not move.
func lockMoves(ctx context.Context, q db.Q, unitID int64, groups []int64) (*moves, error) {
	list, args, err := idRows(q, groups)
	if err != nil {
		return nil, err
	}
	members, err := db.All[struct {
		ProjectID int64  `db:"project_id"`
		GroupID   int64  `db:"unit_group_id"`
		Username  string `db:"username"`
	}](ctx, q, `SELECT m.project_id, m.unit_group_id, u.username FROM group_memberships m
		JOIN projects p ON p.id = m.project_id
		JOIN users u ON u.id = p.user_id WHERE m.active AND m.unit_group_id IN (SELECT id FROM `+list+
		` r) ORDER BY m.project_id`, args...)
	if err != nil {
		return nil, err
	}
	m := &moves{members: map[int64][]*student{}, names: map[int64]string{}}
	var ids []int64
	for _, x := range members {
		ids, m.names[x.ProjectID] = append(ids, x.ProjectID), x.Username
	}
	if err := lockAllocation(ctx, q, unitID, ids); err != nil {
		return nil, err
	}
	if m.allocation, err = readAllocation(ctx, q, unitID, ids, true); err != nil {
		return nil, err
	}
	for _, x := range members {
		if p := m.students[x.ProjectID]; p.Enrolled {
			m.members[x.GroupID] = append(m.members[x.GroupID], p)
		}
	}
	return m, nil
}

// move enrols all members of a group in a tutorial, or none and says why.
func (m *moves) move(groupID, tutorialID int64) error {
	var undo []func()
	for _, p := range m.members[groupID] {
		undo = append(undo, m.state(p))
		for i := range p.ties {
			if p.ties[i].GroupID == groupID { // comes along
				p.ties[i].TutorialID = tutorialID
			}
		}
		if err := m.take(p, m.tutorials[tutorialID]); err != nil {
			for _, f := range slices.Backward(undo) {
				f()
			}
			return fault.New(fault.Conflict, "The student %s cannot move with the group: %s", m.names[p.ProjectID], err.Error())
		}
	}
	return nil
}

func (m *moves) write(ctx context.Context, q db.Q) error {
	var all []*student
	for _, members := range m.members {
		all = append(all, members...)
	}
	return m.allocation.write(ctx, q, all)
}

// DeleteGroup removes a group that LockGroup gave. Its work must be gone. usecase.DeleteGroup
// asks policy.EditGroup, and policy.DeleteWork where there is work.
func DeleteGroup(ctx context.Context, q db.Q, id int64) error {
	if _, err := db.Exec(ctx, q, `DELETE FROM unit_groups WHERE id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: audit.Deleted, RecordID: id})
}
