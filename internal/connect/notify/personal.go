package notify

import "lectern/internal/ground/personaldata"

// Personal lists the tables of emails.
var Personal = []personaldata.Table{
	{Name: "mails", About: "emails to the person; of one that went, the words are not kept",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Plain: []string{"name", "preference"},
		Erase: `DELETE FROM mails WHERE user_id = $1`},
	{Name: "invitations", About: "how far the email is that invites the person to open the account",
		Where: "WHERE t.user_id = $1", People: []string{"user_id"}, Plain: []string{"state"},
		Erase: `DELETE FROM invitations WHERE user_id = $1`},
}
