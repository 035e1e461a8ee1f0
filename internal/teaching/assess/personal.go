package assess

import "lectern/internal/ground/personaldata"

const (
	academic = "it is part of the academic record"
	// handedInBy joins the submissions s that were handed in for or by the person.
	handedInBy = `LEFT JOIN submission_tasks l ON l.submission_id = s.id LEFT JOIN tasks k ON k.id = l.task_id
		LEFT JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR s.user_id = $1`
	// alone picks the ids of the submissions that were handed in for the person and nobody else.
	alone = `SELECT l.submission_id FROM submission_tasks l JOIN tasks k ON k.id = l.task_id
		JOIN projects p ON p.id = k.project_id GROUP BY l.submission_id
		HAVING min(p.user_id) = $1 AND max(p.user_id) = $1`
)

// Personal lists the tables of automated assessment. The reports of work that a
// group handed in are the group's, and stay.
var Personal = []personaldata.Table{
	{Name: "assessments", About: "what automated assessment said of work handed in for or by the person",
		Where: "JOIN submissions s ON s.id = t.submission_id " + handedInBy,
		Plain: []string{"status", "result_status"}, Files: []personaldata.File{{Hash: "report_hash", Ext: ".json"}},
		Kept: academic,
		EraseFiles: []string{`DELETE FROM jobs WHERE kind = 'assessment' AND id IN (SELECT job_id FROM assessments
				WHERE status IN ('queued', 'running') AND submission_id IN (` + alone + `))`,
			`UPDATE assessments SET report_hash = NULL, status = 'failed', reason = '` + personaldata.Removed + `'
				WHERE submission_id IN (` + alone + `)`}},
	{Name: "assessment_requests", About: "when the person asked for an assessment again", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Erase: `DELETE FROM assessment_requests WHERE user_id = $1`},
	{Name: "assessment_trials", About: "runs by which the person tried tests out", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Plain: []string{"status"},
		Files: []personaldata.File{{Hash: "report_hash", Ext: ".json"}},
		Erase: `DELETE FROM assessment_trials WHERE user_id = $1`},
	{Name: "assessment_previews", About: "previews of tests that the person asked for", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Plain: []string{"status"}, Erase: `DELETE FROM assessment_previews WHERE user_id = $1`},
	{Name: "assessment_preview_rows", About: "what tests that were tried out would say of the person's work",
		Where: "JOIN submissions s ON s.id = t.submission_id " + handedInBy, Plain: []string{"result_status"},
		Erase: `DELETE FROM assessment_preview_rows WHERE submission_id IN (` + alone + `)`},
	{Name: "assessment_trial_files", About: "files the person tried tests out with",
		Where: "JOIN assessment_trials r ON r.id = t.trial_id WHERE r.user_id = $1", Plain: []string{"title"},
		Files: []personaldata.File{{Hash: "hash", Name: "title"}},
		Erase: `DELETE FROM assessment_trial_files WHERE trial_id IN (SELECT id FROM assessment_trials
			WHERE user_id = $1)`},
}
