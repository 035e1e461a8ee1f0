package taskdef

import "lectern/internal/ground/personaldata"

// Personal lists the tables in which students align their work with outcomes.
var Personal = []personaldata.Table{
	{Name: "learning_outcome_links", About: "how the person aligned work with outcomes",
		Where: "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1",
		Kept:  "it is part of the academic record"},
}
