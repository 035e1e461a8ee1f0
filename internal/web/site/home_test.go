package site_test

import (
	"fmt"
	"net/url"
	"testing"
)

// The home page of the staff tells per unit how much is to mark, to answer and over its target, leads to
// marking, and lets a request for more time be decided where it stands. Students see none of it.
func TestTheHomePageOfTheStaff(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, unit := w.as("ann"), w.as("tom"), w.path("/units/{id}")
		number := func(label string, n int) string {
			return fmt.Sprintf(`<td class="n" data-label="%s"><strong>%d</strong></td>`, label, n)
		}
		tom.do("/home", nil).status(200).says(number("To mark", 0)).lacks("Start marking").lacks("Extension requests")
		ann.do(w.path(aTask+"/status"), url.Values{"status": {"need_help"}}).status(303)
		tom.do("/home", nil).says(number("To mark", 0)).says(`<td class="n" data-label="To answer">1</td>`)
		w.run(`UPDATE tasks SET status = 'ready_for_feedback'`)
		w.run(`UPDATE units SET feedback_days = 5`)
		w.run(`UPDATE tasks SET submission_date = '2026-01-01T00:00:00.000000Z'`)
		tom.do("/home", nil).says(number("To mark", 1)).says(`<td class="n" data-label="To answer">0</td>`).
			says(`<td class="n" data-label="Over target"><span class="late">1</span></td>`).
			says(`<a class="btn sm primary" href="` + unit + `/desk">`)
		w.run(`UPDATE tasks SET status = 'complete', new_to_staff = 1`)
		tom.do("/home", nil).says(number("To mark", 0)).says(`<td class="n" data-label="To answer">1</td>`)
		w.run(`UPDATE tasks SET status = 'not_started', submission_date = NULL`)

		id := w.asks("I was <ill>.")
		tom.do("/home", nil).says("Extension requests").says("I was &lt;ill&gt;.").says("1 week")
		ann.do("/home", nil).lacks("Extension requests").lacks("To mark")
		w.as("eve").do("/home", nil).lacks("Extension requests").lacks("To mark")
		tom.do(unit+"/extensions", url.Values{"chosen": {fmt.Sprint(id)}, "granted": {"true"}}).status(200)
		tom.do("/home", nil).lacks("Extension requests")
	})
}
