package verdict

import "lectern/internal/ground/personaldata"

const (
	// onTask joins the task and project of what belongs to a task.
	onTask = "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id "
	// tasksOf are the tasks of the person $1.
	tasksOf = "(SELECT k.id FROM tasks k JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1)"
)

// answered are the columns by which a repeated request is known and answered.
var answered = []string{"key", "request_hash", "answer"}

// Personal lists the tables of verdicts, which are kept to be undone.
var Personal = []personaldata.Table{
	{Name: "verdict_batches", About: "verdicts the person gave on many tasks at once, in the last 30 days",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Secret: answered,
		Erase: `DELETE FROM verdict_batches WHERE user_id = $1`},
	{Name: "verdicts", About: "verdicts the person gave or was given in the last 30 days, to undo them by",
		Where: onTask + "WHERE p.user_id = $1 OR t.user_id = $1", People: []string{"user_id"}, Secret: answered,
		OwnOnly: map[string]string{"undo_answer": "user_id"},
		Erase:   `DELETE FROM verdicts WHERE user_id = $1 OR task_id IN ` + tasksOf},
	{Name: "verdict_tasks", About: "what stood of the person's tasks before a verdict",
		Where: onTask + "WHERE p.user_id = $1", Plain: []string{"status"},
		Erase: `DELETE FROM verdict_tasks WHERE task_id IN ` + tasksOf},
}
