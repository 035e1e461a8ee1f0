package enrol

import (
	"context"
	"slices"

	"lectern/internal/platform/db"
)

// SetChoice is a set of groups as one student of its unit can choose from it.
type SetChoice struct {
	GroupSet
	Own     *GroupChoice  `json:"own_group"` // the one the student is in
	Members []Member      `json:"members"`   // of that one
	Groups  []GroupChoice `json:"groups"`    // the others
	Classes []ClassName   `json:"tutorials"` // where the student can make a group
}

// GroupChoice is a group with what its rules say to a student.
type GroupChoice struct {
	Group
	Tutorial string `json:"tutorial"`
	Places   *int64 `json:"places"`  // in all; nil: there is no limit
	Refusal  string `json:"refusal"` // why the student cannot join it or, where they are in it, leave it
	Why      error  `json:"-"`       // the same as an error
}

// ClassName is a tutorial as it is named.
type ClassName struct {
	ID           int64  `db:"id" json:"id"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	Taken        bool   `db:"taken" json:"-"` // by the student
}

// groupChoices is what the choices of a student are made of.
type groupChoices struct {
	project   int64
	enrolled  bool
	exceed    bool
	sets      []GroupSet
	groups    []Group
	own       []Group
	members   map[int64][]Member // of own groups
	tutorials []ClassName
}

// GroupChoicesOf lists the sets of groups of a student's unit with what their rules
// say of each group, in a number of statements that does not grow. Exceed tells
// whether a full group may be joined all the same.
func GroupChoicesOf(ctx context.Context, q db.Q, unitID, projectID int64, exceed bool) ([]SetChoice, error) {
	c := groupChoices{project: projectID, exceed: exceed, members: map[int64][]Member{}}
	enrolled, err := db.OneOf[bool](ctx, q, "project", `SELECT enrolled FROM projects WHERE id = $1`, projectID)
	if err != nil {
		return nil, err
	}
	c.enrolled = *enrolled
	if c.sets, err = GroupSetsOf(ctx, q, unitID); err != nil {
		return nil, err
	}
	if c.groups, err = GroupsOfUnit(ctx, q, unitID); err != nil {
		return nil, err
	}
	if c.own, err = GroupsOfProject(ctx, q, projectID); err != nil {
		return nil, err
	}
	if c.tutorials, err = db.All[ClassName](ctx, q, `SELECT t.id, t.abbreviation, EXISTS (SELECT 1
			FROM tutorial_enrolments e WHERE e.tutorial_id = t.id AND e.project_id = $2) AS taken
		FROM tutorials t WHERE t.unit_id = $1 ORDER BY t.id`, unitID, projectID); err != nil {
		return nil, err
	}
	if err := c.readMembers(ctx, q); err != nil {
		return nil, err
	}
	out := make([]SetChoice, len(c.sets))
	for i, s := range c.sets {
		out[i] = c.of(s)
	}
	return out, nil
}

// readMembers reads who is in the groups of the student.
func (c *groupChoices) readMembers(ctx context.Context, q db.Q) error {
	for m, err := range db.Each[struct {
		GroupID int64 `db:"unit_group_id"`
		Member
	}](ctx, q, `SELECT m.unit_group_id, p.id, p.target_grade, u.id AS person_id, u.email, u.first_name, u.last_name,
			u.username, coalesce(u.nickname, '') AS nickname
		FROM group_memberships mine JOIN group_memberships m ON m.unit_group_id = mine.unit_group_id AND m.active
		JOIN projects p ON p.id = m.project_id AND p.enrolled JOIN users u ON u.id = p.user_id
		WHERE mine.project_id = $1 AND mine.active ORDER BY u.name_key, p.id`, c.project) {
		if err != nil {
			return err
		}
		c.members[m.GroupID] = append(c.members[m.GroupID], m.Member)
	}
	return nil
}

// of gives what a set offers the student.
func (c *groupChoices) of(s GroupSet) SetChoice {
	out := SetChoice{GroupSet: s, Members: []Member{}, Groups: []GroupChoice{}, Classes: []ClassName{}}
	var mine *Group
	if at := slices.IndexFunc(c.own, func(g Group) bool { return g.GroupSetID == s.ID }); at >= 0 {
		mine = &c.own[at]
		out.Members = c.members[mine.ID]
	}
	for _, g := range c.groups {
		switch {
		case g.GroupSetID != s.ID:
		case mine != nil && g.ID == mine.ID:
			own := c.rate(s, g, mine)
			out.Own = &own
		default:
			out.Groups = append(out.Groups, c.rate(s, g, mine))
		}
	}
	for _, t := range c.tutorials {
		if t.Taken || !s.KeepGroupsInSameClass {
			out.Classes = append(out.Classes, t)
		}
	}
	return out
}

// rate tells what the rules of JoinGroup and LeaveGroup say of a group.
func (c *groupChoices) rate(s GroupSet, g Group, mine *Group) GroupChoice {
	out := GroupChoice{Group: g}
	p := membershipState{Enrolled: c.enrolled, Set: s.Name, SetLocked: s.Locked, Keep: s.KeepGroupsInSameClass,
		Group: g.Name, Locked: g.Locked, Taken: g.StudentCount}
	if at := slices.IndexFunc(c.tutorials, func(t ClassName) bool { return t.ID == g.TutorialID }); at >= 0 {
		out.Tutorial, p.Tutorial, p.InTutorial = c.tutorials[at].Abbreviation, c.tutorials[at].Abbreviation,
			c.tutorials[at].Taken
	}
	if s.Capacity != nil {
		places := *s.Capacity + g.CapacityAdjustment
		out.Places, p.Room = &places, &places
	}
	if mine != nil {
		p.FromID, p.From, p.FromLocked = &mine.ID, &mine.Name, &mine.Locked
	}
	err := p.check(g.ID, c.exceed)
	if mine != nil && mine.ID == g.ID {
		err = p.unlocked()
	}
	if err != nil {
		out.Refusal, out.Why = err.Error(), err
	}
	return out
}

// Most is how many members the group can have, 0 where there is no limit.
func (g GroupChoice) Most() int64 {
	if g.Places == nil {
		return 0
	}
	return *g.Places
}
