package moderation

import "lectern/internal/ground/personaldata"

// Personal lists the tables of moderation. What a second marker and a convenor write of a student's work is written
// about the student, whom no page shows it: it is in their export.
var Personal = []personaldata.Table{
	{Name: "moderation_samples", About: "samples of marked work the person drew, to have it marked a second time",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Plain: []string{"spread"},
		PeopleInside: map[string][]string{"narrowed": {"tutor_id"}},
		Kept:         "it is the unit's, and tells how its marking was checked"},
	{Name: "moderation_works", About: "what the person's work was given when it was marked a second time, and what " +
		"the person gave or decided so",
		Where: "JOIN tasks k ON k.id = t.task_id JOIN projects p ON p.id = k.project_id WHERE p.user_id = $1 OR " +
			"t.first_by = $1 OR t.assigned_id = $1 OR t.second_by = $1 OR t.settled_by = $1",
		People: []string{"first_by", "assigned_id", "second_by", "settled_by"},
		Plain:  []string{"first_status", "second_status", "settled_status", "stands"},
		Kept:   "it is part of the academic record"},
}
