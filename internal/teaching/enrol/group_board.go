package enrol

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// BoardShow narrows the groups of a board.
type BoardShow string

// What a board can be narrowed to: groups with free places, and locked ones.
const (
	WithRoom   BoardShow = "free"
	LockedOnly BoardShow = "locked"
)

// BoardAsk says which groups of a set somebody looks at, and which students without a group.
type BoardAsk struct {
	UnitID     int64
	Set        *GroupSet
	TutorialID int64  // 0: of all
	Text       string // in the name of a group, or of a student
	Show       BoardShow
	Skip, Most int // groups
	MostLoose  int // students without a group
}

// Board is groups of a set with their members, and those who are in none.
type Board struct {
	Classes    []ClassName // the tutorials of the unit
	Groups     []BoardGroup
	Found      int // groups that were asked for, on all pages
	Free       int // groups with free places, whatever Show asks for
	Locked     int
	All        int // groups of the set
	Loose      []Placed
	LooseFound int64
}

// BoardGroup is a group with its members.
type BoardGroup struct {
	Group
	Tutorial string `db:"tutorial"`
	Places   *int64 `db:"places"` // in all; nil: there is no limit
	Members  []Placed
}

// Full tells whether all places are taken.
func (g BoardGroup) Full() bool { return g.Places != nil && g.StudentCount >= *g.Places }

// Limit is how many places there are in all, where there is a limit.
func (g BoardGroup) Limit() int64 { return opt.Or(g.Places, 0) }

// Placed is a student on a board.
type Placed struct {
	ProjectID int64  `db:"project_id"`
	GroupID   int64  `db:"unit_group_id"`
	FirstName string `db:"first_name"`
	LastName  string `db:"last_name"`
	Username  string `db:"username"`
	Group     string `db:"group_name"` // where it is asked for
	Found     int64  `db:"found"`      // how many there are in all
}

// Name is what people call them.
func (m Placed) Name() string { return strings.TrimSpace(m.FirstName + " " + m.LastName) }

// BoardOf reads the groups of a set that are asked for with their members, and the enrolled
// students without a group, in a number of statements that does not grow. It is for holders of
// policy.EditGroupSets.
func BoardOf(ctx context.Context, q db.Q, ask BoardAsk) (*Board, error) {
	b := &Board{}
	var err error
	if b.Classes, err = db.All[ClassName](ctx, q, `SELECT id, abbreviation FROM tutorials WHERE unit_id = $1
		ORDER BY abbreviation, id`, ask.UnitID); err != nil {
		return nil, err
	}
	groups, err := db.All[BoardGroup](ctx, q, `SELECT g.id, g.name, g.tutorial_id, g.group_set_id, g.capacity_adjustment,
			g.locked, t.abbreviation AS tutorial, s.capacity + g.capacity_adjustment AS places,
			coalesce(c.n, 0) AS student_count
		FROM unit_groups g JOIN group_sets s ON s.id = g.group_set_id JOIN tutorials t ON t.id = g.tutorial_id
		LEFT JOIN (SELECT m.unit_group_id, count(*) AS n FROM group_memberships m
			JOIN projects p ON p.id = m.project_id AND p.enrolled WHERE m.group_set_id = $1 AND m.active
			GROUP BY m.unit_group_id) c ON c.unit_group_id = g.id
		WHERE g.group_set_id = $1 ORDER BY t.abbreviation, g.id`, ask.Set.ID)
	if err != nil {
		return nil, err
	}
	with, err := ask.groupsWith(ctx, q)
	if err != nil {
		return nil, err
	}
	b.choose(groups, ask, with)
	if err := b.readMembers(ctx, q); err != nil {
		return nil, err
	}
	return b, b.readLoose(ctx, q, ask)
}

// groupsWith gives the groups that have a member of whom the text tells.
func (ask BoardAsk) groupsWith(ctx context.Context, q db.Q) ([]int64, error) {
	if strings.TrimSpace(ask.Text) == "" {
		return nil, nil
	}
	match, args := ident.MatchPerson([]any{ask.Set.ID}, ask.Text)
	return db.All[int64](ctx, q, `SELECT DISTINCT m.unit_group_id FROM group_memberships m
		JOIN projects p ON p.id = m.project_id AND p.enrolled JOIN users s ON s.id = p.user_id
		WHERE m.group_set_id = $1 AND m.active AND `+match, args...)
}

// choose leaves the groups that are asked for, and counts them.
func (b *Board) choose(groups []BoardGroup, ask BoardAsk, with []int64) {
	b.All = len(groups)
	text := ident.Plain(strings.TrimSpace(ask.Text))
	var found []BoardGroup
	for _, g := range groups {
		if ask.TutorialID != 0 && g.TutorialID != ask.TutorialID ||
			text != "" && !strings.Contains(ident.Plain(g.Name), text) && !slices.Contains(with, g.ID) {
			continue
		}
		if !g.Full() {
			b.Free++
		}
		if g.Locked {
			b.Locked++
		}
		if ask.Show == WithRoom && g.Full() || ask.Show == LockedOnly && !g.Locked {
			continue
		}
		found = append(found, g)
	}
	b.Found = len(found)
	from := min(ask.Skip, len(found))
	b.Groups = found[from:min(from+ask.Most, len(found))]
}

const selectPlaced = `SELECT p.id AS project_id, s.first_name, s.last_name, s.username`

// readMembers reads who is in the groups that are shown.
func (b *Board) readMembers(ctx context.Context, q db.Q) error {
	if len(b.Groups) == 0 {
		return nil
	}
	at, ids := map[int64]*BoardGroup{}, make([]int64, len(b.Groups))
	for i := range b.Groups {
		ids[i] = b.Groups[i].ID
		at[ids[i]] = &b.Groups[i]
	}
	in, args := db.In(nil, ids)
	for m, err := range db.Each[Placed](ctx, q, selectPlaced+`, m.unit_group_id FROM group_memberships m
		JOIN projects p ON p.id = m.project_id AND p.enrolled JOIN users s ON s.id = p.user_id
		WHERE m.active AND m.unit_group_id IN `+in+` ORDER BY s.name_key, p.id`, args...) {
		if err != nil {
			return err
		}
		g := at[m.GroupID]
		g.Members = append(g.Members, m)
	}
	return nil
}

// readLoose reads who is in no group of the set.
func (b *Board) readLoose(ctx context.Context, q db.Q, ask BoardAsk) (err error) {
	match, args := ident.MatchPerson([]any{ask.UnitID, ask.Set.ID, ask.TutorialID, ask.MostLoose}, ask.Text)
	b.Loose, err = db.All[Placed](ctx, q, selectPlaced+`, count(*) OVER () AS found FROM projects p
		JOIN users s ON s.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled AND NOT EXISTS (SELECT 1 FROM group_memberships m
			WHERE m.group_set_id = $2 AND m.project_id = p.id AND m.active)
		AND (CAST($3 AS BIGINT) = 0 OR EXISTS (SELECT 1 FROM tutorial_enrolments e
			WHERE e.project_id = p.id AND e.tutorial_id = $3))
		AND `+match+` ORDER BY s.name_key, p.id LIMIT $4`, args...)
	if len(b.Loose) > 0 {
		b.LooseFound = b.Loose[0].Found
	}
	return err
}

// PlaceOf tells who a student of a unit is and in which group of a set they are; GroupID is 0 where
// they are in none. It fails with fault.Missing for a student of another unit.
func PlaceOf(ctx context.Context, q db.Q, unitID, setID, projectID int64) (*Placed, error) {
	return db.OneOf[Placed](ctx, q, "student in this unit", selectPlaced+`, coalesce(m.unit_group_id, 0) AS unit_group_id,
		coalesce(g.name, '') AS group_name FROM projects p JOIN users s ON s.id = p.user_id
		LEFT JOIN group_memberships m ON m.project_id = p.id AND m.group_set_id = $2 AND m.active
		LEFT JOIN unit_groups g ON g.id = m.unit_group_id WHERE p.id = $3 AND p.unit_id = $1`, unitID, setID, projectID)
}

// SetContent is what a set of groups holds.
type SetContent struct {
	Groups  int64 `db:"groups"`
	Members int64 `db:"members"`
	Tasks   []string
}

// ContentOf counts the groups of a set and who is in them, and names the tasks that are done in them.
func ContentOf(ctx context.Context, q db.Q, setID int64) (*SetContent, error) {
	c, err := db.One[SetContent](ctx, q, `SELECT (SELECT count(*) FROM unit_groups WHERE group_set_id = $1) AS groups,
		(SELECT count(*) FROM group_memberships m JOIN projects p ON p.id = m.project_id AND p.enrolled
			WHERE m.group_set_id = $1 AND m.active) AS members`, setID)
	if err != nil {
		return nil, err
	}
	c.Tasks, err = db.All[string](ctx, q, `SELECT abbreviation FROM task_definitions WHERE group_set_id = $1`, setID)
	slices.SortFunc(c.Tasks, cmp.Compare[string])
	return c, err
}
