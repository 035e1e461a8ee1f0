// Package admin is the pages of those who run the service: how it is doing, who uses it, and what is
// set for all of it.
package admin

import (
	"embed"

	"lectern/internal/web/site/page"
)

//go:embed components templates
var kit embed.FS

// Room holds these pages.
var Room = &page.Room{Kit: page.Kit{Files: kit}, Open: open, Keys: keys}

// room is what the handlers of these pages stand on.
type room struct{ *page.Site }

func open(site *page.Site) {
	s := &room{site}
	s.unitRoutes()
	s.periodRoutes()
	s.campusRoutes()
	s.activityTypeRoutes()
	s.imageRoutes()
	s.healthRoutes()
	s.jobRoutes()
	s.auditRoutes()
	s.eventRoutes()
	s.webhookRoutes()
	s.peopleRoutes()
	s.mailRoutes()
	s.firstRoutes()
	s.settingRoutes()
}

// keys are those of words that are put together.
func keys() (list []string) {
	list = append(list, checkKeys()...)
	list = append(append(list, jobKeys()...), eventKeys()...)
	list = append(list, peopleKeys()...)
	list = append(list, mailKeys()...)
	list = append(list, settingKeys()...)
	return append(list, auditKeys()...)
}
