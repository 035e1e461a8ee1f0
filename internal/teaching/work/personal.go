package work

import "lectern/internal/ground/personaldata"

const (
	academic = "it is part of the academic record"
	// onTask joins the task and project of what belongs to a task.
	onTask = "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id "
)

// Personal lists the tables of tasks and of what is said on them.
var Personal = []personaldata.Table{
	{Name: "tasks", About: "tasks of the person's units",
		Where: "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1",
		Plain: []string{"status"}, Kept: academic},
	{Name: "task_history", About: "moves of the person's tasks, and moves the person made",
		Where: onTask + "WHERE p.user_id = $1 OR t.actor_id = $1", People: []string{"actor_id"},
		Plain: []string{"from_status", "to_status"}, Kept: academic},
	{Name: "task_comments", About: "comments by, to and about the person, with extensions and discussions",
		Where:  onTask + "WHERE p.user_id = $1 OR t.user_id = $1 OR t.recipient_id = $1",
		People: []string{"user_id", "recipient_id", "assessor_id"}, Plain: []string{"type", "attachment_type",
			"status"},
		Files: []personaldata.File{{Hash: "attachment_hash", Type: "attachment_type"}}, Kept: academic,
		EraseFiles: []string{`UPDATE task_comments SET type = 'text', attachment_hash = NULL, attachment_type = NULL,
			attachment_size = NULL, comment = CASE WHEN comment = '' THEN '` + personaldata.Removed + `'
				ELSE comment || ' (` + personaldata.Removed + `)' END
			WHERE user_id = $1 AND attachment_hash IS NOT NULL`}},
	{Name: "reviews", About: "reviews the person asked for, with their reasons, and reviews they answered",
		Where:  onTask + "WHERE p.user_id = $1 OR t.user_id = $1 OR t.answered_by = $1",
		People: []string{"user_id", "answered_by"}, Kept: academic},
	{Name: "extension_grants",
		About: "why the staff gave the person extensions without a request, and why the person gave them",
		Where: `JOIN task_comments c ON c.id = t.task_comment_id JOIN tasks k ON k.id = c.task_id
			JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR c.user_id = $1`,
		Erase: `DELETE FROM extension_grants WHERE task_comment_id IN (SELECT c.id FROM task_comments c
			JOIN tasks k ON k.id = c.task_id JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1)`},
	{Name: "comment_places", About: "where in the work comments by, to and about the person point, and who ticked them",
		Where: `JOIN task_comments c ON c.id = t.task_comment_id JOIN tasks k ON k.id = c.task_id
			JOIN projects p ON p.id = k.project_id
			WHERE p.user_id = $1 OR c.user_id = $1 OR c.recipient_id = $1 OR t.done_by = $1`,
		People: []string{"done_by"}, Kept: academic},
	{Name: "discussion_files", About: "recordings of discussions", Plain: []string{"content_type"},
		Where: `JOIN task_comments c ON c.id = t.task_comment_id JOIN tasks k ON k.id = c.task_id
			JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR c.user_id = $1`,
		Files: []personaldata.File{{Hash: "hash", Type: "content_type"}}, Kept: academic,
		EraseFiles: []string{`DELETE FROM discussion_files WHERE number < 0 AND task_comment_id IN (SELECT c.id
				FROM task_comments c JOIN tasks k ON k.id = c.task_id JOIN projects p ON p.id = k.project_id
				WHERE p.user_id = $1)`,
			`DELETE FROM discussion_files WHERE number >= 0 AND task_comment_id IN (SELECT id FROM task_comments
				WHERE user_id = $1)`}},
	{Name: "comment_reads", About: "when the person read which comment", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Kept: "it tells others that their words were read"},
	{Name: "task_pins", About: "tasks the person pinned", Where: "WHERE t.user_id = $1", People: []string{"user_id"},
		Erase: `DELETE FROM task_pins WHERE user_id = $1`},
	{Name: "news_seen", About: "how many new comments the person has read on a task", Where: "WHERE t.user_id = $1",
		People: []string{"user_id"}, Kept: "a count, which a nightly job checks"},
}
