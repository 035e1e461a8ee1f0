package enrol

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// allocation is which tutorials some students of a unit are enrolled in. It decides about
// many places in memory, by the rules JoinTutorial has for one, and writes what came
// of it with few statements.
type allocation struct {
	exceed    bool // full tutorials take more
	tutorials map[int64]*tutorialLoad
	students  map[int64]*student // by project
}

// tutorialLoad is a tutorial with the number of its enrolled students.
type tutorialLoad struct {
	place
	Taken int64 `db:"taken"`
}

func (t *tutorialLoad) full() bool { return t.Capacity > 0 && t.Taken >= t.Capacity }

// student is a student with the places they had and shall have.
type student struct {
	ProjectID int64   `db:"id"` // 0 for one yet to be enrolled
	Enrolled  bool    `db:"enrolled"`
	HomeID    *int64  `db:"home_id"`
	Home      *string `db:"home"`
	was, held []Enrolment
	ties      []groupTie
}

// groupTie is a group that keeps its members in one tutorial.
type groupTie struct {
	Membership int64  `db:"id"`
	ProjectID  int64  `db:"project_id"`
	GroupID    int64  `db:"unit_group_id"`
	Group      string `db:"name"`
	TutorialID int64  `db:"tutorial_id"`
	Tutorial   string `db:"abbreviation"`
	Free       bool   `db:"free"` // members may leave it by leaving the tutorial
	left       bool
}

// lockAllocation locks what an allocation is about, in the order all who enrol keep:
// the unit against a change of streams, the students, the unit's tutorials.
func lockAllocation(ctx context.Context, q db.Q, unitID int64, projects []int64) error {
	if !q.Postgres() {
		return nil
	}
	if _, err := db.Exec(ctx, q, `SELECT 1 FROM units WHERE id = $1 FOR KEY SHARE`, unitID); err != nil {
		return err
	}
	if err := lockProjects(ctx, q, projects); err != nil {
		return err
	}
	_, err := db.Exec(ctx, q, `SELECT 1 FROM tutorials WHERE unit_id = $1 ORDER BY id FOR UPDATE`, unitID)
	return err
}

// lockProjects holds students as they are. Work of theirs may begin meanwhile:
// the lock lets others refer to them.
func lockProjects(ctx context.Context, q db.Q, ids []int64) error {
	if !q.Postgres() || len(ids) == 0 {
		return nil
	}
	list, args, err := idRows(q, ids)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `SELECT 1 FROM projects WHERE id IN (SELECT id FROM `+list+` r) ORDER BY id FOR NO KEY
		UPDATE`, args...)
	return err
}

// idRows is a derived table of ids that travel as one argument. It belongs into
// IN: joined, SQLite may unpack it again for every row of the other table.
func idRows(q db.Q, ids []int64) (string, []any, error) {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	return db.Rows(q, nil, []string{"id BIGINT"}, rows)
}

// readAllocation reads the tutorials of a unit and the places and group ties of some of
// its students, in four statements.
func readAllocation(ctx context.Context, q db.Q, unitID int64, projects []int64, exceed bool) (*allocation, error) {
	s := &allocation{exceed: exceed, tutorials: map[int64]*tutorialLoad{}, students: map[int64]*student{}}
	for t, err := range db.Each[tutorialLoad](ctx, q, `SELECT t.id AS tutorial_id, t.abbreviation AS tutorial,
		t.tutorial_stream_id, t.campus_id,
			c.name AS campus, t.capacity, (SELECT count(*) FROM tutorial_enrolments e
			JOIN projects p ON p.id = e.project_id AND p.enrolled
				WHERE e.tutorial_id = t.id) AS taken
		FROM tutorials t LEFT JOIN campuses c ON c.id = t.campus_id WHERE t.unit_id = $1`, unitID) {
		if err != nil {
			return nil, err
		}
		s.tutorials[t.TutorialID] = &t
	}
	if len(projects) == 0 {
		return s, nil
	}
	list, args, err := idRows(q, projects)
	if err != nil {
		return nil, err
	}
	return s, s.readStudents(ctx, q, list, args)
}

func (s *allocation) readStudents(ctx context.Context, q db.Q, list string, args []any) error {
	for p, err := range db.Each[student](ctx, q, `SELECT p.id, p.enrolled, p.campus_id AS home_id, c.name AS home
		FROM projects p LEFT JOIN campuses c ON c.id = p.campus_id WHERE p.id IN (SELECT id FROM `+list+` r)`,
		args...) {
		if err != nil {
			return err
		}
		s.students[p.ProjectID] = &p
	}
	for e, err := range db.Each[Enrolment](ctx, q, `SELECT e.project_id, e.tutorial_id, e.tutorial_stream_id
		FROM tutorial_enrolments e WHERE e.project_id IN (SELECT id FROM `+list+` r) ORDER BY e.id`, args...) {
		if err != nil {
			return err
		}
		p := s.students[e.ProjectID]
		p.was, p.held = append(p.was, e), append(p.held, e)
	}
	for b, err := range db.Each[groupTie](ctx, q, `SELECT m.id, m.project_id, m.unit_group_id, g.name, g.tutorial_id,
		t.abbreviation,
			(gs.allow_students_to_manage_groups AND NOT gs.locked AND NOT g.locked) AS free
		FROM group_memberships m JOIN unit_groups g ON g.id = m.unit_group_id
		JOIN group_sets gs ON gs.id = g.group_set_id AND gs.keep_groups_in_same_class
		JOIN tutorials t ON t.id = g.tutorial_id WHERE m.active AND m.project_id IN (SELECT id FROM `+list+` r)`,
		args...) {
		if err != nil {
			return err
		}
		s.students[b.ProjectID].ties = append(s.students[b.ProjectID].ties, b)
	}
	return nil
}

// take enrols a student in a tutorial, or tells why not and changes nothing.
func (s *allocation) take(p *student, t *tutorialLoad) error {
	at := t.place
	at.Enrolled, at.HomeID, at.Home = p.Enrolled, p.HomeID, p.Home
	if err := at.check(); err != nil {
		return err
	}
	there, leave := at.leaving(p.held)
	if there {
		return nil
	}
	if t.full() && !s.exceed {
		return fault.New(fault.Conflict, "Tutorial %s is full: all of its %d places are taken.", t.Tutorial, t.Capacity)
	}
	if err := s.leave(p, leave); err != nil {
		return err
	}
	p.held = append(p.held, Enrolment{p.ProjectID, t.TutorialID, t.StreamID})
	t.Taken++
	return nil
}

// leave gives places up, and with them the groups that stay in their class; all
// of them or, where a group may not be left so, none.
func (s *allocation) leave(p *student, tutorials []int64) error {
	for _, b := range p.ties {
		if !b.left && !b.Free && slices.Contains(tutorials, b.TutorialID) {
			return errTied(b.Group, b.Tutorial)
		}
	}
	for i := range p.ties {
		p.ties[i].left = p.ties[i].left || slices.Contains(tutorials, p.ties[i].TutorialID)
	}
	for _, id := range tutorials {
		p.held = slices.DeleteFunc(slices.Clone(p.held), func(e Enrolment) bool { return e.TutorialID == id })
		if p.Enrolled {
			s.tutorials[id].Taken--
		}
	}
	return nil
}

// readmit counts the places of a student who comes back, and gives up those that
// are for another campus or have been taken meanwhile. It names the latter.
func (s *allocation) readmit(p *student) (lost []string) {
	for _, e := range p.was {
		t := s.tutorials[e.TutorialID]
		if !p.apart(t) && (s.exceed || !t.full()) {
			t.Taken++
			continue
		}
		p.held = slices.DeleteFunc(slices.Clone(p.held), func(h Enrolment) bool { return h.TutorialID == e.TutorialID })
		lost = append(lost, t.Tutorial)
	}
	p.Enrolled = true
	return lost
}

// apart tells whether a tutorial is for another campus than the student's.
func (p *student) apart(t *tutorialLoad) bool {
	return p.HomeID != nil && t.CampusID != nil && *p.HomeID != *t.CampusID
}

// settle gives up the places that are for another campus than the student's own
// by now, and names them.
func (s *allocation) settle(p *student) (lost []string, err error) {
	var leave []int64
	for _, e := range p.held {
		if t := s.tutorials[e.TutorialID]; p.apart(t) {
			leave, lost = append(leave, e.TutorialID), append(lost, t.Tutorial)
		}
	}
	return lost, s.leave(p, leave)
}

// state is a student's part of an allocation, to come back to where a later step is
// refused.
func (s *allocation) state(p *student) (restore func()) {
	before, ties := *p, slices.Clone(p.ties)
	taken := map[int64]int64{}
	for id, t := range s.tutorials {
		taken[id] = t.Taken
	}
	return func() {
		*p, p.ties = before, ties
		for id, n := range taken {
			s.tutorials[id].Taken = n
		}
	}
}

// write makes the places what they shall be.
func (s *allocation) write(ctx context.Context, q db.Q, students []*student) error {
	var gone, fresh, left [][]any
	for _, p := range students {
		for _, e := range p.was {
			if !enrolledIn(p.held, e.TutorialID) {
				gone = append(gone, []any{p.ProjectID, e.TutorialID})
			}
		}
		for _, e := range p.held {
			if !enrolledIn(p.was, e.TutorialID) {
				fresh = append(fresh, []any{p.ProjectID, e.TutorialID, e.StreamID})
			}
		}
		for _, b := range p.ties {
			if b.left {
				left = append(left, []any{b.Membership})
			}
		}
	}
	for _, step := range []struct {
		rows    [][]any
		columns []string
		before  string
		after   string
	}{
		{left, []string{"id BIGINT"}, `UPDATE group_memberships SET active = FALSE WHERE id IN (SELECT id FROM `,
			` r)`},
		{gone, []string{"p BIGINT", "t BIGINT"}, `DELETE FROM tutorial_enrolments WHERE (project_id, tutorial_id) IN
			(SELECT p, t FROM `, ` r)`},
		{fresh, []string{"p BIGINT", "t BIGINT", "s BIGINT"}, `INSERT INTO tutorial_enrolments (project_id,
			tutorial_id, tutorial_stream_id) SELECT p, t, s FROM `, ` r`},
	} {
		if len(step.rows) == 0 {
			continue
		}
		list, args, err := db.Rows(q, nil, step.columns, step.rows)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, step.before+list+step.after, args...); err != nil {
			return err
		}
	}
	return nil
}

func enrolledIn(held []Enrolment, tutorialID int64) bool {
	return slices.ContainsFunc(held, func(e Enrolment) bool { return e.TutorialID == tutorialID })
}
