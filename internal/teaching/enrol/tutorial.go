package enrol

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// Tutorial is a class that meets each week. Its capacity holds for students
// who enrol themselves; 0 and below mean that there is no limit.
type Tutorial struct {
	ID              int64   `db:"id" json:"id"`
	MeetingDay      string  `db:"meeting_day" json:"meeting_day"`
	MeetingTime     string  `db:"meeting_time" json:"meeting_time"`
	MeetingLocation string  `db:"meeting_location" json:"meeting_location"`
	Abbreviation    string  `db:"abbreviation" json:"abbreviation"`
	CampusID        *int64  `db:"campus_id" json:"campus_id"`
	Capacity        int64   `db:"capacity" json:"capacity"`
	StreamAbbr      *string `db:"tutorial_stream_abbr" json:"tutorial_stream_abbr"`
	NumStudents     int64   `db:"num_students" json:"num_students"` // withdrawn ones do not count
	TutorID         *int64  `db:"tutor_id" json:"tutor_id"`         // a user's id
}

// selectTutorials counts the places with one subquery per tutorial: it walks the
// index of each, where a join would multiply rows to group them again.
const selectTutorials = `SELECT t.id, t.meeting_day, t.meeting_time, t.meeting_location, t.abbreviation,
		t.campus_id, t.capacity, s.abbreviation AS tutorial_stream_abbr, r.user_id AS tutor_id,
		(SELECT count(*) FROM tutorial_enrolments e JOIN projects p ON p.id = e.project_id AND p.enrolled
			WHERE e.tutorial_id = t.id) AS num_students
	FROM tutorials t
	LEFT JOIN tutorial_streams s ON s.id = t.tutorial_stream_id
	LEFT JOIN unit_roles r ON r.id = t.unit_role_id`

// TutorialsOf lists the tutorials of a unit in the order they were made.
func TutorialsOf(ctx context.Context, q db.Q, unitID int64) ([]Tutorial, error) {
	return db.All[Tutorial](ctx, q, selectTutorials+` WHERE t.unit_id = $1 ORDER BY t.id`, unitID)
}

// TutorialByID reads a tutorial with the number of its enrolled students. It fails
// with fault.Missing where there is none.
func TutorialByID(ctx context.Context, q db.Q, id int64) (*Tutorial, error) {
	return db.OneOf[Tutorial](ctx, q, "tutorial", selectTutorials+` WHERE t.id = $1`, id)
}

// TutorialChange is what to set of a tutorial; nil leaves a value alone.
type TutorialChange struct {
	Abbreviation, MeetingDay, MeetingTime, MeetingLocation *string
	Capacity                                               *int64
	TutorID                                                *int64          // a user on the unit's staff; 0: nobody
	CampusID                                               *int64          // below 1: none
	StreamAbbr                                             *string         // empty: none
	Seen                                                   *TutorialChange // what whoever changes it saw; nil: whatever it was
}

// lockedTutorial is a tutorial as the table holds it.
type lockedTutorial struct {
	ID           int64  `db:"id"`
	UnitID       int64  `db:"unit_id"`
	UnitRoleID   *int64 `db:"unit_role_id"`
	CampusID     *int64 `db:"campus_id"`
	StreamID     *int64 `db:"tutorial_stream_id"`
	Abbreviation string `db:"abbreviation"`
	Day          string `db:"meeting_day"`
	Time         string `db:"meeting_time"`
	Location     string `db:"meeting_location"`
	Capacity     int64  `db:"capacity"`
}

// AddTutorial makes a tutorial in a unit. Every text and the tutor are needed. It is for
// holders of policy.EditTutorials. It refuses names that are blank or too long, a tutor who is
// not on the staff of the unit, and with fault.Conflict an abbreviation that is taken.
func AddTutorial(ctx context.Context, q db.Q, unitID int64, c TutorialChange) (*Tutorial, error) {
	err := fits(map[string]*string{"abbreviation": c.Abbreviation, "meeting_day": c.MeetingDay,
		"meeting_time": c.MeetingTime, "meeting_location": c.MeetingLocation})
	if err != nil {
		return nil, err
	}
	t := lockedTutorial{UnitID: unitID, Capacity: -1}
	if err := t.apply(ctx, q, c); err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO tutorials (unit_id, unit_role_id, campus_id, tutorial_stream_id,
			abbreviation, meeting_day, meeting_time, meeting_location, capacity)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		t.UnitID, t.UnitRoleID, t.CampusID, t.StreamID, t.Abbreviation, t.Day, t.Time, t.Location, t.Capacity)
	if err != nil {
		return nil, tutorialTaken(err, t.Abbreviation)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: audit.Created, UnitID: unitID,
		RecordID: *id}); err != nil {
		return nil, err
	}
	return TutorialByID(ctx, q, *id)
}

// ChangeTutorial changes one. Its campus and stream change only where the students in it could
// have enrolled so. Else it is fault.Conflict: they are moved first. So is a value that is no longer
// what the change says was seen. It is for holders of policy.EditTutorials and refuses what
// AddTutorial refuses.
func ChangeTutorial(ctx context.Context, q db.Q, id int64, c TutorialChange) (*Tutorial, error) {
	err := fits(map[string]*string{"abbreviation": c.Abbreviation})
	if err != nil {
		return nil, err
	}
	t, err := lockTutorial(ctx, q, id, c.StreamAbbr != nil)
	if err != nil {
		return nil, err
	}
	if err := c.clashes(ctx, q, id); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	before := *t
	if err := t.apply(ctx, q, c); err != nil {
		return nil, err
	}
	if err := t.reseat(ctx, q, before); err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `UPDATE tutorials SET unit_role_id = $2, campus_id = $3, tutorial_stream_id = $4,
		abbreviation = $5,
			meeting_day = $6, meeting_time = $7, meeting_location = $8, capacity = $9
		WHERE id = $1`, id, t.UnitRoleID, t.CampusID, t.StreamID, t.Abbreviation, t.Day, t.Time, t.Location, t.Capacity)
	if err != nil {
		return nil, tutorialTaken(err, t.Abbreviation)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: audit.Changed, UnitID: t.UnitID, RecordID: id,
		Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	return TutorialByID(ctx, q, id)
}

// lockTutorial locks a tutorial and reads it. Where its stream may change, every
// enrolment in the unit waits: a student's places must fit each other.
func lockTutorial(ctx context.Context, q db.Q, id int64, restream bool) (*lockedTutorial, error) {
	const text = `SELECT id, unit_id, unit_role_id, campus_id, tutorial_stream_id, abbreviation,
		meeting_day, meeting_time, meeting_location, capacity FROM tutorials WHERE id = $1`
	if restream {
		t, err := db.OneOf[lockedTutorial](ctx, q, "tutorial", text, id)
		if err != nil {
			return nil, err
		}
		if err := db.Lock(ctx, q, "units", t.UnitID); err != nil {
			return nil, err
		}
	}
	if err := db.Lock(ctx, q, "tutorials", id); err != nil {
		return nil, err
	}
	return db.OneOf[lockedTutorial](ctx, q, "tutorial", text, id)
}

// apply sets what c asks for, finding the records it names.
func (t *lockedTutorial) apply(ctx context.Context, q db.Q, c TutorialChange) (err error) {
	opt.Set(&t.Abbreviation, c.Abbreviation)
	opt.Set(&t.Day, c.MeetingDay)
	opt.Set(&t.Time, c.MeetingTime)
	opt.Set(&t.Location, c.MeetingLocation)
	opt.Set(&t.Capacity, c.Capacity)
	if c.TutorID != nil {
		if t.UnitRoleID, err = roleOf(ctx, q, t.UnitID, *c.TutorID); err != nil {
			return err
		}
	}
	if c.CampusID != nil {
		if t.CampusID, err = campusOrNone(ctx, q, *c.CampusID); err != nil {
			return err
		}
	}
	if c.StreamAbbr == nil {
		return nil
	}
	if t.StreamID = nil; *c.StreamAbbr == "" {
		return nil
	}
	s, err := StreamNamed(ctx, q, t.UnitID, *c.StreamAbbr)
	if err == nil {
		t.StreamID = &s.ID
	}
	return err
}

// roleOf finds the employment of a user in a unit; nobody (0) has none.
func roleOf(ctx context.Context, q db.Q, unitID, userID int64) (*int64, error) {
	if userID == 0 {
		return nil, nil //nolint:nilnil // a tutorial may have no tutor
	}
	u, err := db.OneOf[struct {
		Username string `db:"username"`
		RoleID   *int64 `db:"role_id"`
	}](ctx, q, "user", `SELECT u.username, r.id AS role_id FROM users u
		LEFT JOIN unit_roles r ON r.user_id = u.id AND r.unit_id = $2 WHERE u.id = $1`, userID, unitID)
	if err != nil {
		return nil, err
	}
	if u.RoleID == nil {
		return nil, fault.Field(fault.Refused, "tutor_id", "names %s, who is not on the staff of this unit",
			u.Username)
	}
	return u.RoleID, nil
}

// campusOrNone finds a campus; below 1 stands for none.
func campusOrNone(ctx context.Context, q db.Q, id int64) (*int64, error) {
	if id < 1 {
		return nil, nil //nolint:nilnil // no campus is an answer
	}
	c, err := course.CampusByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	return &c.ID, nil
}

// reseat takes the students of a tutorial along when its campus or stream
// changes, or refuses the change where they do not fit.
func (t *lockedTutorial) reseat(ctx context.Context, q db.Q, before lockedTutorial) error {
	if !opt.Same(t.CampusID, before.CampusID) && t.CampusID != nil {
		if err := t.campusFits(ctx, q); err != nil {
			return err
		}
	}
	if opt.Same(t.StreamID, before.StreamID) {
		return nil
	}
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM tutorial_enrolments e
		JOIN tutorial_enrolments other ON other.project_id = e.project_id AND other.tutorial_id <> e.tutorial_id
		WHERE e.tutorial_id = $1 AND (CAST($2 AS BIGINT) IS NULL OR other.tutorial_stream_id = $2)`,
		t.ID, t.StreamID)
	if err != nil {
		return err
	}
	if *n > 0 {
		return fault.New(fault.Conflict, "This tutorial has %s with another tutorial in the new stream. Move them "+
			"first.", many(*n, "student"))
	}
	_, err = db.Exec(ctx, q, `UPDATE tutorial_enrolments SET tutorial_stream_id = $2 WHERE tutorial_id = $1`, t.ID,
		t.StreamID)
	return err
}

func (t *lockedTutorial) campusFits(ctx context.Context, q db.Q) error {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM tutorial_enrolments e
		JOIN projects p ON p.id = e.project_id AND p.enrolled AND p.campus_id <> $2 WHERE e.tutorial_id = $1`, t.ID,
		t.CampusID)
	if err == nil && *n > 0 {
		return fault.New(fault.Conflict, "This tutorial has %s of another campus. Move them first.",
			many(*n, "student"))
	}
	return err
}

// DeleteTutorial removes a tutorial that no group and no enrolled student uses; the places of
// withdrawn students go with it. One that is used is fault.Conflict. It is for holders of
// policy.EditTutorials.
func DeleteTutorial(ctx context.Context, q db.Q, id int64) error {
	if err := db.Lock(ctx, q, "tutorials", id); err != nil {
		return err
	}
	if err := unused(ctx, q, `t.id = $1`, id); err != nil {
		return err
	}
	n, err := db.Exec(ctx, q, `DELETE FROM tutorials WHERE id = $1`, id)
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "There is no such tutorial.")
	}
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: audit.Deleted, RecordID: id})
}

// unused refuses while groups or enrolled students use one of the tutorials t
// that meet a condition on $1.
func unused(ctx context.Context, q db.Q, where string, arg any) error {
	uses, err := db.All[struct {
		Abbreviation string `db:"abbreviation"`
		Students     int64  `db:"students"`
		Groups       int64  `db:"in_groups"`
	}](ctx, q, `SELECT t.abbreviation,
			(SELECT count(*) FROM tutorial_enrolments e JOIN projects p ON p.id = e.project_id AND p.enrolled
			WHERE e.tutorial_id = t.id) AS students,
			(SELECT count(*) FROM unit_groups g WHERE g.tutorial_id = t.id) AS in_groups
		FROM tutorials t WHERE `+where+` ORDER BY t.id`, arg)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if u.Students > 0 || u.Groups > 0 {
			return fault.New(fault.Conflict, "Tutorial %s still has %s and %s. Move them first.",
				u.Abbreviation, many(u.Students, "student"), many(u.Groups, "group"))
		}
	}
	return nil
}

func many(n int64, what string) string { return plural(int(n), what, what+"s") }

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

func tutorialTaken(err error, abbreviation string) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another tutorial of this unit has the abbreviation %s.", abbreviation)
	}
	return err
}

// longest is how many characters a name may have; longer ones fit no index.
const longest = 255

// fits refuses names that are given but blank or too long, all at once.
func fits(names map[string]*string) error {
	var wrong fault.Fields
	for field, name := range names {
		switch {
		case name == nil:
		case strings.TrimSpace(*name) == "":
			wrong.Add(field, "may not be blank")
		case utf8.RuneCountInString(*name) > longest:
			wrong.Add(field, "may have %d characters at most", longest)
		case field == "abbreviation" && !addressable(strings.TrimSpace(*name)):
			wrong.Add(field, "may not be . or .., because it is part of addresses")
		}
	}
	return wrong.ErrSaying(fault.Refused, "Some names are blank or too long.")
}

// addressable tells whether an abbreviation can be one part of a path. A slash can,
// written as %2F; the two names of directories cannot, however they are written.
func addressable(s string) bool { return s != "." && s != ".." }
