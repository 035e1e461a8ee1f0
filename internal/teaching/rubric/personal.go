package rubric

import "lectern/internal/ground/personaldata"

// Personal lists the tables of rubrics, and of what was picked in them.
var Personal = []personaldata.Table{
	{Name: "rubrics", About: "rubrics the person wrote", Where: "WHERE t.user_id = $1", People: []string{"user_id"},
		Kept: "it is the unit's, and tells what work was marked by"},
	{Name: "rubric_marks", About: "which levels of a rubric the person was given, and gave",
		Where: "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id " +
			"WHERE p.user_id = $1 OR t.user_id = $1",
		People: []string{"user_id"}, Kept: "it is part of the academic record"},
}
