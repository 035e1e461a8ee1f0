package enrol

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Enrolment is a student's place in a tutorial.
type Enrolment struct {
	ProjectID  int64  `db:"project_id" json:"project_id"`
	TutorialID int64  `db:"tutorial_id" json:"tutorial_id"`
	StreamID   *int64 `db:"tutorial_stream_id" json:"-"`
}

// EnrolmentsOf lists the places of a student.
func EnrolmentsOf(ctx context.Context, q db.Q, projectID int64) ([]Enrolment, error) {
	return db.All[Enrolment](ctx, q, `SELECT project_id, tutorial_id, tutorial_stream_id
		FROM tutorial_enrolments WHERE project_id = $1 ORDER BY id`, projectID)
}

// TutorialNamed gives the id of the tutorial of a unit that has this abbreviation.
func TutorialNamed(ctx context.Context, q db.Q, unitID int64, abbreviation string) (int64, error) {
	id, err := db.OneOf[int64](ctx, q, "tutorial", `SELECT id FROM tutorials WHERE unit_id = $1 AND abbreviation = $2`,
		unitID, abbreviation)
	if err != nil {
		return 0, err
	}
	return *id, nil
}

// place is what decides whether a student may join a tutorial.
type place struct {
	Enrolled   bool    `db:"enrolled"`
	HomeID     *int64  `db:"home_id"` // the student's campus
	Home       *string `db:"home"`
	TutorialID int64   `db:"tutorial_id"`
	Tutorial   string  `db:"tutorial"`
	StreamID   *int64  `db:"tutorial_stream_id"`
	CampusID   *int64  `db:"campus_id"` // the tutorial's
	Campus     *string `db:"campus"`
	Capacity   int64   `db:"capacity"`
}

// JoinTutorial enrols a student in a tutorial of the same unit, for holders of
// policy.ChangeTutorial on the project. It moves them out of the one they have in that stream;
// a tutorial without a stream stands alone. A full one is fault.Conflict but for those who may
// exceed it (policy.ExceedCapacity), whatever arrives at once: the tutorial is locked while its
// places are counted. It refuses who is withdrawn, a tutorial of another campus, and a student
// whom a group holds in their class.
func JoinTutorial(ctx context.Context, q db.Q, projectID, tutorialID int64, exceed bool) error {
	s, err := lockPlace(ctx, q, projectID, tutorialID)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	held, err := EnrolmentsOf(ctx, q, projectID)
	if err != nil {
		return err
	}
	there, leave := s.leaving(held)
	if there {
		return nil
	}
	if err := leaveTutorials(ctx, q, projectID, leave); err != nil {
		return err
	}
	if err := s.take(ctx, q, projectID, exceed); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "joined", ProjectID: projectID,
		RecordID: tutorialID})
}

// lockPlace locks, in the order all who enrol keep, the unit against a change of
// streams, the student, and the tutorial; then it reads what they are.
func lockPlace(ctx context.Context, q db.Q, projectID, tutorialID int64) (*place, error) {
	if q.Postgres() {
		_, err := db.Exec(ctx, q, `SELECT 1 FROM units WHERE id = (SELECT unit_id FROM projects
			WHERE id = $1) FOR KEY SHARE`, projectID)
		if err != nil {
			return nil, err
		}
	}
	if err := db.Lock(ctx, q, "projects", projectID); err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "tutorials", tutorialID); err != nil {
		return nil, err
	}
	return db.OneOf[place](ctx, q, "tutorial", `SELECT p.enrolled, p.campus_id AS home_id, home.name AS home,
			t.id AS tutorial_id, t.abbreviation AS tutorial, t.tutorial_stream_id, t.campus_id, c.name AS campus,
			t.capacity
		FROM projects p JOIN tutorials t ON t.unit_id = p.unit_id
		LEFT JOIN campuses home ON home.id = p.campus_id
		LEFT JOIN campuses c ON c.id = t.campus_id
		WHERE p.id = $1 AND t.id = $2`, projectID, tutorialID)
}

// errWithdrawn refuses a class or a group to who is no longer in the unit.
var errWithdrawn = fault.About(fault.Conflict, "The student is withdrawn from this unit. Enrol them again first.",
	"You are withdrawn from this unit. Ask your convenor.")

// errTied refuses to leave a class to who is in a group that stays in it.
func errTied(group, tutorial string) error {
	return fault.About(fault.Conflict, "The student is in the group %s, which stays in tutorial %s. Remove them from "+
		"the group first.", "You are in the group %s, which stays in tutorial %s. Leave the group first.", group,
		tutorial)
}

func (s *place) check() error {
	if !s.Enrolled {
		return errWithdrawn
	}
	if s.HomeID != nil && s.CampusID != nil && *s.HomeID != *s.CampusID {
		return fault.About(fault.Refused, "Tutorial %s is for campus %s, but the student belongs to campus %s.",
			"Tutorial %s is for campus %s, but you belong to campus %s.", s.Tutorial, *s.Campus, *s.Home)
	}
	return nil
}

// leaving tells which of the places a student holds cannot be kept beside the
// new one, and whether they sit there already.
func (s *place) leaving(held []Enrolment) (there bool, leave []int64) {
	for _, h := range held {
		if h.TutorialID == s.TutorialID {
			return true, nil
		}
		if s.StreamID == nil || h.StreamID == nil || *h.StreamID == *s.StreamID {
			leave = append(leave, h.TutorialID)
		}
	}
	return false, leave
}

// take writes the place if there is one: the count and the insert are one
// statement, made while the tutorial is locked.
func (s *place) take(ctx context.Context, q db.Q, projectID int64, exceed bool) error {
	n, err := db.Exec(ctx, q, `INSERT INTO tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)
		SELECT CAST($1 AS BIGINT), t.id, t.tutorial_stream_id FROM tutorials t
		WHERE t.id = $2 AND (CAST($3 AS BOOLEAN) OR t.capacity <= 0 OR t.capacity > (
			SELECT count(*) FROM tutorial_enrolments e JOIN projects p ON p.id = e.project_id AND p.enrolled
			WHERE e.tutorial_id = t.id AND e.project_id <> $1))`, projectID, s.TutorialID, exceed)
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "Tutorial %s is full: all of its %d places are taken. Choose another one.",
			s.Tutorial, s.Capacity)
	}
	return err
}

// LeaveTutorial takes a student out of a tutorial, for holders of policy.ChangeTutorial on the
// project. It is fault.Missing where they are not in it, and fault.Conflict where a group holds
// them in the class: the group is left first.
func LeaveTutorial(ctx context.Context, q db.Q, projectID, tutorialID int64) error {
	if err := db.Lock(ctx, q, "projects", projectID); err != nil {
		return err
	}
	held, err := EnrolmentsOf(ctx, q, projectID)
	if err != nil {
		return err
	}
	for _, h := range held {
		if h.TutorialID == tutorialID {
			if err := leaveTutorials(ctx, q, projectID, []int64{tutorialID}); err != nil {
				return err
			}
			return audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "left", ProjectID: projectID,
				RecordID: tutorialID})
		}
	}
	return fault.About(fault.Missing, "The student is not enrolled in this tutorial.",
		"You are not enrolled in this tutorial.")
}

// leaveTutorials gives places up, and with them the groups that stay in their class.
func leaveTutorials(ctx context.Context, q db.Q, projectID int64, tutorials []int64) error {
	if len(tutorials) == 0 {
		return nil
	}
	if err := leaveGroupsOf(ctx, q, projectID, tutorials); err != nil {
		return err
	}
	list, args := db.In([]any{projectID}, tutorials)
	_, err := db.Exec(ctx, q, `DELETE FROM tutorial_enrolments WHERE project_id = $1 AND tutorial_id IN `+list, args...)
	return err
}

// leaveGroupsOf takes a student out of the groups that must stay in one of
// these tutorials. Where students may not manage their groups, or the group is
// locked, the staff decide about the group first.
func leaveGroupsOf(ctx context.Context, q db.Q, projectID int64, tutorials []int64) error {
	list, args := db.In([]any{projectID}, tutorials)
	groups, err := db.All[struct {
		Membership int64  `db:"id"`
		Group      string `db:"name"`
		Tutorial   string `db:"abbreviation"`
		Free       bool   `db:"free"`
	}](ctx, q, `SELECT m.id, g.name, t.abbreviation,
			(gs.allow_students_to_manage_groups AND NOT gs.locked AND NOT g.locked) AS free
		FROM group_memberships m JOIN unit_groups g ON g.id = m.unit_group_id
		JOIN group_sets gs ON gs.id = g.group_set_id AND gs.keep_groups_in_same_class
		JOIN tutorials t ON t.id = g.tutorial_id
		WHERE m.project_id = $1 AND m.active AND g.tutorial_id IN `+list, args...)
	if err != nil || len(groups) == 0 {
		return err
	}
	var ids []int64
	for _, g := range groups {
		if !g.Free {
			return errTied(g.Group, g.Tutorial)
		}
		ids = append(ids, g.Membership)
	}
	list, args = db.In(nil, ids)
	_, err = db.Exec(ctx, q, `UPDATE group_memberships SET active = FALSE WHERE id IN `+list, args...)
	return err
}
