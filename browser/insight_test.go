package browser

import (
	"strings"
	"testing"
)

// A convenor finds the five who fall behind and writes to them: from the figures to the list, where each reason is
// named, five are ticked, and an announcement goes to those five and to nobody else.
func TestAConvenorFindsThoseWhoFallBehind(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		ana := open(t, s, wide)
		ana.signIn("aconvenor")
		ana.visit("/units/1/insight")
		ana.awaitText("Where students are")
		ana.follow("#at-risk ~ a")
		picked := eval[[]string](ana, `[...document.querySelectorAll('td.pick input')].slice(0, 5).map((b) => {
			b.click();
			return b.closest('tr').querySelector('small bdi').textContent; })`)
		if n := eval[int](ana, "document.querySelectorAll('table.people tbody tr:has(.badge)').length"); len(picked) != 5 ||
			n < 5 || n > 9 {
			t.Fatalf("%v of %d who are at risk", picked, n)
		}
		ana.follow("#write button")
		ana.getsAll("chosen", picked)
		ana.fill("#title", "Shall we talk?")
		ana.fill("#text", "Come and see me this week.")
		ana.follow("main form button.primary")
		ana.getsAll("told before it is sent", picked)
		ana.follow("main form button.primary")
		ana.awaitText("Sent to 5 students.")
		ana.visit("/units/1/insight/risk")
		ana.turn(phone)
		if n := eval[int](ana, `[...document.querySelectorAll('table.people .badge .txt')].
			filter((words) => words.getBoundingClientRect().width < 30).length`); n > 0 {
			t.Errorf("%d reasons are not told in words on a phone", n)
		}
		ana.turn(wide)
	})
}

// getsAll compares who is on a list of recipients with those who should be.
func (b *tab) getsAll(what string, want []string) {
	b.Helper()
	words := strings.Fields(b.text(".announce-people"))
	for _, name := range want {
		n := 0
		for _, w := range words {
			if strings.Trim(w, "()") == name {
				n++
			}
		}
		if n != 1 {
			b.Fatalf("%s is %d times among those %s: %v", name, n, what, words)
		}
	}
}
