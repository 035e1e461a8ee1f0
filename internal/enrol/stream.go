// Package enrol knows who studies what with whom: projects (a student in a
// unit), the streams and tutorials of a unit, the seats in them, and groups.
package enrol

import (
	"context"

	"lectern/internal/db"
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
	return db.OneOf[Stream](ctx, q, "tutorial stream", selectStreams+` WHERE s.unit_id = $1 AND s.abbreviation = $2`, unitID, abbreviation)
}
