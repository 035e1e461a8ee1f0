package demo

import (
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
)

// announcements are what the convenor of the first unit wrote to its students.
func (b *builder) announcements() {
	b.announce(8, announce.New{Audience: announce.All, Title: "Drop-in help on Thursdays",
		Text: "Hello everyone,\n\nfrom this week on there is drop-in help every Thursday from 14:00 to 16:00 in ATC 620. " +
			"Bring your code and your questions, however small.\n\nAlba"})
	b.announce(2, announce.New{Audience: announce.Tutorial, TutorialID: b.id[units[0].code+" LA1-01"],
		Title: "Another room this week", Text: "This week we meet in EN 213, at the usual time."})
}

// announce sends an announcement some days ago.
func (b *builder) announce(daysAgo int, n announce.New) {
	n.UnitID, n.UserID = b.id[units[0].code], b.id[units[0].convenor]
	b.plan(b.q.Now().AddDate(0, 0, -daysAgo), func(q db.Q) error {
		_, _, err := announce.Send(b.ctx, q, n)
		return err
	})
}
