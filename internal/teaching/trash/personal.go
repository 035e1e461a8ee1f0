package trash

import "lectern/internal/ground/personaldata"

const (
	mine  = `JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1`
	alone = `NOT shared AND project_id IN (SELECT id FROM projects WHERE user_id = $1)`
	soon  = "it is part of the academic record, and goes within 30 days unless somebody restores it"
)

// Personal lists the tables of what was deleted. What the person alone handed in
// goes for good with their files; the work of a group is the group's, and stays.
var Personal = []personaldata.Table{
	{Name: "deletions", About: "tasks and groups that the person deleted", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Plain: []string{"kind"}, Kept: soon},
	{Name: "retirements", About: "what the person decided on the work of units that are over",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Plain: []string{"plan", "state"},
		Kept: "it says what became of the academic record, and who decided it"},
	{Name: "deleted_rows", About: "what was deleted of the person's work, and can still be restored", Where: mine,
		Plain: []string{"table_name"}, PeopleInside: map[string][]string{"record": {"user_id", "actor_id", "recipient_id",
			"assessor_id", "tutor_id", "decided_by", "done_by"}},
		Erase:      `DELETE FROM deleted_rows WHERE table_name IN ('similarity_prints', 'idempotency_keys') AND ` + alone,
		EraseFiles: []string{`DELETE FROM deleted_rows WHERE ` + alone}},
	{Name: "deleted_files", About: "files of the person's work that was deleted", Where: mine,
		Plain: []string{"kind", "task"}, Files: []personaldata.File{{Hash: "hash", Name: "name"}}, Kept: soon,
		EraseFiles: []string{`DELETE FROM deleted_files WHERE ` + alone}},
}
