package notify

import "lectern/internal/ground/personaldata"

// Personal lists the tables of letters.
var Personal = []personal.Table{
	{Name: "mails", About: "letters to the person; of one that went, the words are not kept",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Plain: []string{"name", "preference"},
		Erase: `DELETE FROM mails WHERE user_id = $1`},
}
