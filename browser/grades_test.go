package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A convenor types forty grades with the keyboard alone, pastes two hundred from a spreadsheet, publishes them,
// takes them back and publishes again. The student sees the grade while it is published.
func TestAConvenorGivesFinalGrades(t *testing.T) {
	needed(t)
	s := serve(t)
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

	var rows strings.Builder
	for i := range 200 {
		fmt.Fprintf(&rows, "many%03d\t%d\n", i, 40+i%60)
	}
	b.focus(".mark input:not([type=hidden])")
	eval[bool](b, `((text) => {
		const data = new DataTransfer();
		data.setData('text/plain', text);
		document.activeElement.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true,
			clipboardData: data }));
		return true;
	})(`+quote(rows.String())+`)`)
	b.await("document.readyState === 'complete' && document.activeElement?.textContent.startsWith('Save ')")
	b.key(kb.Enter)
	b.await("location.search.includes('saved=') && document.readyState === 'complete'")
	b.visit("/units/1/grades?show=portfolios") // read in place
	b.await("document.readyState === 'complete'")
	b.visit(eval[string](b, "document.querySelector('.grade-grid th a').getAttribute('href')"))
	b.await("document.querySelector('document-view canvas')")
	for _, step := range []struct{ form, done string }{{"publish", "published"}, {"undo", "taken-back"},
		{"publish", "published"}} {
		b.visit("/units/1/grades/publish")
		b.await("document.readyState === 'complete'")
		b.focus("main form[action$='" + step.form + "'] button")
		b.key(kb.Enter)
		b.await("location.search.includes('done=" + step.done + "') && document.readyState === 'complete'")
	}
}

// manyStudents enrols so many in the first unit, named many000 and so on.
func (s *service) manyStudents(t *testing.T, n int) {
	t.Helper()
	s.set(t, `WITH RECURSIVE x(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM x WHERE i + 1 < ?)
		INSERT INTO users (username, username_key, email, email_key, first_name, last_name, name_key, role, created_at,
			updated_at)
		SELECT printf('many%03d', i), printf('many%03d', i), printf('many%03d@example.edu', i),
			printf('many%03d@example.edu', i), 'Many', printf('Number %03d', i), printf('6d%03d', i), 1, u.created_at,
			u.created_at FROM x, users u WHERE u.username = 'aconvenor'`, n)
	s.set(t, `INSERT INTO projects (unit_id, user_id, created_at, updated_at)
		SELECT 1, id, created_at, created_at FROM users WHERE username LIKE 'many%'`)
}
