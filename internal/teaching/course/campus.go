// Package course knows what is taught and when: campuses, activity types,
// teaching periods, units, their staff and outcomes.
package course

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Campus is a place of study; its mode says how students get their tutorials.
type Campus struct {
	ID           int64      `db:"id" json:"id"`
	Name         string     `db:"name" json:"name"`
	Mode         CampusMode `db:"mode" json:"mode"`
	Abbreviation string     `db:"abbreviation" json:"abbreviation"`
	Active       bool       `db:"active" json:"active"`
}

// CampusMode is how students get their tutorials at a campus.
type CampusMode string

// Enum gives all modes, for the documentation of the API.
func (CampusMode) Enum() []string { return []string{"timetable", "automatic", "manual"} }

// CampusChange is what to set of a campus; nil leaves a value alone.
type CampusChange struct {
	Name, Abbreviation *string
	Mode               *CampusMode
	Active             *bool
	Seen               *CampusChange // what whoever changes it saw; nil: whatever it was
}

const campusColumns = `id, name, mode, abbreviation, active`

// Campuses lists all campuses by id, inactive ones included.
func Campuses(ctx context.Context, q db.Q) ([]Campus, error) {
	return db.All[Campus](ctx, q, `SELECT `+campusColumns+` FROM campuses ORDER BY id`)
}

// CampusByID reads a campus. It fails with fault.Missing where there is none.
func CampusByID(ctx context.Context, q db.Q, id int64) (*Campus, error) {
	return db.OneOf[Campus](ctx, q, "campus", `SELECT `+campusColumns+` FROM campuses WHERE id = $1`, id)
}

// AddCampus creates a campus. It refuses a blank name or abbreviation, and with fault.Conflict
// one that another campus has. It is for holders of policy.EditCampuses.
func AddCampus(ctx context.Context, q db.Q, c Campus) (*Campus, error) {
	if err := (CampusChange{Name: &c.Name, Abbreviation: &c.Abbreviation}).check(); err != nil {
		return nil, err
	}
	out, err := db.One[Campus](ctx, q, `INSERT INTO campuses (name, mode, abbreviation, active)
		VALUES ($1, $2, $3, $4) RETURNING `+campusColumns, c.Name, c.Mode, c.Abbreviation, c.Active)
	if err != nil {
		return nil, campusTaken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "campus_created", RecordID: out.ID})
}

// ChangeCampus sets what c names, for holders of policy.EditCampuses. It refuses what AddCampus
// refuses, and with fault.Conflict a value that is no longer what the change says was seen.
func ChangeCampus(ctx context.Context, q db.Q, id int64, c CampusChange) (*Campus, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.clashes(ctx, q, id); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	out, err := db.OneOf[Campus](ctx, q, "campus", `UPDATE campuses SET
			name = coalesce($2, name), mode = coalesce($3, mode),
			abbreviation = coalesce($4, abbreviation), active = coalesce($5, active)
		WHERE id = $1 RETURNING `+campusColumns, id, c.Name, c.Mode, c.Abbreviation, c.Active)
	if err != nil {
		return nil, campusTaken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "campus_changed", RecordID: out.ID,
		Fields: audit.Given(c)})
}

// clashes refuses values that somebody else changed since they were seen.
func (c CampusChange) clashes(ctx context.Context, q db.Q, id int64) error {
	if c.Seen == nil {
		return nil
	}
	if err := db.Lock(ctx, q, "campuses", id); err != nil {
		return err
	}
	is, err := CampusByID(ctx, q, id)
	if err != nil {
		return err
	}
	var wrong fault.Fields
	clashed(&wrong, "name", is.Name, c.Seen.Name, c.Name)
	clashed(&wrong, "abbreviation", is.Abbreviation, c.Seen.Abbreviation, c.Abbreviation)
	clashed(&wrong, "mode", string(is.Mode), (*string)(c.Seen.Mode), (*string)(c.Mode))
	clashed(&wrong, "active", is.Active, c.Seen.Active, c.Active)
	return wrong.Err(fault.Conflict)
}

// CampusUses counts the students and the tutorials at a campus.
func CampusUses(ctx context.Context, q db.Q, id int64) (students, tutorials int64, err error) {
	n, err := db.One[struct {
		Students  int64 `db:"students"`
		Tutorials int64 `db:"tutorials"`
	}](ctx, q, `SELECT (SELECT count(*) FROM projects WHERE campus_id = $1) AS students,
		(SELECT count(*) FROM tutorials WHERE campus_id = $1) AS tutorials`, id)
	if err != nil {
		return 0, 0, err
	}
	return n.Students, n.Tutorials, nil
}

// DeleteCampus removes one, for holders of policy.EditCampuses. It is fault.Conflict while
// students or tutorials use it: it can be made inactive instead.
func DeleteCampus(ctx context.Context, q db.Q, id int64) error {
	students, tutorials, err := CampusUses(ctx, q, id)
	if err != nil {
		return err
	}
	if students+tutorials > 0 {
		return fault.New(fault.Conflict, "%s and %s use this campus. Make it inactive instead.",
			count(students, "student"), count(tutorials, "tutorial"))
	}
	n, err := db.Exec(ctx, q, `DELETE FROM campuses WHERE id = $1`, id)
	switch {
	case db.InUse(err): // since this moment
		return fault.New(fault.Conflict, "Students or tutorials use this campus. Make it inactive instead.")
	case err == nil && n == 0:
		return fault.New(fault.Missing, "There is no such campus.")
	case err != nil:
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "campus_deleted", RecordID: id})
}

func (c CampusChange) check() error {
	return notBlank(map[string]*string{"name": c.Name, "abbreviation": c.Abbreviation})
}

func campusTaken(err error) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another campus has that name or abbreviation.")
	}
	return err
}
