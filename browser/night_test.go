package browser

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5"
)

// overnight ends all sessions of somebody, as time does.
func (s *service) overnight(t *testing.T, who string) {
	t.Helper()
	s.set(t, `DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE username = ?)`, who)
	delete(s.tokens, who)
}

// set changes the database of a service while it runs, past what the service would allow.
func (s *service) set(t *testing.T, statement string, args ...any) {
	t.Helper()
	if s.database != "" {
		c, err := pgx.Connect(t.Context(), s.database)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if _, err := c.Exec(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
		return
	}
	d, err := sql.Open("sqlite", filepath.Join(s.data, "lectern.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err = d.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// A tab is left open overnight while a verdict is typed: by the morning nobody is signed
// in. What was typed, sent and noted is there after signing in again, and is sent once.
func TestTabLeftOpenOvernight(t *testing.T) {
	onScreens(t, func(t *testing.T, on screen) {
		s := another(t)
		b := open(t, s, on)
		b.expect("status of 401")
		b.signIn("atutor")
		b.desk(toMark)
		b.ahead()
		g := given{b.place(), "redo", "Typed in the evening, on " + on.name}
		b.write(g.comment)
		s.overnight(t, "atutor")
		b.mark(g.status) // the next is here already
		next := given{b.place(), "discuss", "Typed in the morning, on " + on.name}
		b.write(next.comment)
		b.await("document.querySelector('#desk-refused a[href^=\"/sign-in\"]')")
		b.follow("#desk-refused a[href^='/sign-in']")
		b.again("atutor")
		b.await("document.querySelector('#desk[data-ahead]')")
		b.shows(next.place)
		b.await("document.getElementById('desk-comment').value === " + quote(next.comment))
		b.settled()
		b.mark(next.status)
		b.settled()
		s.compare(t, []given{g, next})

		b.noteOvernight(s, "A note of the evening, on "+on.name)
	}, wide, phone)
}

// again signs in where somebody was led to.
func (b *tab) again(username string) {
	b.Helper()
	b.await("location.pathname === '/sign-in'")
	b.fill("#username", username)
	b.fill("#password", "password")
	b.follow("main form button")
}

// noteOvernight writes a note whose form is sent when nobody is signed in any more.
func (b *tab) noteOvernight(s *service, text string) {
	b.Helper()
	at := b.place()
	b.await("document.querySelector('#desk-task .sheet.drawn')") // from then on nothing moves
	b.press("a[data-panel=desk-notes]")
	b.fill("#desk-note", text)
	s.overnight(b.T, "atutor")
	b.follow("form[action*='/note'] button")
	b.awaitText(text) // it could be copied
	b.barriers("a form after the session ended")
	b.follow("main a.btn")
	b.again("atutor")
	b.shows(at)
	b.await("document.getElementById('desk-note').value === " + quote(text))
}

// On a slow network the desk goes on: what was marked is on its way, and the next is
// shown as soon as it is there. Back and forward go through what was looked at.
func TestSlowNetwork(t *testing.T) {
	needed(t)
	s := another(t)
	b := open(t, s, phone)
	b.signIn("atutor")
	b.desk(toMark)
	set(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: 600, DownloadThroughput: 50_000,
			UploadThroughput: 20_000}}})
	var all []given
	began := time.Now()
	for _, status := range []string{"redo", "discuss", "redo"} {
		g := given{b.place(), status, "Slowly, " + status + " " + b.place().Task}
		b.write(g.comment)
		b.mark(status)
		all = append(all, g)
	}
	t.Logf("three verdicts in %v", time.Since(began).Round(time.Millisecond))
	b.settled()
	s.compare(t, all)
	last := b.place()
	for _, g := range []given{all[2], all[1]} {
		eval[bool](b, "history.back(), true")
		b.shows(g.place)
	}
	for _, p := range []place{all[2].place, last} {
		eval[bool](b, "history.forward(), true")
		b.shows(p)
	}
}

// Two tabs of one tutor hold the same drafts: what one sent the other does not send
// again, and the words of both arrive.
func TestTwoTabsOfOneTutor(t *testing.T) {
	needed(t)
	s := another(t)
	w := newWire(t, s)
	one := open(t, w.service, wide)
	one.expect("net::ERR_")
	one.expect("status of 409")
	one.signIn("atutor")
	one.desk(toMark)
	one.ahead()
	first := given{one.place(), "redo", "From the first tab"}
	one.write(first.comment)
	w.does.set(isLost)
	one.mark(first.status)
	one.await("document.querySelector('#desk-refused p')")
	w.does.set(arrives)
	two := one.another() // it finds what the first could not send
	two.desk(toMark)
	two.settled()
	one.settled()
	s.compare(t, []given{first})

	at := one.place()
	two.desk(toMark + "&at=" + at.Task)
	two.write("Two says that") // before it hears of the other
	one.write("One says this")
	one.mark("redo")
	one.settled()
	two.give("discuss")
	two.await("document.querySelector('#desk-refused button')")
	two.press("#desk-refused button") // mine all the same
	two.settled()
	s.compare(t, []given{{at, "discuss", "One says this"}, {at, "discuss", "Two says that"}})
}

// What has no effect without a network is told where it is seen, and whoever goes on after
// the session ended is led to the sign-in and back to the task they wanted.
func TestDeskTellsWhyItStays(t *testing.T) {
	needed(t)
	s := another(t)
	w := newWire(t, s)
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.expect("status of 401")
	b.signIn("atutor")
	b.desk(toMark)
	const told = "document.getElementById('desk-notice').checkVisibility()"
	b.key("e")
	b.key(kb.Enter, chromedp.ModifierCtrl, chromedp.ModifierShift)
	b.await(told) // there is no verdict to repeat
	b.key(kb.Escape)
	w.does.set(isLost)
	b.key("p")
	b.await(told + " && document.getElementById('desk-notice').innerText.includes('Not saved')")
	b.asItIs("a notice of the desk")
	b.goOnUntil(told + " && document.getElementById('desk-notice').innerText.includes('Cannot load')")
	w.does.set(arrives)
	at := b.place()
	b.key("j")
	b.moved(at)
	if eval[bool](b, told) {
		t.Error("it is still told what is over")
	}
	b.write("Before the night")
	at = b.place()
	s.overnight(t, "atutor")
	b.goOnUntil("location.pathname === '/sign-in'")
	b.again("atutor")
	b.await("document.querySelector('#desk[data-ahead]')")
	if b.place() == at {
		t.Error("the task is not the one that was wanted")
	}
	b.desk(toMark + "&at=" + at.Task)
	b.await("document.getElementById('desk-comment').value === 'Before the night'")
}

// goOnUntil goes through what is prepared until something holds.
func (b *tab) goOnUntil(holds string) {
	b.Helper()
	for range 9 { // more than are held
		at := b.place()
		b.key("j")
		b.await(holds + " || document.getElementById('desk-task').dataset.task !== " + quote(at.Task))
		if eval[bool](b, "Boolean("+holds+")") {
			return
		}
	}
	b.Fatalf("never true: %s", holds)
}
