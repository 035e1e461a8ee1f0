package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A convenor deletes a task with students' work, looks into what it holds, and restores it: the work is there again.
func TestAConvenorRestoresADeletedTask(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		b := open(t, s, wide)
		b.signIn("aconvenor")
		b.visit("/units/1/settings/tasks")
		const first = "document.querySelector('.task-table tr[id] th a')"
		name := eval[string](b, first+".textContent.trim()")
		at := eval[string](b, first+".pathname")
		b.visit(at + "/delete")
		eval[bool](b, "(document.querySelector('form[action$=\"/delete\"]').requestSubmit(), true)")
		b.await("location.search.includes('done=deleted') && document.readyState === 'complete'")
		b.visit("/units/1/settings/deleted")
		b.looked("what was deleted")
		b.follow(".deleted-acts a")
		b.await("location.search.includes('at=') && document.querySelectorAll('.deleted-counts li').length > 0")
		b.looked("what a deleted task holds")
		eval[bool](b, "(document.querySelector('.deleted-acts button').focus(), true)")
		b.key(kb.Enter)
		b.await("location.search === '?done=restored' && document.readyState === 'complete'")
		b.awaitText("Students whose work came back are told by email.")
		b.visit("/units/1/settings/tasks")
		if back := eval[string](b, first+".textContent.trim()"); back != name {
			t.Errorf("the first task is %q, not %q", back, name)
		}
	})
}
