package turnitin

import "lectern/internal/ground/personaldata"

// Personal are the tables of this package that hold something about people.
var Personal = []personaldata.Table{
	{
		Name: "tii_agreements", About: "the agreement of the outside similarity service that you accepted, and whether " +
			"the service was told your user name with it",
		Where: `WHERE t.user_id = $1`, People: []string{"user_id"}, Plain: []string{"version", "service"},
		Erase: `DELETE FROM tii_agreements WHERE user_id = $1`,
	},
	{
		Name: "tii_submissions", About: "documents for the outside similarity service: which were sent there (sent_at, " +
			"service) with your user name, first and last name, which were not, and what the service found",
		Where:  `WHERE t.owner_id = $1 OR t.sender_id = $1`,
		People: []string{"owner_id", "sender_id"},
		Plain:  []string{"key", "service", "status", "remote_id", "pdf_id"},
		// A job deletes at the service what is marked here.
		Erase: `UPDATE tii_submissions SET forget = TRUE WHERE owner_id = $1`,
	},
}
