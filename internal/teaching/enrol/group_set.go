package enrol

import (
	"context"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// GroupSet is a way to divide the students of a unit into groups: a student is
// in at most one group of it.
type GroupSet struct {
	ID                    int64  `db:"id" json:"id"`
	Name                  string `db:"name" json:"name"`
	StudentsCreateGroups  bool   `db:"allow_students_to_create_groups" json:"allow_students_to_create_groups"`
	StudentsManageGroups  bool   `db:"allow_students_to_manage_groups" json:"allow_students_to_manage_groups"`
	KeepGroupsInSameClass bool   `db:"keep_groups_in_same_class" json:"keep_groups_in_same_class"`
	Capacity              *int64 `db:"capacity" json:"capacity"` // of each group; nil: no limit
	Locked                bool   `db:"locked" json:"locked"`     // nobody joins or leaves
}

const selectGroupSets = `SELECT id, name, allow_students_to_create_groups, allow_students_to_manage_groups,
	keep_groups_in_same_class, capacity, locked FROM group_sets`

// GroupSetsOf lists the group sets of a unit in the order they were made.
func GroupSetsOf(ctx context.Context, q db.Q, unitID int64) ([]GroupSet, error) {
	return db.All[GroupSet](ctx, q, selectGroupSets+` WHERE unit_id = $1 ORDER BY id`, unitID)
}

// GroupSetByID reads a group set. It fails with fault.Missing where there is none.
func GroupSetByID(ctx context.Context, q db.Q, id int64) (*GroupSet, error) {
	return db.OneOf[GroupSet](ctx, q, "group set", selectGroupSets+` WHERE id = $1`, id)
}

// GroupSetChange is what to set of a group set; nil leaves a value alone.
type GroupSetChange struct {
	Name                                              *string
	StudentsCreate, StudentsManage, KeepInClass, Lock *bool
	Capacity                                          *int64 // 0: no limit
	Seen                                              *GroupSetChange
}

// groupSetColumns are those that a change of a set sets, by the names the API has for them.
var groupSetColumns = []string{"name", "allow_students_to_create_groups", "allow_students_to_manage_groups",
	"keep_groups_in_same_class", "capacity", "locked"}

// clashes refuses a change of values that somebody else changed since whoever makes it saw them, to
// something else than they are to be. Of what Seen does not have nothing is said.
func (c GroupSetChange) clashes(g GroupSet) error {
	if c.Seen == nil {
		return nil
	}
	before := g
	// What was seen stood there once, so it fits.
	_ = before.apply(*c.Seen)
	after := before
	if err := after.apply(c); err != nil {
		return err
	}
	return clash(&g, &before, &after, groupSetColumns)
}

// clash compares a record as it is, as it was seen, and as it is to be.
func clash[T any](now, before, after *T, columns []string) error {
	is, was, to := db.Values(now, columns), db.Values(before, columns), db.Values(after, columns)
	var wrong fault.Fields
	for i, name := range columns {
		course.Clash(&wrong, name, is[i], was[i], to[i])
	}
	return wrong.Err(fault.Conflict)
}

// AddGroupSet makes a group set in a unit. Without other words students make and manage its
// groups, across classes and without a limit. It is for holders of policy.EditGroupSets. It
// refuses a capacity below 2, and with fault.Conflict a name that another set of the unit has.
func AddGroupSet(ctx context.Context, q db.Q, unitID int64, c GroupSetChange) (*GroupSet, error) {
	g := GroupSet{StudentsCreateGroups: true, StudentsManageGroups: true}
	if err := g.apply(c); err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO group_sets (unit_id, name, allow_students_to_create_groups,
			allow_students_to_manage_groups, keep_groups_in_same_class, capacity, locked)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
		unitID, g.Name, g.StudentsCreateGroups, g.StudentsManageGroups, g.KeepGroupsInSameClass, g.Capacity, g.Locked)
	if err != nil {
		return nil, groupSetTaken(err, g.Name)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "set_created", UnitID: unitID,
		RecordID: *id}); err != nil {
		return nil, err
	}
	return GroupSetByID(ctx, q, *id)
}

// ChangeGroupSet changes one. Groups are kept in their class only from a moment on when they
// all are. It is for holders of policy.EditGroupSets and refuses what AddGroupSet refuses, and with
// fault.Conflict values that are no longer what c.Seen says.
func ChangeGroupSet(ctx context.Context, q db.Q, id int64, c GroupSetChange) (*GroupSet, error) {
	if err := db.Lock(ctx, q, "group_sets", id); err != nil {
		return nil, err
	}
	g, err := GroupSetByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if err := c.clashes(*g); err != nil {
		return nil, err
	}
	c.Seen = nil
	kept := g.KeepGroupsInSameClass
	if err := g.apply(c); err != nil {
		return nil, err
	}
	if g.KeepGroupsInSameClass && !kept {
		if err := inTheirClass(ctx, q, id); err != nil {
			return nil, err
		}
	}
	_, err = db.Exec(ctx, q, `UPDATE group_sets SET name = $2, allow_students_to_create_groups = $3,
		allow_students_to_manage_groups = $4,
			keep_groups_in_same_class = $5, capacity = $6, locked = $7
		WHERE id = $1`, id, g.Name, g.StudentsCreateGroups, g.StudentsManageGroups, g.KeepGroupsInSameClass, g.Capacity,
		g.Locked)
	if err != nil {
		return nil, groupSetTaken(err, g.Name)
	}
	return g, audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "set_changed", RecordID: id,
		Fields: audit.Given(c)})
}

func (g *GroupSet) apply(c GroupSetChange) error {
	if c.Name != nil {
		g.Name = strings.TrimSpace(*c.Name)
		if err := fits(map[string]*string{"name": &g.Name}); err != nil {
			return err
		}
	}
	opt.Set(&g.StudentsCreateGroups, c.StudentsCreate)
	opt.Set(&g.StudentsManageGroups, c.StudentsManage)
	opt.Set(&g.KeepGroupsInSameClass, c.KeepInClass)
	opt.Set(&g.Locked, c.Lock)
	switch {
	case c.Capacity == nil:
	case *c.Capacity == 0:
		g.Capacity = nil
	case *c.Capacity < 2:
		return fault.Field(fault.Invalid, "capacity", "must be 2 or more; leave it empty for no limit")
	default:
		g.Capacity = c.Capacity
	}
	return nil
}

// InTheirClass refuses while a set keeps its groups in one class and a member of one
// is not in it.
func InTheirClass(ctx context.Context, q db.Q, setID int64) error {
	s, err := GroupSetByID(ctx, q, setID)
	if err != nil || !s.KeepGroupsInSameClass {
		return err
	}
	return inTheirClass(ctx, q, setID)
}

// inTheirClass refuses while a member of a group is not in its tutorial. The
// members are locked, so that none leaves it meanwhile.
func inTheirClass(ctx context.Context, q db.Q, setID int64) error {
	members, err := db.All[int64](ctx, q, `SELECT project_id FROM group_memberships WHERE group_set_id = $1
		AND active`, setID)
	if err != nil {
		return err
	}
	if err := lockProjects(ctx, q, members); err != nil {
		return err
	}
	out, err := db.All[struct {
		Username string `db:"username"`
		Group    string `db:"name"`
		Tutorial string `db:"abbreviation"`
	}](ctx, q, `SELECT u.username, g.name, t.abbreviation FROM group_memberships m
		JOIN unit_groups g ON g.id = m.unit_group_id JOIN tutorials t ON t.id = g.tutorial_id
		JOIN projects p ON p.id = m.project_id AND p.enrolled JOIN users u ON u.id = p.user_id
		WHERE m.group_set_id = $1 AND m.active AND NOT EXISTS (
			SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id AND e.tutorial_id = g.tutorial_id)
		ORDER BY g.id, p.id`, setID)
	if err == nil && len(out) > 0 {
		return fault.New(fault.Conflict, "%s not in the tutorial of their group; the first is %s of %s, who is not "+
			"in %s. Move them first.",
			plural(len(out), "member is", "members are"), out[0].Username, out[0].Group, out[0].Tutorial)
	}
	return err
}

// DeleteGroupSet removes a set with its groups. It is fault.Conflict while tasks are done in
// it; the work of its groups must be gone. usecase.DeleteGroupSet asks policy.EditGroupSets,
// and policy.DeleteWork where there is work.
func DeleteGroupSet(ctx context.Context, q db.Q, id int64) error {
	if err := UnusedSet(ctx, q, id); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM group_sets WHERE id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "set_deleted", RecordID: id})
}

// UnusedSet refuses a set in whose groups tasks are done.
func UnusedSet(ctx context.Context, q db.Q, id int64) error {
	tasks, err := db.All[string](ctx, q, `SELECT abbreviation FROM task_definitions WHERE group_set_id = $1
		ORDER BY id`, id)
	if err != nil {
		return err
	}
	if len(tasks) > 0 {
		return fault.New(fault.Conflict, "These tasks use the groups of this set: %s. Give them another set first, "+
			"or delete this one with force=true.",
			strings.Join(tasks, ", "))
	}
	return nil
}

func groupSetTaken(err error, name string) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another group set of this unit has the name %s.", name)
	}
	return err
}
