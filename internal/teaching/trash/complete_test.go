package trash

import (
	"slices"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// exempt are tables that lose rows, or references, with what is deleted and are not
// kept, each with the reason.
var exempt = map[string]string{
	"verdicts":              "who restores work does not undo verdicts, and a repeated one meets another version",
	"verdict_tasks":         "it serves the undo of a verdict only",
	"tii_groups":            "the outside service forgets it at once",
	"tii_group_attachments": "the outside service forgets it at once",
	"tii_submissions":       "the outside service forgets it at once",
	"tii_actions":           "the outside service forgets it at once",
	"tii_action_log":        "the outside service forgets it at once",
	"presences":             "who looks at a task is forgotten within minutes",
}

// TestEveryTableThatLosesRowsIsKept walks the schema: whatever refers to what can be
// deleted is in the archive, by that very column, and so is each of its files.
func TestEveryTableThatLosesRowsIsKept(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	all := dbtest.References(t, d)
	own := map[string]*table{}
	for i := range tables {
		if tables[i].label == "" {
			own[tables[i].name] = &tables[i]
		}
	}
	always := []string{"users", "projects", "units", "blobs", "signing_keys"} // nobody deletes these
	for _, f := range all {
		from, to := own[f.From], own[f.To]
		switch {
		case to != nil && to.relink == "" && from == nil && exempt[f.From] == "":
			t.Errorf("%s.%s refers to %s, which can be deleted: keep it, or exempt it", f.From, f.Column, f.To)
		case from == nil:
		case f.To == "blobs":
			if !slices.Contains(from.files, f.Column) {
				t.Errorf("%s.%s is a file that is not kept", f.From, f.Column)
			}
		case !slices.Contains(always, f.To) && !from.knows(ref{f.Column, f.To}) && !inOrder(from, to):
			t.Errorf("nothing says what becomes of %s.%s when it is restored without its %s", f.From, f.Column, f.To)
		}
	}
}

// knows tells whether the table says what becomes of a reference.
func (t *table) knows(r ref) bool {
	return slices.Contains(slices.Concat(t.of, t.needs, t.drops, t.loose), r)
}

// inOrder tells whether a reference leads to a table that goes and comes back with
// this one, before it.
func inOrder(from, to *table) bool {
	at := func(x *table) int {
		return slices.IndexFunc(tables, func(t table) bool { return t.called() == x.called() })
	}
	return to != nil && at(to) <= at(from) || from.name == groups // fit gives groups a tutorial
}
