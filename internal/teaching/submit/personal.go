package submit

import (
	"context"

	"lectern/internal/ground/personaldata"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/work"
)

const (
	academic = "it is part of the academic record"
	// handedIn joins the submissions s that were handed in for the person, alone or
	// in a group, or by them.
	handedIn = `LEFT JOIN submission_tasks l ON l.submission_id = s.id LEFT JOIN tasks k ON k.id = l.task_id
		LEFT JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR s.user_id = $1`
	// alone picks the ids of the submissions that were handed in for the person and nobody else.
	alone = `SELECT l.submission_id FROM submission_tasks l JOIN tasks k ON k.id = l.task_id
		JOIN projects p ON p.id = k.project_id GROUP BY l.submission_id
		HAVING min(p.user_id) = $1 AND max(p.user_id) = $1`
	// proven picks the receipts of the person. One whose submission is gone, or is anonymous, is theirs by the project
	// that its body names, or by the projects of the group. The body is canonical: its members are in the order of their
	// names, and a quote in a string has a backslash before it, so that no name of a file looks like one of them.
	proven = `SELECT r.unit_id, r.sequence FROM receipts r JOIN submissions s ON s.id = r.submission_id ` + handedIn + `
		UNION SELECT r.unit_id, r.sequence FROM projects p JOIN receipts r ON r.unit_id = p.unit_id AND r.submission_id IS NULL
		WHERE p.user_id = $1 AND (r.body LIKE '%"project_id":' || p.id || ',%' OR r.body LIKE '%"group":[' || p.id || ',%'
			OR r.body LIKE '%"group":[%,' || p.id || ',%],"previous":%' OR r.body LIKE '%,' || p.id || '],"previous":%')`
)

// Personal lists the tables of submissions. Files of work that a group handed in
// are the group's, and stay.
var Personal = []personaldata.Table{
	{Name: "submissions", About: "work handed in for or by the person",
		Where:  "JOIN submissions s ON s.id = t.id " + handedIn,
		People: []string{"user_id", "tutor_id"}, Plain: []string{"state"},
		Files: []personaldata.File{{Hash: "document_hash", Ext: ".pdf"}}, Kept: academic,
		// A document that is being made is given up: its job finds itself gone.
		EraseFiles: []string{`DELETE FROM jobs WHERE kind = 'document' AND id IN (SELECT job_id FROM submissions
				WHERE state IN ('queued', 'processing') AND id IN (` + alone + `))`,
			`UPDATE submissions SET document_hash = NULL, document_size = NULL, pages = NULL,
			document_at = NULL, state = 'failed', reason = '` + personaldata.Removed + `' WHERE id IN (` + alone + `)`}},
	{Name: "submission_tasks", About: "the tasks that work was handed in for",
		Where: "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1",
		Kept:  academic},
	{Name: "submission_files", About: "files handed in",
		Where: "JOIN submissions s ON s.id = t.submission_id " + handedIn,
		Plain: []string{"key", "title", "kind"}, Files: []personaldata.File{{Hash: "hash", Name: "name"}}, Kept: academic,
		EraseFiles: []string{`DELETE FROM submission_files WHERE submission_id IN (` + alone + `)`}},
	{Name: "idempotency_keys", About: "answers kept for uploads that are sent again", Where: "WHERE t.user_id = $1",
		Secret: []string{"key", "request_hash"}, People: []string{"user_id"}, Signed: []string{"answer"},
		Erase: `DELETE FROM idempotency_keys WHERE user_id = $1`},
	{Name: "receipts", About: "signed receipts; one that names somebody else no longer verifies without the name",
		Where:  "WHERE (t.unit_id, t.sequence) IN (" + proven + ")",
		Plain:  []string{"hash", "signature", "key_id"},
		Signed: []string{"body"}, Kept: "receipts are signed and chained"},
}

// named picks the ids of the submissions whose documents name the person on the
// cover: as a student, as who sent it, or as the tutor. Documents from before that
// was noted name the tutor of today.
const named = `SELECT s.id FROM submissions s ` + handedIn + ` UNION SELECT id FROM submissions WHERE tutor_id = $1
	UNION SELECT s.id FROM submissions s JOIN tasks t ON t.id = s.task_id JOIN projects p ON p.id = t.project_id
		JOIN task_definitions d ON d.id = t.task_definition_id
		WHERE s.tutor_id IS NULL AND s.document_hash IS NOT NULL AND ` + work.TutorOf + ` = $1`

// RemakeOf has every document that names the person on its cover made anew, and
// tells how many. Until a new one is ready the old one stays.
func RemakeOf(ctx context.Context, q db.Q, userID int64) (int, error) {
	ids, err := db.All[int64](ctx, q, `SELECT id FROM submissions WHERE state IN ('ready', 'processing')
		AND id IN (`+named+`) ORDER BY id`, userID)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), remake(ctx, q, ids, jobs.For{Person: userID}) // many at once are one person's turn
}

// Resume has the documents of a unit's submissions made whose jobs are gone.
func Resume(ctx context.Context, q db.Q, unitID int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return remake(ctx, q, ids, jobs.For{Unit: unitID})
}

// remake enqueues a job for the document of each submission.
func remake(ctx context.Context, q db.Q, ids []int64, whose jobs.For) error {
	list, rows := make([]DocumentArgs, len(ids)), make([][]any, len(ids))
	for i, id := range ids {
		list[i], rows[i] = DocumentArgs{id}, []any{id}
	}
	if err := jobs.EnqueueEach(ctx, q, list, func(DocumentArgs) jobs.For { return whose }); err != nil {
		return err
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"id BIGINT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE submissions SET state = 'queued', parts_done = 0, reason = NULL,
			job_id = (SELECT max(j.id) FROM jobs j WHERE j.kind = 'document' AND j.created_at = $1
				AND j.args = '{"submission_id":' || submissions.id || '}')
		WHERE id IN (SELECT v.id FROM `+from+` v)`, args...)
	return err
}
