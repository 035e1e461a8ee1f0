package insight

import "lectern/internal/ground/personaldata"

// Personal lists the tables of calendar feeds.
var Personal = []personaldata.Table{
	{Name: "webcals", About: "the person's calendar feed, without its address", Where: "WHERE t.user_id = $1",
		Secret: []string{"guid", "guid_hash"}, People: []string{"user_id"}, Plain: []string{"reminder_unit"},
		Erase: `DELETE FROM webcals WHERE user_id = $1`},
	{Name: "webcal_exclusions", About: "units that are not in the calendar feed",
		Where: "JOIN webcals w ON w.id = t.webcal_id WHERE w.user_id = $1", Kept: "it goes with the feed"},
}
