// Package privacy tells people what the service knows about them, and makes it
// forget who they are: the export and the erasure of a person's data.
package privacy

import (
	"slices"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/personaldata"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/announce"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/marking"
	"lectern/internal/teaching/moderation"
	notes "lectern/internal/teaching/note"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/snippet"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/verdict"
	"lectern/internal/teaching/work"
)

// tables are all tables with something about people, in the order of the export.
// A package that gets such a table lists it in its Personal and, if it is the
// package's first, here.
var tables = slices.Concat(ident.Personal, course.Personal, enrol.Personal, work.Personal, verdict.Personal,
	rubric.Personal, moderation.Personal, notes.Personal, handover.Personal, announce.Personal, snippet.Personal, taskdef.Personal,
	submit.Personal, assess.Personal, similarity.Personal, marking.Personal, portfolio.Personal, insight.Personal,
	notify.Personal, turnitin.Personal, trash.Personal, events.Personal, audit.Personal, Personal)

// leftOut are tables that refer to people, or to what belongs to them, and are not
// exported, each with the reason.
var leftOut = map[string]string{
	"live_tickets": "each is good for a minute, once, and goes with its session",
	"tutorials":    "a tutorial is the unit's; that the person teaches the unit stands in unit_roles",
	"similarity_pairs": "what two works share is about both students; that there is such a pair stands in " +
		"task_similarities",
	"presences":    "who of the staff looks at a task at this moment; it is gone within minutes",
	"audit_outbox": "it waits there for a moment, and then stands in audit_entries",
	"tii_actions":  "what is to be done at the similarity service; what that is about a person stands in tii_submissions",
}

// named tells whether a column is in a table's list.
func named(list []string, column string) bool { return slices.Contains(list, column) }

// fileOf gives the file that a column of a table refers to, if it does.
func fileOf(t *personaldata.Table, column string) (personaldata.File, bool) {
	i := slices.IndexFunc(t.Files, func(f personaldata.File) bool { return f.Hash == column })
	if i < 0 {
		return personaldata.File{}, false
	}
	return t.Files[i], true
}
