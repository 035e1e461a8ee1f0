package browser

import (
	"testing"
	"time"
)

// A convenor retires a unit of three years ago: looks at the plan by counts, confirms twice, sees it done, and takes
// it back; then the work is deleted and grades stay.
func TestAConvenorRetiresAnOldUnit(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		b := open(t, s, wide)
		b.signIn("aconvenor")
		b.visit("/units/1/settings/retire?plan=delete_work")
		b.awaitText("This unit is not over yet.")
		b.looked("a plan for a unit that is not over")
		s.set(t, `UPDATE units SET teaching_period_id = NULL, start_date = $1, end_date = $2 WHERE id = 1`,
			time.Now().AddDate(-3, -3, 0).Format(time.DateOnly), time.Now().AddDate(-3, 0, 0).Format(time.DateOnly))
		code := eval[string](b, "document.querySelector('.head .sub bdi').textContent.split(' ')[0]")
		retire := func(plan, words string) {
			b.visit("/units/1/settings")
			b.follow("main a[href='/units/1/settings/retire']")
			b.press("#plan-" + plan)
			b.follow(".retire form[method=get] button")
			b.awaitText(words)
			b.looked("the plan to " + plan)
			b.follow(".retire form[method=post] button")
			b.awaitText("Type " + code + " to confirm")
			b.looked("the second confirmation to " + plan)
			b.fill("#confirm", code)
			b.follow(".retire form[method=post] button")
			b.awaitText("Decisions")
		}
		until := func(words string) {
			b.visit("/units/1/settings/retire")
			b.await(`(() => { const x = new XMLHttpRequest(); x.open('GET', location.href, false); x.send();
			return x.responseText.includes('` + words + ` ·'); })()`)
			b.visit("/units/1/settings/retire")
			b.awaitText(words)
		}
		retire("anonymise", "Kept without names")
		until("Done")
		b.looked("a decision that was carried out")
		b.follow(".retire button[name=retirement]")
		until("Undone")
		b.looked("a decision that was undone")
		retire("delete_work", "Deleted")
		until("Done")
		b.looked("the decisions on a unit")
	})
}
