package notify

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/work"
)

// While a tutor's queue is with a colleague, emails about what waits go to the colleague and not to the
// tutor: what students say and ask for, with their reasons, and the weekly number. Convenors still read
// the numbers of each tutor's own students. Afterwards they go to the tutor again.
func TestEmailsGoToWhoHasTheQueue(t *testing.T) {
	each(t, func(t *testing.T, c *campus) {
		c.after(digestArgs{})
		c.set(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		today := clock.Day(c.now)
		c.tx(func(q db.Q) {
			c.person(q, "kim", 2)
			role := c.add(q, "", "unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)", c.id["unit"],
				c.id["kim"], 2, false, q.Now(), q.Now())
			if _, err := handover.Add(c.Context(), q, handover.New{UnitID: c.id["unit"], RoleID: c.id["role:tutor"],
				Staff: []int64{role}, From: today, Until: today.AddDays(1)}); err != nil {
				t.Fatal(err)
			}
		})
		c.now = c.now.Add(time.Hour)
		c.say("eve", "eve", "1P", "Which line?")
		c.tx(func(q db.Q) {
			if _, err := work.RequestExtension(c.Context(), q, c.reader("eve"), c.place("eve", "5P"),
				work.ExtensionRequest{Weeks: 1,
					Reason: "I was ill."}); err != nil {
				t.Fatal(err)
			}
		})
		c.gives("mate", "1P", "fix_and_resubmit")
		c.asksReview("mate", "1P")
		got := c.after(digestArgs{})
		if names(got) != "kim" {
			t.Fatalf("emails to %s", names(got))
		}
		got[0].says(t, "Which line?", "I was ill.", "Mate Person requests a review")
		c.task("eve", "3P", "ready_for_feedback")
		for _, m := range c.after(weeklyArgs{}) {
			switch m.to {
			case "kim":
				m.says(t, "1 task in SIT101 is waiting for your feedback", "3P Task 3 of Eve Person")
			case "tutor":
				m.says(t, "Nothing in SIT101 is waiting")
			case "convenor":
				m.says(t, "Tutor Person: 2 students, 1 waiting")
			}
		}
		c.now = c.now.AddDate(0, 0, 4)
		c.say("eve", "eve", "1P", "And now?")
		if got = c.after(digestArgs{}); names(got) != "tutor" || strings.Contains(got[0].text, "Which line?") {
			t.Errorf("afterwards to %s", names(got))
		}
	})
}
