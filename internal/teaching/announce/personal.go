package announce

import "lectern/internal/ground/personaldata"

// Personal lists the tables of announcements. Whom one was for is shown to who wrote it: a student who
// got one is told neither of the others nor why it came.
var Personal = []personaldata.Table{
	{Name: "announcements", About: "announcements that the person wrote, or was sent",
		Where: `WHERE t.user_id = $1 OR t.id IN (SELECT r.announcement_id FROM announcement_recipients r
			JOIN projects p ON p.id = r.project_id WHERE p.user_id = $1)`,
		People: []string{"user_id"}, Plain: []string{"audience"}, Secret: []string{"key"},
		OwnOnly: map[string]string{"audience": "user_id", "tutorial_id": "user_id", "tutorial_name": "user_id",
			"recipients": "user_id"},
		Kept: "the words are the unit's; the name of who wrote them goes with the account"},
	{Name: "announcement_recipients", About: "which announcements the person was sent",
		Where: "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1",
		Erase: `DELETE FROM announcement_recipients WHERE project_id IN (SELECT id FROM projects WHERE user_id = $1)`},
}
