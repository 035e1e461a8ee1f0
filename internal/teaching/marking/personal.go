package marking

import "lectern/internal/ground/personaldata"

// Personal lists the tables of marking offline.
var Personal = []personaldata.Table{
	{Name: "marked_copies", About: "the person's work as the staff annotated it, and copies the person annotated",
		Where: `JOIN submission_tasks l ON l.submission_id = t.submission_id JOIN tasks k ON k.id = l.task_id
			JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR t.user_id = $1`,
		People: []string{"user_id"}, Files: []personaldata.File{{Hash: "hash", Ext: ".pdf"}},
		Kept: "it is part of the academic record",
		EraseFiles: []string{`DELETE FROM marked_copies WHERE submission_id IN (SELECT l.submission_id
			FROM submission_tasks l JOIN tasks k ON k.id = l.task_id JOIN projects p ON p.id = k.project_id
			GROUP BY l.submission_id HAVING min(p.user_id) = $1 AND max(p.user_id) = $1)`}},
	{Name: "marks_taken", About: "rows of marking sheets about the person's tasks, or that the person sent",
		Where: `JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id
			WHERE p.user_id = $1 OR t.user_id = $1`,
		People: []string{"user_id"}, Plain: []string{"digest"}, Kept: "a sheet sent again must change nothing"},
}
