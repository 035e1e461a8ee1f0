// Package account is the pages everybody has: the ways in and out, their own account, the
// home page, news and help.
package account

import (
	"embed"
	"html/template"
	"slices"

	"lectern/internal/people/policy"
	"lectern/internal/web/site/page"
)

//go:embed templates components
var kit embed.FS

// Room holds these pages.
var Room = &page.Room{Kit: page.Kit{Files: kit, Funcs: funcs}, Open: open, Keys: keys}

// room is what the handlers of these pages stand on.
type room struct {
	*page.Site
	words language
}

// language is what these pages say that no other does.
type language struct{ *page.Language }

func funcs(l *page.Language) template.FuncMap {
	return template.FuncMap{"todo": language{l}.todo, "said": said,
		"span": l.Span, "took": l.Took, "ownTarget": ownTarget, "granted": granted}
}

func open(site *page.Site) {
	s := &room{site, language{site.Words}}
	s.newsRoutes()
	s.accountRoutes()
	s.homeRoutes()
	s.profileRoutes()
	s.profileFormRoutes()
	s.dataRoutes()
	s.oldRoutes()
	s.helpRoutes()
	s.searchRoutes()
}

// keys are those of words that are put together.
func keys() (list []string) {
	for role := policy.Student; role <= policy.Admin; role++ {
		list = append(list, roleKey(role.Name()))
	}
	for _, t := range slices.Concat(accountTabs, ownHelp) {
		list = append(list, t.word)
	}
	for _, m := range statements {
		list = append(list, statementKey(m))
	}
	for _, a := range acts {
		list = append(list, "help.acts-"+a.whose)
	}
	for _, part := range dataHolds {
		list = append(list, "data.holds-"+part)
	}
	return list
}
