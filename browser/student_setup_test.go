package browser

import (
	"fmt"
	"strings"
	"testing"
)

// A convenor imports a sheet with mistakes, reads what is wrong in each row, mends it and applies it; withdraws
// a student, takes that back, moves three after a plan, and is asked twice before a sheet withdraws many.
func TestStudentsAreImportedAndMoved(t *testing.T) {
	needed(t)
	s := serve(t)
	b := open(t, s, wide)
	b.signIn("acain")
	const list = "/units/1/settings/students"
	send := func(rows string) {
		b.Helper()
		b.visit(list + "/import")
		head := strings.Join(strings.Fields(eval[string](b,
			"[...document.querySelectorAll('.headings code')].map((c) => c.textContent.replace(' ', '_')).join(' ')")), ",")
		b.choose("#file", b.file("class-list.csv", []byte(head+"\n"+rows)))
	}
	wrong := "COS10001,,kiri,900100,,Kiri,Ota,kiri@example.edu,LA9-01,LA2-01\n" +
		"COS10001,,lena,900101,,Lena,Ola,lena@example,LA1-01,LA2-01\n" +
		"COS10001,,mats,900102,,Mats,Eri,mats@example.edu,LA1-02,LA2-02\n" +
		"COS10001,,student_3,,,Liam,Singh,student_3@example.edu,LA1-01,\n"
	send(wrong)
	b.follow("#review")
	b.awaitText("2 lines cannot be imported.")
	b.awaitText("There is no tutorial LA9-01.")
	b.looked("the plan of a sheet of students")
	b.follow("button.chip[value=refused]")
	b.awaitText("1–2 of 2")
	send(strings.ReplaceAll(strings.ReplaceAll(wrong, "LA9-01", "LA1-01"), "lena@example,", "lena@example.edu,"))
	b.follow("#review")
	b.awaitText("Enrol 3 students and change 1")
	b.follow("#apply")
	b.awaitText("3 enrolled and 1 changed.")
	b.looked("the result of a sheet of students")

	b.visit(list + "?text=mats")
	b.follow(".student-table button[value=false]")
	b.awaitText("Withdrawn: Mats Eri")
	b.follow(".toast button")
	b.awaitText("Enrolled again: Mats Eri")

	b.visit(list + "?text=9001")
	b.press("#select-all") // in place: what is typed and where one stands stay
	b.await("document.querySelectorAll('.pick input:checked').length === 3 && !location.search.includes('chosen') && " +
		"document.getElementById('select-all').textContent === 'Clear selection'")
	b.press("#select-all")
	b.await("document.querySelectorAll('.pick input:checked').length === 0")
	for i := range 3 {
		b.press(fmt.Sprintf(".student-table tbody tr:nth-child(%d) .pick input", i+1))
	}
	eval[bool](b, `((to) => { to.value = [...to.options].find((o) => o.text.startsWith('LA1-03')).value; return true; })(
		document.querySelector('#move-to'))`)
	b.follow("#move-review")
	b.awaitText("Change 3 students")
	b.looked("the plan of a move of students")
	b.follow("#apply")
	b.awaitText("3 students changed.")

	send("COS10001,,kiri,900100,,Kiri,Ota,kiri@example.edu,,\n")
	b.press("#withdraw")
	b.follow("#review")
	left := eval[string](b, "document.querySelector('.plan-sum button[value=left] b').textContent")
	b.follow("#apply")
	b.awaitText("This withdraws " + left + " of")
	b.looked("many withdrawals")
	b.follow("#apply") // without the number nothing happens
	b.awaitText("This withdraws " + left + " of")
	b.fill("#confirmed", left)
	b.follow("#apply")
	b.awaitText(left + " withdrawn.")
	b.visit(list)
	b.awaitText("1 enrolled, ")
}
