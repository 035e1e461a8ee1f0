package audit

import "lectern/internal/ground/personaldata"

// Personal lists the tables of the log.
var Personal = []personaldata.Table{
	{Name: "audit_entries", About: "what the log says the person did, and what was done about the person",
		Where: "WHERE t.user_id = $1 OR t.actor_id = $1", People: []string{"user_id", "actor_id"},
		Plain:   []string{"kind", "action", "fields", "hash", "address", "request_id"},
		OwnOnly: map[string]string{"address": "actor_id"},
		Kept:    "it holds ids only, and is chained"},
}
