package course

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// ActivityType is a kind of class, such as a practical or a seminar; tutorial
// streams name theirs.
type ActivityType struct {
	ID           int64  `db:"id" json:"id"`
	Name         string `db:"name" json:"name"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
}

// ActivityTypeChange is what to set of an activity type; nil leaves a value alone.
type ActivityTypeChange struct {
	Name, Abbreviation *string
	Seen               *ActivityTypeChange // what whoever changes it saw; nil: whatever it was
}

const activityTypeColumns = `id, name, abbreviation`

// ActivityTypes lists all activity types by id.
func ActivityTypes(ctx context.Context, q db.Q) ([]ActivityType, error) {
	return db.All[ActivityType](ctx, q, `SELECT `+activityTypeColumns+` FROM activity_types ORDER BY id`)
}

// ActivityTypeByID reads an activity type. It fails with fault.Missing where there
// is none.
func ActivityTypeByID(ctx context.Context, q db.Q, id int64) (*ActivityType, error) {
	return db.OneOf[ActivityType](ctx, q, "activity type",
		`SELECT `+activityTypeColumns+` FROM activity_types WHERE id = $1`, id)
}

// ActivityTypeNamed gives the one with this abbreviation.
func ActivityTypeNamed(ctx context.Context, q db.Q, abbreviation string) (*ActivityType, error) {
	return db.OneOf[ActivityType](ctx, q, "activity type",
		`SELECT `+activityTypeColumns+` FROM activity_types WHERE abbreviation = $1`, abbreviation)
}

// AddActivityType creates an activity type. It refuses a blank name or abbreviation, and with
// fault.Conflict one that another type has. It is for holders of policy.EditActivities.
func AddActivityType(ctx context.Context, q db.Q, name, abbreviation string) (*ActivityType, error) {
	if err := (ActivityTypeChange{Name: &name, Abbreviation: &abbreviation}).check(); err != nil {
		return nil, err
	}
	out, err := db.One[ActivityType](ctx, q, `INSERT INTO activity_types (name, abbreviation)
		VALUES ($1, $2) RETURNING `+activityTypeColumns, name, abbreviation)
	if err != nil {
		return nil, activityTypeTaken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "activity_type_created", RecordID: out.ID})
}

// ChangeActivityType sets what c names, for holders of policy.EditActivities. It refuses what
// AddActivityType refuses, and with fault.Conflict a value that is no longer what the change says was seen.
func ChangeActivityType(ctx context.Context, q db.Q, id int64, c ActivityTypeChange) (*ActivityType, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.clashes(ctx, q, id); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	out, err := db.OneOf[ActivityType](ctx, q, "activity type", `UPDATE activity_types SET
			name = coalesce($2, name), abbreviation = coalesce($3, abbreviation)
		WHERE id = $1 RETURNING `+activityTypeColumns, id, c.Name, c.Abbreviation)
	if err != nil {
		return nil, activityTypeTaken(err)
	}
	return out, audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "activity_type_changed", RecordID: out.ID,
		Fields: audit.Given(c)})
}

// clashes refuses values that somebody else changed since they were seen.
func (c ActivityTypeChange) clashes(ctx context.Context, q db.Q, id int64) error {
	if c.Seen == nil {
		return nil
	}
	if err := db.Lock(ctx, q, "activity_types", id); err != nil {
		return err
	}
	is, err := ActivityTypeByID(ctx, q, id)
	if err != nil {
		return err
	}
	var wrong fault.Fields
	clashed(&wrong, "name", is.Name, c.Seen.Name, c.Name)
	clashed(&wrong, "abbreviation", is.Abbreviation, c.Seen.Abbreviation, c.Abbreviation)
	return wrong.Err(fault.Conflict)
}

// ActivityTypeUses counts the streams of tutorials of an activity type.
func ActivityTypeUses(ctx context.Context, q db.Q, id int64) (streams int64, err error) {
	n, err := db.One[int64](ctx, q, `SELECT count(*) FROM tutorial_streams WHERE activity_type_id = $1`, id)
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// DeleteActivityType removes one, for holders of policy.EditActivities. It is fault.Conflict
// while tutorial streams use it.
func DeleteActivityType(ctx context.Context, q db.Q, id int64) error {
	streams, err := ActivityTypeUses(ctx, q, id)
	if err != nil {
		return err
	}
	if streams > 0 {
		return fault.New(fault.Conflict, "This activity type is that of %s. Choose another there first.",
			count(streams, "tutorial stream"))
	}
	n, err := db.Exec(ctx, q, `DELETE FROM activity_types WHERE id = $1`, id)
	switch {
	case db.InUse(err): // since this moment
		return fault.New(fault.Conflict, "Tutorial streams use this activity type. Choose another for them first.")
	case err == nil && n == 0:
		return fault.New(fault.Missing, "There is no such activity type.")
	case err != nil:
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Setting, Action: "activity_type_deleted", RecordID: id})
}

func (c ActivityTypeChange) check() error {
	return notBlank(map[string]*string{"name": c.Name, "abbreviation": c.Abbreviation})
}

func activityTypeTaken(err error) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "Another activity type has that name or abbreviation.")
	}
	return err
}
