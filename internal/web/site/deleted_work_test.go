package site_test

import (
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/links"
)

func init() {
	pages["GET "+links.DeletedWork] = [4]int{303, 403, 403, 403} // a tutor deletes nothing
	pages["POST "+links.DeletedWork+"/restore"] = [4]int{401, 403, 403, 403}
}

// A convenor sees what was deleted and whose work it holds, and brings it back; the students are told.
func TestDeletedWorkIsLookedIntoAndRestored(t *testing.T) {
	each(t, func(w *world) {
		tom, at, list := w.convening(), w.setUp("min"), w.path(links.DeletedWork)
		w.ring()
		tom.open(list).sees("Nothing was deleted in the last 30 days.")
		w.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
			SELECT t.id, t.unit_id, p.user_id, p.user_id, 'text', 'Well', $1 FROM tasks t
			JOIN projects p ON p.id = t.project_id`, w.db.Now())
		tom.open(at + "/delete").does(act{form: "/delete"})
		tom.open(list).sees("Deleted by").sees("tom").follows("Contents")
		if !strings.Contains(tom.at, "?at=") {
			t.Errorf("the contents stand at %s", tom.at)
		}
		tom.sees("Students whose work it holds").sees("ann").sees("cat").sees("4 submissions").
			sees("6 students are told by email")
		mails := w.one(`SELECT count(*) FROM mails`)
		tom.does(act{form: "/restore"}).sees("Restored as it was.").sees("Nothing was deleted")
		if w.one(`SELECT count(*) FROM mails`) == mails {
			t.Error("nobody was told")
		}
		tom.do(at, nil).status(200)
		tom.do(list+"/restore", url.Values{"deletion": {"4711"}}).status(404).says("Deleted work")
		tom.do(list+"/restore", url.Values{}).status(404).says("Deleted work")
		tom.open(list + "?at=4711").sees("Nothing was deleted")
	})
}

// What cannot come back says why, and stays on the list.
func TestDeletedWorkWhoseNameIsTaken(t *testing.T) {
	each(t, func(w *world) {
		tom, at, list := w.convening(), w.setUp("min"), w.path(links.DeletedWork)
		w.ring()
		code := w.one(`SELECT abbreviation FROM task_definitions WHERE id = (SELECT min(id) FROM task_definitions)`)
		tom.open(at + "/delete").does(act{form: "/delete"})
		w.exec(`UPDATE task_definitions SET abbreviation = $1 WHERE id = (SELECT min(id) FROM task_definitions)`, code)
		tom.do(list+"/restore", url.Values{"deletion": {w.one(`SELECT id FROM deletions`)}}).status(409).
			says("Rename that one, then restore this").says("Students whose work it holds")
	})
}

// restoresWork looks into what was deleted and brings it back.
func (r *reader) restoresWork() {
	r.Helper()
	r.open(r.setUp("max") + "/delete").does(act{form: "/delete"})
	r.open(r.path(links.DeletedWork)).follows("Contents").does(act{form: "/restore"}).sees("Restored as it was.")
}
