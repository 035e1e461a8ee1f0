// Package taskpart is what pages of several rooms show of a task: how far its document is,
// what its tests say, what was said on it and what happened to it; and of all tasks of a
// project, how the work shrinks.
package taskpart

import (
	"embed"
	"fmt"
	"html/template"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/web/site/page"
)

//go:embed components
var kit embed.FS

// Kit is what these parts are drawn from.
var Kit = page.Kit{Files: kit, Funcs: func(l *page.Language) template.FuncMap {
	return template.FuncMap{"leads": leads, "byItself": byItself, "reached": reached, "undone": undone, "extract": extract, "plain": plain,
		"carriedAt": func(n *CarriedNote) string { return n.At(l) },
		"doneWord":  func(n *CarriedNote) string { return n.doneWord(l) },
		"fateWord":  func(n *CarriedNote) string { return n.fateWord(l) }, "shorten": shorten,
		"versionItems": func(list []VersionItem) []link { return versionItems(l, list) },
		"whole":        func(n *int64) int { return int(opt.Or(n, 0)) },
		"prose":        func(text string) template.HTML { return prose(l, text) },
		"happened":     func(e work.HistoryEntry) string { return happened(l, e) },
		"burndown":     func(b *insight.Burndown) chart.Figure { return burndown(l, &b.Lines) },
		"together":     func(b *insight.ClassBurndown) chart.Figure { return burndown(l, &b.Lines) }}
}}

// In names the task that a request is about.
type In struct {
	ProjectID    int64 `path:"project_id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

// Ref is the task as the domain names it.
func (in In) Ref() work.TaskRef {
	return work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
}

// Path is that of the task's page.
func (in In) Path() string {
	return fmt.Sprintf("/projects/%d/tasks/%d", in.ProjectID, in.DefinitionID)
}

// LatestEntries is how much of a history stands beside other things.
const LatestEntries = 5

// happened tells in words what an entry of a history says beside a move.
func happened(l *page.Language, e work.HistoryEntry) string {
	var out []string
	switch {
	case e.Undo:
		out = append(out, l.Word("history.undo"))
	case e.Kind == work.HistorySubmission:
		out = append(out, l.Word("history.submission"))
	case e.Kind == work.HistoryExtensionAsked:
		out = append(out, l.Word("history.asked", opt.Or(e.Weeks, 0)))
	case e.Kind == work.HistoryExtensionDecided && opt.Or(e.Granted, false):
		out = append(out, l.Word("history.granted"))
	case e.Kind == work.HistoryExtensionDecided:
		out = append(out, l.Word("history.rejected"))
	case !leads(e):
		out = append(out, l.Word("history.marked"))
	}
	if e.Grade != nil {
		out = append(out, l.Word("history.grade", l.Grade(*e.Grade)))
	}
	if e.Quality != nil {
		out = append(out, l.Word("history.quality", *e.Quality))
	}
	return strings.Join(out, " ")
}

// leads tells whether an entry leads from one state to another.
func leads(e work.HistoryEntry) bool { return e.From != nil && e.To != nil && *e.From != *e.To }

// byItself tells whether nobody moved the task: the work came late, with what stands next in the
// list, which begins with the newest.
func byItself(all []work.HistoryEntry, i int) bool {
	e := all[i]
	return leads(e) && *e.From == status.ReadyForFeedback && *e.To == status.TimeExceeded && i+1 < len(all) &&
		all[i+1].At.Equal(e.At.Time)
}
