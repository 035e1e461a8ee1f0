package site_test

import (
	"fmt"
	"net/url"
	"testing"

	"lectern/internal/platform/db"
)

// A page that kept a verdict sends it for whoever wrote it, and for nobody who signed in
// later on the same computer; it learns the version that its next verdict is about.
func TestVerdictsOfAnotherHand(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom := w.as("tom")
		id, err := db.One[int64](w.Context(), w.db.Pool(), `SELECT id FROM users WHERE username = 'tom'`)
		if err != nil {
			t.Fatal(err)
		}
		form := tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0]), nil).marks("redo", "Mine.")
		say := url.Values{"comment": {"Mine, too."}}
		for by, status := range map[int64]int{*id + 1: 403, *id: 200} {
			form.Set("by", fmt.Sprint(by))
			say.Set("by", fmt.Sprint(by))
			tom.do(w.onTask(ids[1], "comment"), say, "Accept", "application/json").status(status)
			given := tom.do(w.onTask(ids[0], "verdict"), form, "Accept", "application/json").status(status)
			if status == 200 {
				given.says(`"version":2`)
			}
		}
		if s := w.statusOf(ids[0]); s != "redo" {
			t.Error(s)
		}
		// Who has the task open elsewhere is told by whom it was marked, and that it waits no more.
		tom.do(fmt.Sprintf("%s/tasks/%d", w.path(aDesk), ids[0]), nil).status(200).
			says(fmt.Sprintf(`data-mover-id="%d"`, *id)).says(`data-kind="pinned"`).says(`data-status="redo"`)
		for left, looking := range map[string]int64{"true": 0, "false": 1} {
			tom.do(w.onTask(ids[0], "presence"), url.Values{"left": {left}}, "Accept", "application/json").status(200)
			n, err := db.One[int64](w.Context(), w.db.Pool(), `SELECT count(*) FROM presences`)
			if err != nil || *n != looking {
				t.Errorf("%d look at it after left=%s (%v)", *n, left, err)
			}
		}
	})
}
