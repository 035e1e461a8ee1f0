package enrol

import "lectern/internal/ground/personaldata"

// ofProject picks what belongs to the person's projects.
const ofProject = "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1"

// Personal lists the tables of students in units.
var Personal = []personaldata.Table{
	{Name: "projects", About: "units the person studies, with grades and what the staff noted of them",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"},
		Files: []personaldata.File{{Hash: "portfolio_hash", Ext: ".pdf"}}, Kept: academic},
	{Name: "tutorial_enrolments", About: "tutorials the person is in", Where: ofProject, Kept: academic},
	{Name: "group_memberships", About: "groups the person is or was in", Where: ofProject, Kept: academic},
	{Name: "group_submissions", About: "work the person sent for a group",
		Where: "JOIN projects p ON p.id = t.submitted_by_project_id WHERE p.user_id = $1", Kept: academic},
}

const academic = "it is part of the academic record"
