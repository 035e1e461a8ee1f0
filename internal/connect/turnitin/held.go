package turnitin

import (
	"context"

	"lectern/internal/platform/db"
)

// Held is what the outside service holds of a unit, and what it is yet to get or was not given.
type Held struct {
	Documents   int64 `db:"documents" json:"documents"`     // of students, that are there
	Waiting     int64 `db:"waiting" json:"waiting"`         // that are to be sent
	Declined    int64 `db:"declined" json:"declined"`       // not sent: nobody agreed to it
	Deleted     int64 `db:"deleted" json:"deleted"`         // deleted there again
	Attachments int64 `db:"attachments" json:"attachments"` // of tasks' resources, that are there
}

// HeldOf tells what the service holds of a unit. It is for holders of policy.SteerOutside.
func HeldOf(ctx context.Context, q db.Q, unitID int64) (*Held, error) {
	return db.One[Held](ctx, q, `SELECT
			count(*) FILTER (WHERE d.remote_id IS NOT NULL AND d.status NOT IN ('created', 'deleted')) AS documents,
			count(*) FILTER (WHERE d.status = 'created') AS waiting,
			count(*) FILTER (WHERE d.status = 'declined') AS declined,
			count(*) FILTER (WHERE d.status = 'deleted') AS deleted,
			(SELECT count(*) FROM tii_group_attachments g JOIN task_definitions f ON f.id = g.task_definition_id
				WHERE f.unit_id = $1 AND g.remote_id IS NOT NULL) AS attachments
		FROM submissions s JOIN tii_submissions d ON d.submission_id = s.id WHERE s.unit_id = $1`, unitID)
}
