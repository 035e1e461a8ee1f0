package browser

import (
	"strings"
	"testing"
)

// A convenor writes to a tutorial: who gets it is shown first, with their names. A student of the tutorial is told
// at the bell while they look at another page, and reads it; a student of another tutorial hears nothing.
func TestAnAnnouncementToATutorial(t *testing.T) {
	needed(t)
	s := serve(t)
	ana, inside, outside := open(t, s, wide), open(t, s, phone), open(t, s, wide)
	ana.signIn("aconvenor")
	inside.signIn("student_5")
	outside.signIn("student_4")
	inside.visitLive("/home")
	outside.visitLive("/home")

	ana.visit("/units/1/announcements")
	ana.follow("main .actions a.primary")
	ana.fill("#title", "Bring your laptop")
	ana.fill("#text", "We try it out together.\nSee you there.")
	ana.press("#to-tutorial")
	eval[bool](ana, "((s) => { s.value = [...s.options].find((o) => o.text.startsWith('LA1-01')).value; return true; })"+
		"(document.getElementById('tutorial'))")
	ana.follow("main form button.primary")
	names := ana.text(".announce-people")
	if !strings.Contains(names, "student_5") || strings.Contains(names, "student_4") {
		t.Fatalf("it would go to %s", names)
	}
	ana.follow("main form button.primary")
	ana.awaitText("Sent to 7 students.")
	ana.await("document.querySelector('.announce-text').innerText === 'We try it out together.\\nSee you there.'")

	const told = "[...document.querySelectorAll('#newest a')].some((a) => a.textContent.includes('Bring your laptop'))"
	inside.await(told)
	inside.visit("/news")
	inside.follow("main .news a.title")
	inside.awaitText("We try it out together.")
	if inside.has(".announce-people") || strings.Contains(inside.text("main"), "LA1-01") {
		t.Error("the student is told who it was for")
	}
	inside.visit("/projects/" + eval[string](inside, "location.pathname.split('/')[2]"))
	inside.awaitText("Bring your laptop")

	outside.visit("/news")
	if eval[bool](outside, told) || strings.Contains(outside.text("main"), "Bring your laptop") {
		t.Error("who is in another tutorial is told of it")
	}
}
