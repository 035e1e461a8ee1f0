package browser

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"
)

// role finds the role of somebody on the page of handovers, by name.
func (b *tab) role(name string) string {
	b.Helper()
	return eval[string](b, "[...document.querySelectorAll('#role option')].find((o) => o.text === "+quote(name)+").value")
}

// handsOver fills in the page of handovers: a queue goes to a colleague until a day.
func (b *tab) handsOver(whose, to string, until time.Time) {
	b.Helper()
	eval[bool](b, "(document.getElementById('role').value = "+quote(b.role(whose))+", true)")
	b.press("#to-" + b.role(to))
	eval[bool](b, "(document.getElementById('until').value = "+quote(until.Format(time.DateOnly))+", true)")
	b.follow("main form.card button.primary")
}

// handoversEnd lets the time of every handover pass.
func (s *service) handoversEnd(t *testing.T) {
	t.Helper()
	d, err := sql.Open("sqlite", filepath.Join(s.data, "lectern.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Exec(`UPDATE handovers SET ends_at = starts_at WHERE unit_id = 1`); err != nil {
		t.Fatal(err)
	}
}

// A convenor hands a tutor's queue to a colleague for a week: the colleague is told, and finds its rows in
// the inbox and in marking with whose they are, while the tutor has none. When the week is over everything
// is as it was, without anybody doing anything.
func TestAQueueIsHandedOver(t *testing.T) {
	needed(t)
	s := serve(t)
	ana, arun, cliff := open(t, s, wide), open(t, s, wide), open(t, s, phone)
	ana.signIn("aconvenor")
	arun.signIn("atutor")
	cliff.signIn("cliff")
	const (
		inbox = "/units/1/inbox?who=mine"
		all   = "[...document.querySelectorAll('#inbox [data-task]')]"
		rows  = all + ".length"
		whose = all + ".filter((r) => r.textContent.includes('For Arun Tutor')).length"
	)
	arun.visit(inbox)
	own := eval[int](arun, rows)
	cliff.visit(inbox)
	before := eval[int](cliff, rows)
	if own == 0 {
		t.Fatal("nothing waits for the tutor")
	}
	ana.visit("/units/1/promise")
	ana.follow("main a[href='/units/1/promise/handovers']")
	ana.handsOver("Arun Tutor", "Cliff Warren", time.Now().AddDate(0, 0, 7))
	ana.awaitText("Handed to Cliff Warren")

	cliff.visit("/home")
	cliff.awaitText("You have the queue of Arun Tutor until")
	cliff.follow("main .banner a[href='" + inbox + "']")
	if n, handed := eval[int](cliff, rows), eval[int](cliff, whose); n <= before || handed == 0 {
		t.Errorf("the colleague has %d rows, %d of them the tutor's; before they had %d, the tutor %d", n, handed, before,
			own)
	}
	cliff.desk("/units/1/desk?who=mine")
	cliff.await("document.getElementById('desk-queue').textContent.includes('For Arun Tutor')")
	arun.visit(inbox)
	arun.awaitText("Your queue is with Cliff Warren until")
	arun.awaitText("Nothing is waiting for you.")

	s.handoversEnd(t)
	arun.visit(inbox)
	if n := eval[int](arun, rows); n != own || arun.has("main .banner") {
		t.Errorf("afterwards the tutor has %d rows, want %d", n, own)
	}
	cliff.visit(inbox)
	if n := eval[int](cliff, rows); n != before || eval[int](cliff, whose) != 0 || cliff.has("main .banner") {
		t.Errorf("afterwards the colleague has %d rows, want %d", n, before)
	}
}
