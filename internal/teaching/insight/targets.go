package insight

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
)

// TargetCount is how many enrolled students of a tutorial aim for a grade. Those
// without a tutorial have none here; a student in two counts in both.
type TargetCount struct {
	TutorialID *int64      `db:"tutorial_id" json:"tutorial_id"`
	StreamID   *int64      `db:"tutorial_stream_id" json:"tutorial_stream_id"`
	Grade      grade.Grade `db:"grade" json:"grade"`
	Num        int64       `db:"num" json:"num"`
}

// TargetsOf lists the counts by tutorial, then by grade.
func TargetsOf(ctx context.Context, q db.Q, unitID int64) ([]TargetCount, error) {
	return db.All[TargetCount](ctx, q, `SELECT e.tutorial_id, e.tutorial_stream_id, p.target_grade AS grade, count(*)
		AS num
		FROM projects p LEFT JOIN tutorial_enrolments e ON e.project_id = p.id
		WHERE p.unit_id = $1 AND p.enrolled
		GROUP BY e.tutorial_id, e.tutorial_stream_id, p.target_grade
		ORDER BY e.tutorial_id NULLS FIRST, p.target_grade`, unitID)
}
