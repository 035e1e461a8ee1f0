package submit

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// superseded is the reason of a document that was never made.
const superseded = "a newer version was handed in before this document was made"

// supersede takes the documents back that wait to be made of versions whose tasks
// all have a newer one, the submission of that id: only the newest is ever shown.
// One that is being made is left to it.
func supersede(ctx context.Context, q db.Q, id int64) error {
	type waiting struct {
		ID    int64 `db:"id"`
		JobID int64 `db:"job_id"`
	}
	list, err := db.All[waiting](ctx, q, `SELECT DISTINCT s.id, s.job_id FROM submission_tasks n
		JOIN submission_tasks l ON l.task_id = n.task_id AND l.at < n.at JOIN submissions s ON s.id = l.submission_id
		WHERE n.submission_id = $1 AND s.state = 'queued' AND s.document_hash IS NULL AND s.job_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM submission_tasks o WHERE o.submission_id = s.id
				AND NOT EXISTS (SELECT 1 FROM submission_tasks x WHERE x.task_id = o.task_id AND x.at > o.at))`, id)
	if err != nil || len(list) == 0 {
		return err
	}
	ids := make([]int64, len(list))
	for i, w := range list {
		ids[i] = w.JobID
	}
	gone, err := jobs.Drop(ctx, q, ids)
	if err != nil || len(gone) == 0 {
		return err
	}
	in, args := db.In([]any{superseded}, gone)
	_, err = db.Exec(ctx, q, `UPDATE submissions SET state = 'failed', reason = $1, job_id = NULL
		WHERE state = 'queued' AND job_id IN `+in, args...)
	return err
}
