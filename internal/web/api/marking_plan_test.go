package api

import (
	"fmt"
	"strings"
	"testing"
)

// A dry run tells of each row and document what would become of it, changes nothing,
// and its plan is carried out as it was seen or not at all.
func TestMarkingIsPlannedFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.handIn("student", "defA1")
		w.handIn("other", "defA1")
		w.made()
		sheet := filled(t, w.batch("tutor", "")["marks.csv"], map[string]string{"status": "complete"},
			map[string]string{"status": "wonderful"})
		post := func(text, more string) *answered {
			return w.do("tutor", "POST "+assessing+more, aFile("marks.csv", text))
		}
		rows := func() string {
			return fmt.Sprint(w.count("task_history"), w.count("task_comments"), w.count("marks_taken"), w.count("events"),
				w.count("mails"))
		}
		before := rows()
		plan := post(sheet, "&dry_run=true")
		if got := counts(plan); got != "1 done, 1 refused, 0 ignored" || rows() != before {
			t.Fatalf("planned %s; %s rows, had %s", got, rows(), before)
		}
		o := plan.object()
		if !strings.Contains(o["message"].(string), "Nothing was changed") {
			t.Errorf("%v", o["message"])
		}
		key := "&plan=" + o["plan"].(string)
		post(strings.Replace(sheet, "complete", "redo", 1), key).status(409).says("nothing was applied")
		post(sheet, "&plan=0").status(409)
		// The work changes between the look and the word.
		w.do("other", "PUT /api/projects/{project:other}/task_def_id/{defA1}", form{"trigger": "need_help"}).status(200)
		moved := rows()
		post(sheet, key).status(409).says("have changed since")
		if rows() != moved {
			t.Error("a plan that no longer holds was carried out")
		}
		if got := counts(post(sheet, "&dry_run=true")); got != "0 done, 2 refused, 0 ignored" {
			t.Errorf("the task moved: %s", got)
		}
		sheet = filled(t, w.batch("tutor", "")["marks.csv"], map[string]string{"status": "complete"})
		key = "&plan=" + post(sheet, "&dry_run=true").status(201).object()["plan"].(string)
		if got := counts(post(sheet, key)); got != "1 done, 0 refused, 1 ignored" {
			t.Errorf("carried out: %s", got)
		}
		w.do("tutor", "POST "+assessing+"&dry_run=true", aFile("m.csv", "%PDF-1.7\x00")).status(415)
		w.do("student", "POST "+assessing+"&dry_run=true", aFile("m.csv", sheet)).status(403)
	})
}

// A batch is of one's own classes, of all, or for one task.
func TestWhatABatchHolds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		for _, c := range []struct {
			who, more string
			rows      int
		}{{"tutor", "", 1}, {"convenor", "", 0}, {"convenor", "&all=true", 1},
			{"tutor", "&task_definition_id=" + w.path("{defA1}"), 1}, {"tutor", "&task_definition_id=" + w.path("{defA2}"), 0},
			{"tutor", "&all=true&task_definition_id=" + w.path("{defB1}"), 0}} {
			if rows := cells(t, w.batch(c.who, c.more)["marks.csv"]); len(rows) != c.rows {
				t.Errorf("%s%s: %d rows, want %d", c.who, c.more, len(rows), c.rows)
			}
		}
	})
}
