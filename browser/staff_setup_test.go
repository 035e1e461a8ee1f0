package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A convenor adds a tutor by three letters and keys alone, adds a stream and a tutorial, changes its tutor,
// takes a sheet with two mistakes, reads what is wrong with it, mends it and imports it.
func TestStaffAndTutorialsByThePages(t *testing.T) {
	needed(t)
	b := open(t, another(t), wide)
	b.signIn("aconvenor")
	const list = "/units/1/settings/staff"
	b.visit(list)
	b.focus("#find-staff")
	b.key("num 3")
	b.await("document.querySelectorAll('#found li').length === 1 && " +
		"document.querySelector('#found-count').textContent !== ''")
	b.barriers("people found for the staff")
	b.focus("#find-staff")
	b.key(kb.Tab + kb.Tab) // over the button to the first who was found
	b.key(kb.Enter)
	b.awaitText("Added: Tutor Number 3")

	b.follow("main a[href$='/streams/new']")
	b.barriers("a new stream")
	b.follow(".staff-drawer footer .btn.primary")
	b.awaitText("Saved.")
	b.fill("#stream_name", "Studios")
	b.follow(".staff-drawer footer .btn.primary")
	b.await("document.querySelector('#stream_name')?.defaultValue === 'Studios'")

	b.follow("main a[href$='/tutorials/new']")
	b.fill("#abbreviation", "ST1")
	b.fill("#meeting_time", "10:30")
	b.fill("#meeting_location", "ATC 205")
	b.barriers("a new tutorial")
	b.follow(".staff-drawer footer .btn.primary")
	b.awaitText("Added: ST1")
	eval[bool](b, `[...document.querySelectorAll('.tutorial-table th a')].
		find((a) => a.textContent === 'ST1').click() || true`)
	b.await("document.querySelector('#abbreviation')?.value === 'ST1'")
	eval[bool](b, `(s => { s.value = [...s.options].find((o) => o.text === 'Tutor Number 3').value; return true })(
		document.querySelector('#tutor_id'))`)
	b.follow(".staff-drawer footer .btn.primary")
	b.awaitText("Saved.")
	b.await(`document.querySelector('.tutorial-table tr.here').textContent.includes('Tutor Number 3')`)

	const head = "abbreviation;tutorial_stream;activity_type;tutor;meeting_day;meeting_time;" +
		"meeting_location;capacity;campus\r\n"
	good := "ST2;Studios;;tutor_4;Friday;9:00;ATC 205;25;\r\n"
	b.visit(list + "/import")
	b.choose("#file", b.file("tutorials.csv", []byte(head+good+"ST3;Studios;;tutro_4;Friday;11:00;ATC 205;25;\r\n"+
		"ST4;Studios;;tutor_4;Friday;13:00;ATC 205;lots;\r\n")))
	b.follow("form[action$='/plan'] button")
	b.awaitText("2 rows have mistakes.")
	b.awaitText("nobody who may teach has the user name or email tutro_4")
	b.awaitText("write a whole number, or nothing for no limit")
	b.looked("a sheet of tutorials with mistakes")
	b.choose("#file", b.file("tutorials.csv", []byte(head+good+"ST3;Studios;;tutor_4;Friday;11:00;ATC 205;25;\r\n")))
	b.follow("form[action$='/plan'] button")
	b.awaitText("tutor_4 joins the staff of the unit as a tutor.")
	b.looked("the plan of a sheet of tutorials")
	b.follow("form[action$='/import'] button")
	b.awaitText("2 tutorials imported.")
	b.visit(list)
	b.awaitText("Tutor Number 4")
}
