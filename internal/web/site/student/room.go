// Package student is the pages of those who study: their units, tasks and what they hand in,
// their portfolio, classes, groups and calendar.
package student

import (
	"embed"
	"html/template"

	"lectern/internal/teaching/portfolio"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

//go:embed templates components
var kit embed.FS

// Room holds these pages.
var Room = &page.Room{Kit: page.Kit{Files: kit, Funcs: funcs}, Parts: []*page.Kit{&taskpart.Kit}, Open: open,
	Keys: keys}

// room is what the handlers of these pages stand on.
type room struct {
	*page.Site
	words language
	codes drawnCodes
}

// language is what these pages say that no other does.
type language struct{ *page.Language }

func funcs(l *page.Language) template.FuncMap {
	w := language{l}
	return template.FuncMap{"ratings": w.rating(), "accepts": accepts}
}

func open(site *page.Site) {
	s := &room{Site: site, words: language{site.Words}}
	s.receiptRoutes()
	s.projectRoutes()
	s.announcementRoutes()
	s.planRoutes()
	s.calendarRoutes()
	s.portfolioRoutes()
	s.outcomeRoutes()
	s.tutorialRoutes()
	s.groupRoutes()
	s.taskRoutes()
	s.previewRoutes()
	s.historyRoutes()
	s.deletedRoutes()
	s.assessmentRoutes()
}

// keys are those of words that templates put together.
func keys() (list []string) {
	for _, kind := range showKinds[:3] {
		list = append(list, "project.show-"+kind)
	}
	for _, view := range (&termPage{}).Views() {
		list = append(list, "project.view-"+view)
	}
	for _, state := range portfolio.Unasked.Enum() {
		list = append(list, "portfolio.state-"+state)
	}
	for _, span := range (&feedPage{}).Spans() {
		list = append(list, "calendar.span-"+span)
	}
	for _, kind := range stepKinds() {
		list = append(list, "now."+kind, "now."+kind+"-do")
	}
	for _, to := range offered {
		list = append(list, "task.move-"+string(to))
	}
	return list
}
