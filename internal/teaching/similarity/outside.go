package similarity

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// OutsideReport is what an outside service says of a file of a submission.
type OutsideReport struct {
	SubmissionID int64
	Key          string      // of the upload requirement
	OutsideID    string      // of the submission there
	Pct          *int        // nil until it is known
	Threshold    int         // from which it is to be looked at
	Report       *files.Info // the report, a PDF in the store; nil leaves what there is
}

// DropOutside removes what an outside service said of a submission that it no longer has. It is
// for the jobs that speak with the outside service.
func DropOutside(ctx context.Context, q db.Q, outsideID string) error {
	_, err := db.Exec(ctx, q, `DELETE FROM task_similarities WHERE outside_id = $1`, outsideID)
	return err
}

// SaveOutside keeps a report at every task the submission was handed in for, or brings the one
// that is there up to date. A person's decision stands. It is for the jobs that speak with the
// outside service.
func SaveOutside(ctx context.Context, q db.Q, store files.Store, o OutsideReport) error {
	var report any
	if o.Report != nil {
		if err := blob.Keep(ctx, q, store, *o.Report); err != nil {
			return err
		}
		report = string(o.Report.Hash)
	}
	n, err := db.Exec(ctx, q, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, outside_id,
			outside_pct, report_hash, flagged, created_at)
		SELECT 'TiiTaskSimilarity', t.project_id, t.id, l.submission_id, $2, $3, $4, $5, $6, $7
		FROM submission_tasks l JOIN tasks t ON t.id = l.task_id WHERE l.submission_id = $1
		ON CONFLICT (outside_id, task_id) DO UPDATE SET outside_pct = excluded.outside_pct,
			report_hash = coalesce(excluded.report_hash, task_similarities.report_hash),
			flagged = CASE WHEN task_similarities.decided_at IS NULL THEN excluded.flagged
				ELSE task_similarities.flagged END`,
		o.SubmissionID, documentPart(o.Key), o.OutsideID, o.Pct, report, o.Pct != nil && *o.Pct >= o.Threshold, q.Now())
	if err == nil && n == 0 {
		return fault.New(fault.Missing, "there is no submission %d", o.SubmissionID)
	}
	return err
}
