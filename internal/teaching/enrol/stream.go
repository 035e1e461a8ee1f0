// Package enrol knows who studies what with whom: projects (a student in a
// unit), the streams and tutorials of a unit, the places in them, and groups.
package enrol

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// Stream is one kind of class of a unit, such as its practicals: a student has
// at most one tutorial in each.
type Stream struct {
	ID           int64  `db:"id" json:"id"`
	Name         string `db:"name" json:"name"`
	Abbreviation string `db:"abbreviation" json:"abbreviation"`
	ActivityType string `db:"activity_type" json:"activity_type"` // the type's abbreviation
}

const selectStreams = `SELECT s.id, s.name, s.abbreviation, a.abbreviation AS activity_type
	FROM tutorial_streams s JOIN activity_types a ON a.id = s.activity_type_id`

// StreamsOf lists the streams of a unit in the order they were made.
func StreamsOf(ctx context.Context, q db.Q, unitID int64) ([]Stream, error) {
	return db.All[Stream](ctx, q, selectStreams+` WHERE s.unit_id = $1 ORDER BY s.id`, unitID)
}

// StreamNamed gives the stream of a unit that has this abbreviation.
func StreamNamed(ctx context.Context, q db.Q, unitID int64, abbreviation string) (*Stream, error) {
	return db.OneOf[Stream](ctx, q, "tutorial stream", selectStreams+` WHERE s.unit_id = $1 AND s.abbreviation = $2`,
		unitID, abbreviation)
}

// AddStream makes a stream for an activity type. Its name and abbreviation are the type's with
// the smallest number that makes both new in the unit. First tells whether the unit had none
// before. It is for holders of policy.EditTutorials, and fault.Missing for an activity type
// that there is not.
func AddStream(ctx context.Context, q db.Q, unitID int64, activityAbbr string) (s *Stream, first bool, err error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, false, err
	}
	kind, err := course.ActivityTypeNamed(ctx, q, activityAbbr)
	if err != nil {
		return nil, false, err
	}
	others, err := StreamsOf(ctx, q, unitID)
	if err != nil {
		return nil, false, err
	}
	s = &Stream{ActivityType: kind.Abbreviation}
	s.Name, s.Abbreviation = freeNames(kind.Name, kind.Abbreviation, others)
	id, err := db.One[int64](ctx, q, `INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
		VALUES ($1, $2, $3, $4) RETURNING id`, unitID, s.Name, s.Abbreviation, kind.ID)
	if err != nil {
		return nil, false, err
	}
	s.ID = *id
	return s, len(others) == 0, audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "stream_created",
		UnitID: unitID, RecordID: s.ID})
}

// freeNames numbers a name and an abbreviation so that neither is taken.
func freeNames(name, abbr string, taken []Stream) (string, string) {
	for n := 1; ; n++ {
		a, b := fmt.Sprintf("%s %d", name, n), fmt.Sprintf("%s %d", abbr, n)
		if !slices.ContainsFunc(taken, func(s Stream) bool { return s.Name == a || s.Abbreviation == b }) {
			return a, b
		}
	}
}

// StreamChange is what to set of a stream; nil leaves a value alone.
type StreamChange struct {
	Name, Abbreviation *string
	ActivityType       *string       // its abbreviation
	Seen               *StreamChange // what whoever changes it saw; nil: whatever it was
}

// ChangeStream changes the stream of a unit that has this abbreviation, for holders of
// policy.EditTutorials. It refuses an activity type that there is not, and with fault.Conflict
// a name or an abbreviation that another stream of the unit has, and a value that is no longer what
// the change says was seen.
func ChangeStream(ctx context.Context, q db.Q, unitID int64, abbreviation string, c StreamChange) (*Stream, error) {
	if err := fits(map[string]*string{"name": c.Name, "abbreviation": c.Abbreviation}); err != nil {
		return nil, err
	}
	s, err := heldStream(ctx, q, unitID, abbreviation)
	if err != nil {
		return nil, err
	}
	if err := c.clashes(*s); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	var kind *int64
	if c.ActivityType != nil {
		a, err := course.ActivityTypeNamed(ctx, q, *c.ActivityType)
		if err != nil {
			return nil, err
		}
		kind = &a.ID
	}
	_, err = db.Exec(ctx, q, `UPDATE tutorial_streams SET name = coalesce($2, name),
			abbreviation = coalesce($3, abbreviation), activity_type_id = coalesce($4, activity_type_id)
		WHERE id = $1`, s.ID, c.Name, c.Abbreviation, kind)
	if db.Duplicate(err) {
		return nil, fault.New(fault.Conflict, "Another stream of this unit has that name or abbreviation.")
	}
	if err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "stream_changed", UnitID: unitID,
		RecordID: s.ID, Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	return db.OneOf[Stream](ctx, q, "tutorial stream", selectStreams+` WHERE s.id = $1`, s.ID)
}

// heldStream gives a stream that nobody else changes until the transaction ends.
func heldStream(ctx context.Context, q db.Q, unitID int64, abbreviation string) (*Stream, error) {
	s, err := StreamNamed(ctx, q, unitID, abbreviation)
	if err != nil {
		return nil, err
	}
	if err := db.Lock(ctx, q, "tutorial_streams", s.ID); err != nil {
		return nil, err
	}
	return StreamNamed(ctx, q, unitID, abbreviation)
}

// DeleteStream removes a stream with its tutorials, none of which a group or an enrolled
// student may use. Its task definitions must have left it before. One that is used is
// fault.Conflict: students and groups are moved first. It is for holders of
// policy.EditTutorials.
func DeleteStream(ctx context.Context, q db.Q, id int64) error {
	if err := unused(ctx, q, `t.tutorial_stream_id = $1`, id); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM tutorial_streams WHERE id = $1`, id); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Tutorial, Action: "stream_deleted", RecordID: id})
}
