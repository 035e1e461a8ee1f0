// Package marking is the pages of those who mark: the inbox and the desk of a unit, what its
// students ask for, and what the staff keep to work faster.
package marking

import (
	"embed"
	"html/template"
	"slices"

	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

//go:embed templates components
var kit embed.FS

// Room holds these pages.
var Room = &page.Room{Kit: page.Kit{Files: kit, Funcs: funcs}, Parts: []*page.Kit{&taskpart.Kit}, Open: open,
	Keys: keys, Shortcuts: shortcuts}

// room is what the handlers of these pages stand on.
type room struct {
	*page.Site
	words language
}

// language is what these pages say that no other does.
type language struct{ *page.Language }

func funcs(l *page.Language) template.FuncMap {
	return template.FuncMap{"spreads": spreads, "waiting": language{l}.waiting, "paces": language{l}.paces}
}

func open(site *page.Site) {
	s := &room{site, language{site.Words}}
	s.studentRoutes()
	s.studentPageRoutes()
	s.acrossRoutes()
	s.viewRoutes()
	s.inboxRoutes()
	s.verdictsRoutes()
	s.extensionRoutes()
	s.giveRoutes()
	s.handoverRoutes()
	s.reviewRoutes()
	s.promiseRoutes()
	s.insightRoutes()
	s.insightRowRoutes()
	s.riskRoutes()
	s.moderationRoutes()
	s.offlineRoutes()
	s.deskRoutes()
	s.unitSimilarityRoutes()
	s.snippetRoutes()
	s.noteRoutes()
}

// keys are those of words that templates put together.
func keys() (list []string) {
	for _, show := range enrolments {
		list = append(list, "students.show-"+show)
	}
	for _, o := range (&unitTaskPage{}).Orders() {
		list = append(list, "unit-task.sort-"+o)
	}
	return append(list, riskKeys()...)
}

// shortcuts are the keys of the marking desk.
func shortcuts(l *page.Language) (list []page.Shortcut) {
	add := func(key, words string) { list = append(list, page.Shortcut{Key: key, Words: words}) }
	add("j", l.Word("help.key-next"))
	add("k", l.Word("help.key-before"))
	add("n", l.Word("help.key-waiting"))
	add("p", l.Word("help.key-pin"))
	add("e", l.Word("help.key-comment"))
	add("1", l.Word("help.key-snippet"))
	add("g", l.Word("help.key-grade"))
	add("b", l.Word("help.key-rubric"))
	add("1 8", l.Word("desk.key-level"))
	add("0 Backspace", l.Word("desk.key-no-level"))
	for _, to := range slices.Concat(verdicts, rare) {
		if to.Key != "" {
			add(to.Key, l.Word("help.key-verdict", l.Status(to.Status)))
		}
	}
	for _, s := range scrolls(l) {
		add(s.Keys, s.Words)
	}
	add("]", l.Word("help.key-page"))
	add("[", l.Word("help.key-page-before"))
	add("+", l.Word("help.key-larger"))
	add("-", l.Word("help.key-smaller"))
	add("t", l.Word("help.key-file"))
	add("/", l.Word("help.key-find"))
	add(".", l.Word("desk.file-after"))
	add(",", l.Word("desk.file-before"))
	add("l", l.Word("desk.point-key"))
	add("v", l.Word("desk.comment-next"))
	add("w", l.Word("desk.comment-before"))
	add("Ctrl Enter", l.Word("desk.key-send"))
	add("Ctrl Shift Enter", l.Word("desk.key-repeat"))
	add("Esc", l.Word("desk.key-leave"))
	add("u", l.Word("help.key-undo"))
	add("?", l.Word("help.key-all"))
	return list
}
