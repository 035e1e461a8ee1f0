package site_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
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
		tom.do("/home", nil).says("Extension requests").says("I was &lt;ill&gt;.").says("1 week").
			says(`data-label="Extensions"><a href="` + unit + `/extensions">1</a>`)
		ann.do("/home", nil).lacks("Extension requests").lacks("To mark")
		w.as("eve").do("/home", nil).lacks("Extension requests").lacks("To mark")
		answer := url.Values{"grant": {fmt.Sprint(id)}, "home": {"true"}}
		ann.do(unit+"/extensions", answer).status(403)
		done := fmt.Sprintf("/home?answered=%d", id)
		ann.do(done, nil).lacks("Extension granted")
		tom.do(done, nil).says("Extension requests").lacks("Extension granted") // by nobody yet
		tom.do(unit+"/extensions", answer).leadsTo(done)
		tom.do(done, nil).says("Extension granted. Now due").lacks("Extension requests").
			says(`data-label="Extensions"><span class="muted">0</span>`)
		w.as("eve").do(done, nil).lacks("Extension granted")
		tom.do(unit+"/extensions", answer).status(200).says("It is already decided: Extension granted")
	})
}

// Whoever teaches sees what they marked since Monday, how soon and against which target, and when and
// where they teach. It is their own: nobody sees that of others, and who studies, too, sees both.
func TestTheWeekOfTheStaff(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom := w.as("tom")
		tom.do("/home", nil).status(200).says("Nothing marked since Monday.").lacks(`id="held"`)
		desk := tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0]), nil)
		tom.do(w.onTask(ids[0], "verdict"), desk.marks("redo", "Again.")).status(303)
		const marked = `<strong>1</strong> <span class="muted">since Monday</span>`
		tom.do("/home", nil).says(marked).says("<strong>9.0 hours</strong>").lacks("within target").lacks("per submission")
		w.exec(`UPDATE units SET feedback_days = 5`)
		tom.do("/home", nil).says("target 5 days").says("100 % within target")
		w.exec(`UPDATE task_history SET submitted_at = $1 WHERE submitted_at IS NOT NULL`,
			clock.At(w.db.Now().Add(-6*24*time.Hour)))
		tom.do("/home", nil).says("<strong>6.0 days</strong>").says("0 % within target")
		w.exec(`UPDATE task_history SET at = $1`, clock.At(w.db.Now().Add(-8*24*time.Hour)))
		tom.do("/home", nil).says("Nothing marked since Monday.")

		for name, when := range map[string][2]string{"LA2": {"Thursday", "9:00"}, "LA1": {"mon", "14:30"},
			"LA3": {"soon", ""}} {
			w.exec(`INSERT INTO tutorials (unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location,
				capacity) SELECT unit_id, id, $1, $2, $3, 'EN <305>', -1 FROM unit_roles
				WHERE user_id IN (SELECT id FROM users WHERE username = 'tom')`, name, when[0], when[1])
		}
		_, held, _ := strings.Cut(tom.do("/home", nil).says("EN &lt;305&gt;").says("<bdi>mon 14:30</bdi>").
			Body.String(), `id="held"`)
		at := []int{strings.Index(held, "LA1"), strings.Index(held, "LA2"), strings.Index(held, "LA3")}
		if at[0] < 0 || !slices.IsSorted(at) {
			t.Errorf("the tutorials stand at %v", at)
		}
		ann := w.as("ann")
		ann.do("/home", nil).lacks("Your week").lacks("LA1").says(`id="todo"`)
		w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
			SELECT max(r.unit_id), max(u.id), 2, $1, $1 FROM unit_roles r, users u WHERE u.username = 'ann'`, w.db.Now())
		ann.do("/home", nil).says("Your week").says(`id="todo"`).lacks("LA1")
	})
}
