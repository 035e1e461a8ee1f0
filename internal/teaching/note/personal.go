package note

import "lectern/internal/ground/personaldata"

// Personal lists the table of notes: those on a person are theirs to get, though the
// service shows them to the staff alone.
var Personal = []personaldata.Table{{Name: "staff_notes", About: "notes of the staff on the person, and notes they wrote",
	Where:  "JOIN projects p ON p.id = t.project_id WHERE p.user_id = $1 OR t.user_id = $1",
	People: []string{"user_id"},
	Erase:  `DELETE FROM staff_notes WHERE project_id IN (SELECT id FROM projects WHERE user_id = $1)`}}
