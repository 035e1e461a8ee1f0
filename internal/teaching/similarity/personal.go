package similarity

import "lectern/internal/ground/personaldata"

// alone picks the submissions that were handed in for the person and nobody else.
const alone = `SELECT l.submission_id FROM submission_tasks l JOIN tasks k ON k.id = l.task_id
	JOIN projects p ON p.id = k.project_id GROUP BY l.submission_id
	HAVING min(p.user_id) = $1 AND max(p.user_id) = $1`

// Personal lists the tables of similarities. Fingerprints of a group's work are the
// group's, and stay until they expire.
var Personal = []personaldata.Table{
	{Name: "similarity_prints", About: "fingerprints of work handed in, by which it is compared",
		Where: `JOIN submission_tasks l ON l.submission_id = t.submission_id JOIN tasks k ON k.id = l.task_id
			JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1`,
		Plain: []string{"part", "digest"}, Secret: []string{"packed"},
		Erase: `DELETE FROM similarity_prints WHERE submission_id IN (` + alone + `)`},
	{Name: "task_similarities", About: "work that was found to be like other work, or decided on",
		Where:  "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1 OR t.decided_by = $1",
		People: []string{"decided_by"}, Plain: []string{"type", "part", "outside_id"},
		Files: []personaldata.File{{Hash: "report_hash", Ext: ".pdf"}}, Kept: "it is part of the academic record",
		EraseFiles: []string{`UPDATE task_similarities SET report_hash = NULL
			WHERE submission_id IN (` + alone + `)`}},
}
