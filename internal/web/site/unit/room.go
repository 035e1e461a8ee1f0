// Package unit is the pages of those who run a unit: how it is set up, and what in it needs
// somebody.
package unit

import (
	"embed"

	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

//go:embed components templates
var kit embed.FS

// Room holds these pages.
var Room = &page.Room{Kit: page.Kit{Files: kit}, Parts: []*page.Kit{&taskpart.Kit}, Open: open, Keys: keys}

// room is what the handlers of these pages stand on.
type room struct{ *page.Site }

func open(site *page.Site) {
	s := &room{site}
	s.overviewRoutes()
	s.settingsRoutes()
	s.taskRoutes()
	s.studentRoutes()
	s.staffRoutes()
	s.groupRoutes()
	s.outcomeRoutes()
	s.deletedRoutes()
	s.retireRoutes()
	s.newRoutes()
	s.rolloverRoutes()
	s.announcementRoutes()
	s.gradeRoutes()
}
