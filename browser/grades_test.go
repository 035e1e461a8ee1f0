package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A convenor types forty grades with the keyboard alone, pastes two hundred from a spreadsheet, publishes them,
// takes them back and publishes again. The student sees the grade while it is published.
func TestAConvenorGivesFinalGrades(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		s.manyStudents(t, 240)
		b := open(t, s, wide)
		b.signIn("aconvenor")
		b.visit("/units/1/grades")
		b.await("document.readyState === 'complete' && !document.querySelector('.keys-hint').hidden")
		b.barriers("the grid of final grades")
		b.focus(".mark input:not([type=hidden])")
		for i := range 40 {
			b.key(fmt.Sprint(50 + i))
			b.key(kb.Enter)
		}
		b.await("document.getElementById('changes').textContent === '40 grades will change.'")
		b.key(kb.Enter, chromedp.ModifierCtrl)
		b.await("document.readyState === 'complete' && document.activeElement?.textContent === 'Save 40 grades'")
		b.barriers("the plan of final grades")
		b.focus(".apply-bar .primary")
		b.key(kb.Enter)
		b.await("location.search.includes('saved=40') && document.readyState === 'complete'")

		if !eval[bool](b, "document.querySelector('.apply-bar').hidden") {
			t.Error("there is something to save where nothing was typed")
		}
		rows := strings.Builder{}
		rows.WriteString("astudent\t33\tA quokka's <b>work</b>\n")
		for i := range 200 {
			fmt.Fprintf(&rows, "many%03d\t%d\n", i, 40+i%60)
		}
		b.copied(rows.String())
		b.focus(".mark input:not([type=hidden])")
		b.edit("paste")
		b.await("document.readyState === 'complete' && document.activeElement?.textContent === 'Save 201 grades'")
		b.looked("the plan of grades that were pasted")
		b.focus(".apply-bar .primary")
		b.key(kb.Enter)
		b.await("location.search.includes('saved=201') && document.readyState === 'complete'")
		b.visit("/units/1/grades?show=portfolios") // read in place
		b.await("document.readyState === 'complete'")
		b.visit(eval[string](b, "document.querySelector('.grade-grid th a').getAttribute('href')"))
		b.await("document.querySelector('document-view canvas')")
		ann := open(t, s, wide)
		ann.signIn("astudent")
		b.visit("/units/1/grades?text=astudent")
		own := "/projects/" + eval[string](b, "document.querySelector('.grade-grid tbody tr').id.replace('student-', '')")
		for _, step := range []struct{ form, done string }{{"publish", "published"}, {"undo", "taken-back"},
			{"publish", "published"}} {
			b.visit("/units/1/grades/publish")
			b.await("document.readyState === 'complete'")
			b.focus("main form[action$='" + step.form + "'] button")
			b.key(kb.Enter)
			b.await("location.search.includes('done=" + step.done + "') && document.readyState === 'complete'")
			ann.visit(own)
			ann.await("document.readyState === 'complete'")
			if shown := strings.Contains(ann.text("main"), "A quokka's <b>work</b>"); shown != (step.done == "published") {
				t.Errorf("%s: the student sees the grade: %v", step.done, shown)
			}
		}
		ann.awaitText("33")
		ann.looked("a published grade")
	})
}

// Grades that were typed are there again for who goes back from a network that was lost on the way to the plan, and
// from the plan itself.
func TestTypedGradesAreThereAgain(t *testing.T) {
	needed(t)
	w := newWire(t, quiet(t))
	b := open(t, w.service, wide)
	b.expect("net::ERR_")
	b.signIn("aconvenor")
	b.visit("/units/1/grades")
	b.await("document.readyState === 'complete' && !document.querySelector('.keys-hint').hidden")
	b.focus(".mark input:not([type=hidden])")
	for range 3 {
		b.key("87")
		b.key(kb.Enter)
	}
	back := func(from string) {
		b.key(kb.Enter, chromedp.ModifierCtrl)
		b.await(from)
		w.does.set(arrives)
		eval[bool](b, "(history.back(), true)")
		b.await("document.readyState === 'complete' && document.getElementById('changes')?.textContent === " +
			"'3 grades will change.'")
		if n := eval[int](b, "document.querySelectorAll('.mark.is-new').length"); n != 3 {
			t.Errorf("back from where %s, %d grades are as typed", from, n)
		}
		b.focus(".mark input:not([type=hidden])")
	}
	w.does.set(isLost)
	back("location.protocol === 'chrome-error:'")
	back("document.querySelector('.grade-plan')")
	for range 3 {
		b.key(kb.Escape)
		b.key(kb.ArrowDown)
	}
	b.await("document.querySelector('.apply-bar').hidden && Object.keys(history.state.typed).length === 0")
}

// copied lays text on the clipboard of the browser: somebody typed it elsewhere, marked all of it and copied it.
func (b *tab) copied(text string) {
	b.Helper()
	sheet := b.another()
	sheet.visit("/units/1/grades/import")
	sheet.await("document.readyState === 'complete'")
	sheet.focus("textarea[name=paste]")
	set(sheet, input.InsertText, input.InsertTextParams{Text: text})
	sheet.edit("selectAll")
	sheet.edit("copy")
}

// edits are the keys of editing commands.
var edits = map[string]string{"selectAll": "a", "copy": "c", "paste": "v"}

// edit presses the keys of an editing command, which the browser carries out as it does for a keyboard.
func (b *tab) edit(command string) {
	b.Helper()
	key := edits[command]
	code := strings.ToUpper(key)
	for _, kind := range []input.DispatchKeyEventType{"rawKeyDown", "keyUp"} {
		press := input.DispatchKeyEventParams{Type: kind, Key: key, Code: "Key" + code,
			WindowsVirtualKeyCode: int64(code[0]), Modifiers: int64(chromedp.ModifierCtrl)}
		if kind == "rawKeyDown" {
			press.Commands = []string{command}
		}
		set(b, input.DispatchKeyEvent, press)
	}
}

// manyStudents enrols so many in the first unit, named many000 and so on.
func (s *service) manyStudents(t *testing.T, n int) {
	t.Helper()
	s.set(t, `WITH RECURSIVE x(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM x WHERE i + 1 < 1000 + $1),
			n(name, digits) AS (SELECT 'many' || substr(CAST(i AS TEXT), 2, 3), substr(CAST(i AS TEXT), 2, 3) FROM x)
		INSERT INTO users (username, username_key, email, email_key, first_name, last_name, name_key, role, created_at,
			updated_at)
		SELECT n.name, n.name, n.name || '@example.edu', n.name || '@example.edu', 'Many', 'Number ' || n.digits,
			'6d' || n.digits, 1, u.created_at, u.created_at FROM n, users u WHERE u.username = 'aconvenor'`, n)
	s.set(t, `INSERT INTO projects (unit_id, user_id, created_at, updated_at)
		SELECT 1, id, created_at, created_at FROM users WHERE username LIKE 'many%'`)
}
