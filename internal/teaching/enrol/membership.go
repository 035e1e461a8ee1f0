package enrol

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Member is a student in a group, as their group and the staff see them. Its id
// is the project's.
type Member struct {
	ID          int64 `db:"id" json:"id"`
	Teammate    `json:"student"`
	TargetGrade grade.Grade `db:"target_grade" json:"target_grade"`
}

// Teammate is the person of a Member: what students may know of each other.
type Teammate struct {
	PersonID  int64  `db:"person_id" json:"id"`
	Email     string `db:"email" json:"email"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
	Username  string `db:"username" json:"username"`
	Nickname  string `db:"nickname" json:"nickname"`
}

const selectMembers = `SELECT p.id, p.target_grade, u.id AS person_id, u.email, u.first_name, u.last_name, u.username,
	coalesce(u.nickname, '') AS nickname
	FROM projects p JOIN users u ON u.id = p.user_id`

// MembersOf lists the enrolled students in a group.
func MembersOf(ctx context.Context, q db.Q, groupID int64) ([]Member, error) {
	return db.All[Member](ctx, q, selectMembers+` JOIN group_memberships m ON m.project_id = p.id
		WHERE m.unit_group_id = $1 AND m.active AND p.enrolled
		ORDER BY u.name_key, p.id`, groupID)
}

// TeamOf lists the enrolled students of the group that a project is in, within a set
// of groups. There are none when it is in no group.
func TeamOf(ctx context.Context, q db.Q, projectID, setID int64) ([]Member, error) {
	return db.All[Member](ctx, q, selectMembers+` JOIN group_memberships m ON m.project_id = p.id
		WHERE m.active AND p.enrolled AND m.unit_group_id = (SELECT o.unit_group_id FROM group_memberships o
			WHERE o.project_id = $1 AND o.group_set_id = $2 AND o.active)
		ORDER BY u.name_key, p.id`, projectID, setID)
}

// membershipState is what decides whether a student may be in a group.
type membershipState struct {
	Enrolled   bool    `db:"enrolled"`
	Set        string  `db:"set_name"`
	SetLocked  bool    `db:"set_locked"`
	Keep       bool    `db:"keep"`
	Group      string  `db:"name"`
	Locked     bool    `db:"locked"`
	Tutorial   string  `db:"abbreviation"`
	InTutorial bool    `db:"in_tutorial"`
	Room       *int64  `db:"room"`  // places in the group; nil: no limit
	Taken      int64   `db:"taken"` // by others
	FromID     *int64  `db:"from_id"`
	From       *string `db:"from_name"` // the group of this set they are in
	FromLocked *bool   `db:"from_locked"`
}

// lockMembership locks, in the order all who join keep, the set against changes, the
// student, and the group with the one they are in; then it reads what they are.
func lockMembership(ctx context.Context, q db.Q, setID, groupID, projectID int64) (*membershipState, error) {
	if q.Postgres() {
		if _, err := db.Exec(ctx, q, `SELECT 1 FROM group_sets WHERE id = $1 FOR SHARE`, setID); err != nil {
			return nil, err
		}
		if err := lockProjects(ctx, q, []int64{projectID}); err != nil {
			return nil, err
		}
		_, err := db.Exec(ctx, q, `SELECT 1 FROM unit_groups WHERE id = $2 OR id IN (SELECT unit_group_id
			FROM group_memberships
			WHERE group_set_id = $1 AND project_id = $3 AND active) ORDER BY id FOR NO KEY UPDATE`, setID, groupID,
			projectID)
		if err != nil {
			return nil, err
		}
	}
	return db.OneOf[membershipState](ctx, q, "group", `SELECT p.enrolled, s.name AS set_name, s.locked AS set_locked,
		s.keep_groups_in_same_class AS keep,
			g.name, g.locked, t.abbreviation, s.capacity + g.capacity_adjustment AS room,
			EXISTS (SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id
			AND e.tutorial_id = g.tutorial_id) AS in_tutorial,
			(SELECT count(*) FROM group_memberships o JOIN projects op ON op.id = o.project_id AND op.enrolled
				WHERE o.unit_group_id = g.id AND o.active AND o.project_id <> p.id) AS taken,
			f.id AS from_id, f.name AS from_name, f.locked AS from_locked
		FROM group_sets s JOIN unit_groups g ON g.group_set_id = s.id JOIN tutorials t ON t.id = g.tutorial_id
		JOIN projects p ON p.unit_id = s.unit_id
		LEFT JOIN group_memberships m ON m.group_set_id = s.id AND m.project_id = p.id AND m.active
		LEFT JOIN unit_groups f ON f.id = m.unit_group_id
		WHERE s.id = $1 AND g.id = $2 AND p.id = $3`, setID, groupID, projectID)
}

// codeFull is how programs tell that a group is full.
const codeFull = "group_full"

// Full tells whether a student was refused because the group has no place left.
func Full(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Code == codeFull
}

// Joining is a student on their way into a group of a set.
type Joining struct {
	SetID, GroupID, ProjectID int64
	Exceed                    bool   // a full group takes them, too
	Seen                      *int64 // the group of the set they were seen in, 0: none; nil: it does not matter
}

// elsewhere refuses a student whom somebody else put elsewhere meanwhile.
func (p *membershipState) elsewhere(seen *int64) error {
	switch {
	case seen == nil || *seen == opt.Or(p.FromID, 0):
		return nil
	case p.From == nil:
		return fault.New(fault.Conflict, "The student was taken out of their group in the meantime. Nothing was changed.")
	}
	return fault.New(fault.Conflict, "The student was put into the group %s in the meantime. Nothing was changed.",
		*p.From)
}

// JoinGroup makes a student a member of a group, for holders of policy.ChangeGroup on the
// project, and takes them out of the one of the same set they were in. A full group is
// fault.Conflict but for those who may exceed it (policy.OverfillGroup), whatever arrives at
// once: it is locked while its members are counted. It refuses who is withdrawn, a group or a
// set that is locked, a group that stays in a class the student is not in, and a student who is
// in another group by now than they were seen in.
func JoinGroup(ctx context.Context, q db.Q, j Joining) (*Member, error) {
	setID, groupID, projectID := j.SetID, j.GroupID, j.ProjectID
	p, err := lockMembership(ctx, q, setID, groupID, projectID)
	if err != nil {
		return nil, err
	}
	if err := p.elsewhere(j.Seen); err != nil {
		return nil, err
	}
	if err := p.check(groupID, j.Exceed); err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
		VALUES ($1, $2, $3)
		ON CONFLICT (group_set_id, project_id) DO UPDATE SET unit_group_id = excluded.unit_group_id, active = TRUE`,
		setID, groupID, projectID)
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "joined", ProjectID: projectID,
		RecordID: groupID}); err != nil {
		return nil, err
	}
	return db.One[Member](ctx, q, selectMembers+` WHERE p.id = $1`, projectID)
}

// JoinFirst is JoinGroup for a student who must not be in a group of the set: that is
// fault.Conflict. Students who make a group join it so (policy.CreateGroups).
func JoinFirst(ctx context.Context, q db.Q, setID, groupID, projectID int64) error {
	p, err := lockMembership(ctx, q, setID, groupID, projectID)
	if err != nil {
		return err
	}
	if p.FromID != nil {
		return fault.New(fault.Conflict, "You are already in the group %s. Leave it first.", *p.From)
	}
	_, err = JoinGroup(ctx, q, Joining{SetID: setID, GroupID: groupID, ProjectID: projectID})
	return err
}

func (p *membershipState) check(groupID int64, exceed bool) error {
	switch {
	case !p.Enrolled:
		return errWithdrawn
	case p.FromID != nil && *p.FromID == groupID:
		return fault.About(fault.Conflict, "The student is already in the group %s.", "You are already in the group "+
			"%s.",
			p.Group)
	case p.Keep && !p.InTutorial:
		return fault.About(fault.Refused, "The group %s stays in tutorial %s, and the student is not in it. Enrol them "+
			"there first.", "The group %s stays in tutorial %s, and you are not in it. Join the tutorial first.", p.Group,
			p.Tutorial)
	}
	if err := p.unlocked(); err != nil {
		return err
	}
	if !exceed && p.Room != nil && p.Taken >= *p.Room {
		return &fault.Error{Kind: fault.Conflict, Code: codeFull, Text: fmt.Sprintf("The group %s is full: all of its %d "+
			"places are taken. Choose another one.", p.Group, *p.Room)}
	}
	return nil
}

// unlocked refuses while a lock holds the members where they are. It binds the
// staff too: they can open it.
func (p *membershipState) unlocked() error {
	switch {
	case p.SetLocked:
		return fault.New(fault.Conflict, "The groups of %s are locked. A convenor can unlock the set.", p.Set)
	case p.Locked:
		return fault.New(fault.Conflict, "The group %s is locked. Staff can unlock it.", p.Group)
	case p.FromLocked != nil && *p.FromLocked:
		return fault.About(fault.Conflict, "The student is in the group %s, which is locked. Staff can unlock it.",
			"You are in the group %s, which is locked. Staff can unlock it.", *p.From)
	}
	return nil
}

// LeaveGroup takes a student out of a group, for holders of policy.ChangeGroup on the project.
// It is fault.Missing where they are not in it, and fault.Conflict where the group or its set
// is locked. They may be withdrawn from the unit by now.
func LeaveGroup(ctx context.Context, q db.Q, setID, groupID, projectID int64) error {
	p, err := lockMembership(ctx, q, setID, groupID, projectID)
	if err != nil {
		return err
	}
	if p.FromID == nil || *p.FromID != groupID {
		return fault.About(fault.Missing, "The student is not in the group %s.", "You are not in the group %s.", p.Group)
	}
	if err := p.unlocked(); err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE group_memberships SET active = FALSE WHERE group_set_id = $1 AND project_id = $2`,
		setID, projectID)
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Group, Action: "left", ProjectID: projectID, RecordID: groupID})
}

// ProjectOfUser gives the project of a user in a unit, enrolled or not.
func ProjectOfUser(ctx context.Context, q db.Q, unitID, userID int64) (int64, error) {
	id, err := db.OneOf[int64](ctx, q, "student in this unit", `SELECT id FROM projects WHERE unit_id = $1
		AND user_id = $2`, unitID, userID)
	return opt.Or(id, 0), err
}
