package events

import "lectern/internal/ground/personaldata"

// Personal lists the tables of events.
var Personal = []personaldata.Table{
	{Name: "events", About: "events about the person, or that the person brought about",
		Where: "WHERE t.user_id = $1 OR t.actor_id = $1", People: []string{"user_id", "actor_id"},
		Plain: []string{"kind"}, Signed: []string{"body"}, Kept: "they hold ids only, and are removed with age"},
}
