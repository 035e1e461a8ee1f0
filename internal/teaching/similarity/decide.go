package similarity

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Decide notes a person's decision on a record: whether it is to be looked at. It holds for all
// members of a group whose work it is, until they hand in other work; the other side of the
// pair has a decision of its own. It is for holders of policy.FlagSimilarity on the task;
// nobody decides about work they have a part in, which they do not see.
func Decide(ctx context.Context, q db.Q, who *access.Caller, taskID, id int64, flagged bool) (*Record, error) {
	r, err := ByID(ctx, q, who, taskID, id)
	if err != nil {
		return nil, err
	}
	same, key := `pair_id = $5`, any(r.row.PairID)
	if r.Type == Outside {
		same, key = `outside_id = $5`, any(r.row.OutsideID)
	}
	if _, err := db.Exec(ctx, q, `UPDATE task_similarities SET flagged = $1, decided_by = $2, decided_at = $3,
			decision = NULL, reason = NULL
		WHERE submission_id = $4 AND `+same, flagged, who.ID, q.Now(), r.row.SubmissionID, key); err != nil {
		return nil, err
	}
	action := "unflagged"
	if flagged {
		action = "flagged"
	}
	var entries []audit.Entry
	for _, s := range r.row.students[r.row.SubmissionID] {
		entries = append(entries, audit.Entry{Kind: audit.Similarity, Action: action, UserID: s.UserID,
			ProjectID: s.ProjectID, TaskID: s.TaskID, RecordID: id})
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return nil, err
	}
	now := q.Now()
	r.Flagged, r.DecidedAt, r.DecidedBy = flagged, &now, &who.ID
	return r, nil
}
