package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

// The inbox is sorted by its heads and narrowed by chips and menus that keep the rest of the filter; rows
// over the target say so; and a bar over the rows, which the script shows, sets the status of those chosen.
func TestTheInboxIsNarrowedAndSorted(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		inbox := w.path("/units/{id}/inbox")
		tom := w.as("tom")
		tom.do(inbox, nil).status(200).lacks("Over target").says("1–3 of 3").
			says(`id="inbox-go" class="bulk inbox-go" hidden`).
			says(`data-set="redo"`).says(`id="inbox-none"`)
		w.exec(`UPDATE units SET feedback_days = 1`)
		w.exec(`UPDATE tasks SET submission_date = $1 WHERE id = `+fmt.Sprint(ids[1]),
			clock.At(w.db.Now().Add(-50*time.Hour)))
		page := tom.do(inbox+"?kind=to_mark&sort=student", nil).status(200).says("Feedback target: 1 day").dense()
		for _, want := range []string{`<a href="` + inbox + `?kind=to_mark&amp;sort=waiting">Waiting`,
			`aria-sort="ascending"><a href="` + inbox + `?kind=to_mark&amp;sort=student">Student`,
			`href="` + inbox + `?over=true&amp;sort=student">`,
			`href="` + inbox + `?kind=to_mark&amp;sort=student&amp;who=mine"`,
			`<span class="txt">Over target</span>`} {
			if !strings.Contains(page, want) {
				t.Errorf("the inbox lacks %s", want)
			}
		}
		tom.do(inbox+"?over=true", nil).status(200).says("1–1 of 1").says(`data-task="` + fmt.Sprint(ids[1]) + `"`)
		tom.do(w.path(aStudent), nil).status(200).says("Staff notes")
	})
}

// One student: what calls for somebody stands first, with a way to mark it; the rest is one click away.
func TestOneStudentShowsWhatCalls(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		for i := range 9 {
			w.exec(`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting, target_grade, start_date,
				target_date, upload_requirements)
				SELECT unit_id, 'More ' || CAST($1 AS TEXT), CAST($1 AS TEXT), '', 1, 0, '2026-01-01', '2998-01-01', '[]'
				FROM task_definitions WHERE id = (SELECT min(id) FROM task_definitions)`, "M"+fmt.Sprint(i))
		}
		project := w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'ann'`)
		path := strings.Replace(w.path("/units/{id}/students/X"), "X", project, 1)
		tom := w.as("tom")
		first := tom.do(path, nil).status(200).says("of 11 tasks complete").says("2 waiting for feedback").says("Mark next").
			says("Show 3 more").says("Staff notes").text()
		if strings.Index(first, "Ready for feedback") > strings.Index(first, "M0 More M0") {
			t.Error("what waits does not come first")
		}
		tom.do(path+"?tasks=all", nil).status(200).says("M8 More M8").lacks("Show 3 more")

		for _, text := range []string{"Oldest <note>", "Second note", "Newest note"} {
			tom.do(path+"/notes", url.Values{"text": {text}, "back": {path + "?tab=notes"}}).leadsTo(path + "?tab=notes")
		}
		beside := tom.do(path, nil).says("Newest note").says("Second note").lacks("Oldest").lacks("Recent activity").text()
		if strings.Index(beside, "Newest note") < strings.Index(beside, "Ready for feedback") {
			t.Error("the notes stand before the tasks")
		}
		tom.do(path+"?tab=notes", nil).says("Oldest &lt;note&gt;").says(`aria-current="page">Staff notes`).
			says(`id="note-new"`).lacks("Show 3 more")
		tom.do(path+"?tab=activity", nil).says("Recent activity").says(`aria-current="page">Activity`).lacks("M0 More M0")
		tom.do(path+"?tab=x", nil).says(`aria-current="page">Tasks`)
	})
}
