package browser

import (
	"bytes"
	"testing"

	"github.com/chromedp/cdproto/network"
)

const atReceipt = "/\\/versions\\/[^/]+\\/receipt/.test(location.pathname)"

// Work that could not be handed in is kept: another page leads back to it, and it goes
// on when the page is opened again, also when nobody is signed in any more by then.
// Each is handed in once. Who signs out instead leaves nothing of it behind.
func TestHandInGoesOnLater(t *testing.T) {
	needed(t)
	s := serve(t)
	for i, on := range []screen{wide, phone} {
		t.Run(on.name, func(t *testing.T) {
			who := []string{"student_2", "student_6"}[i]
			line := badLine(t, s)
			b := open(t, line.service, on)
			b.expect("net::ERR_")
			b.expect("status of 401")
			b.signIn(who)
			task := b.firstTask("5.1P")
			before := b.versions()

			b.keptBack(line, "while a page is closed")
			b.visit("/home")
			line.down.Store(false)
			b.follow("main p.wrong a")
			b.await(atReceipt)

			b.visit(task)
			b.keptBack(line, "while a session ends")
			s.overnight(t, who)
			line.down.Store(false)
			b.press(".sending button")
			b.await("document.querySelector(\".sending a[href^='/sign-in']\")")
			b.follow(".sending a[href^='/sign-in']")
			b.again(who)
			b.await(atReceipt)

			b.visit(task)
			if after := b.versions(); after != before+2 {
				t.Errorf("%d versions before and %d after", before, after)
			}
			b.leaveFiles(line)
		})
	}
}

// keptBack hands a program in on a line that is down, until the page waits to repeat it.
func (b *tab) keptBack(line *line, text string) {
	b.Helper()
	line.down.Store(true)
	b.handInFiles(map[string]string{"#file0": b.file("Program.cs", []byte("// kept "+text+"\n"))})
	b.await("document.querySelectorAll('.sending button').length === 2")
}

// leaveFiles signs out while work waits to be handed in.
func (b *tab) leaveFiles(line *line) {
	b.Helper()
	b.keptBack(line, "for nobody else")
	const kept = "indexedDB.databases().then((list) => list.length)"
	if n := eval[int](b, kept); n != 1 {
		b.Errorf("%d databases hold what waits, not 1", n)
	}
	b.pressSignOut()
	b.press("dialog[open] button[value=leave]")
	b.await("location.pathname === '/sign-in'")
	if n := eval[int](b, kept); n != 0 {
		b.Errorf("%d databases are left", n)
	}
}

// How much of a file is sent is shown while it is.
func TestProgressOfAHandIn(t *testing.T) {
	needed(t)
	b := open(t, serve(t), wide)
	b.signIn("student_4")
	b.firstTask("5.1P")
	set(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: 500_000}}})
	b.handInFiles(map[string]string{"#file0": b.file("Program.cs", bytes.Repeat([]byte("// a long program\n"), 80_000))})
	b.await("/Uploading [1-9]0 %/.test(document.querySelector('.sending').innerText) && " +
		"document.querySelector('.drop progress:not([hidden])').value > 0")
	b.await(atReceipt)
}
