package site_test

import (
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/links"
	"lectern/internal/people/policy"
)

const (
	drawHere    = links.Moderation + "/draw"
	sampledHere = "/units/{unit_id}/moderation/works/{work_id}"
)

func init() {
	pages["GET "+links.Moderation] = [4]int{303, 403, 200, 403}
	pages["GET "+drawHere] = [4]int{303, 403, 403, 403} // it is the convenors'
	pages["POST "+drawHere] = [4]int{401, 403, 403, 403}
	pages["POST /units/{unit_id}/moderation/samples/{sample_id}/discard"] = [4]int{401, 403, 403, 403}
	pages["GET "+sampledHere] = [4]int{303, 403, 404, 403}
	pages["POST "+sampledHere+"/mark"] = [4]int{401, 403, 404, 403}
	pages["POST "+sampledHere+"/settle"] = [4]int{401, 403, 403, 403}
	pages["POST "+sampledHere+"/assign"] = [4]int{401, 403, 403, 403}
}

// markedByUma lets a colleague mark what waits in the unit, with words that tell what she gave.
func (w *world) markedByUma() {
	w.Helper()
	w.person("uma", policy.Tutor)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT max(u.id), max(p.id), 2, $1, $1 FROM units u, users p WHERE p.username = 'uma'`, w.db.Now())
	w.exec(`UPDATE tasks SET status = 'fix_and_resubmit', grade = NULL, quality_pts = -1`)
	w.exec(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
		SELECT t.id, $1, u.id, 'ready_for_feedback', 'fix_and_resubmit', TRUE FROM tasks t, users u
		WHERE u.username = 'uma'`, w.db.Now())
	w.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
		SELECT t.id, t.unit_id, u.id, p.user_id, 'text', 'Quokka says fix it', $1 FROM tasks t
		JOIN projects p ON p.id = t.project_id, users u WHERE u.username = 'uma'`, w.db.Now())
}

// A convenor draws a sample after seeing what it comes to, marks it without seeing the first mark, and settles the
// difference. The page says so when a colleague was faster.
func TestASampleIsModeratedOnPages(t *testing.T) {
	each(t, func(w *world) {
		tom := w.convening()
		w.markedByUma()
		list := w.path(links.Moderation)
		tom.open(list).sees("No work is in a sample").follows("Draw sample")
		tom.does(act{form: "/draw", fill: map[string]string{"size": "2", "seed": "s"}}).sees("Nothing is drawn yet.").
			sees("2 of 3")
		if w.one(`SELECT count(*) FROM moderation_samples`) != "0" {
			t.Fatal("a preview drew")
		}
		tom.does(act{form: "/draw", words: "Nothing is drawn", press: "Draw 2"}).
			sees("2 submissions were drawn.").sees("Seed: s").sees("Hidden for now")
		tom.follows("Mark 2 submissions").sees("is hidden until you have given your mark")
		for _, word := range []string{"Quokka", "First mark", "uma Person"} {
			if strings.Contains(tom.text, word) {
				t.Errorf("before the second mark the page says %q", word)
			}
		}
		if strings.Contains(tom.text, " checked") && strings.Contains(tom.text, `value="fix_and_resubmit" checked`) {
			t.Error("the first mark is picked already")
		}
		at := tom.at
		tom.do(at+"/mark", url.Values{}).status(422).says("Choose the status")
		tom.do(at+"/mark", url.Values{"status": {"complete"}, "quality": {"x"}}).status(422).
			says("whole number")
		give := map[string]string{"status": "redo", "comment": "Not <b>enough</b>"}
		tom.open(at).does(act{form: "/mark", fill: give}).sees("Both marks").sees("First mark").sees("Redo").
			sees("Not &lt;b&gt;enough&lt;/b&gt;").sees("keeps the first mark").sees("uma")
		before := w.one(`SELECT count(*) FROM task_history`)
		tom.do(at+"/mark", url.Values{"status": {"redo"}}).status(409).says("You gave your mark already")
		tom.do(at+"/settle", url.Values{"reason": {"So"}}).status(422).says("Choose which mark stands")
		tom.do(at+"/settle", url.Values{"stands": {"second"}, "reason": {"So"}, "version": {"4711"}}).status(409).
			says("compare both").says("So")
		tom.open(at).does(act{form: "/settle", fill: map[string]string{"stands": "first", "reason": "Fixing is enough"}}).
			sees("Decided").sees("Fixing is enough")
		if now := w.one(`SELECT count(*) FROM task_history`); now != before {
			t.Errorf("where the first stands the history grew from %s to %s", before, now)
		}
		tom.open(list + "?state=settled").sees("Decided").sees("0 differences")
		tom.open(list + "?state=odd&sample=x&page=-3").sees("1 of 2")
		own := w.one(`SELECT min(p.id) FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'ann'`)
		task := "/projects/" + own + "/tasks/" + w.one(`SELECT min(id) FROM task_definitions`)
		for _, path := range []string{"/projects/" + own, task, "/news", "/home"} {
			for _, secret := range []string{"Not &lt;b&gt;", "Fixing is enough", "oderation"} {
				if strings.Contains(w.as("ann").do(path, nil).status(200).Body.String(), secret) {
					t.Errorf("%s shows Ann %q", path, secret)
				}
			}
		}
	})
}

// A second mark that stands is given to the student by a verdict.
func TestASecondMarkStands(t *testing.T) {
	each(t, func(w *world) {
		tom := w.convening()
		w.markedByUma()
		tom.open(w.path(drawHere) + "?size=9&spread=tutor").sees("3 of 3").
			does(act{form: "/draw", words: "Nothing is drawn", press: "Draw 3"}).
			follows("Mark 3 submissions").does(act{form: "/mark", fill: map[string]string{"status": "redo"}}).
			does(act{form: "/settle", fill: map[string]string{"stands": "second", "reason": "Too thin",
				"comment": "Please redo"}}).sees("Too thin")
		if got := w.one(`SELECT count(*) FROM tasks WHERE status = 'redo'`); got != "1" {
			t.Errorf("%s of 1 task was given the second mark", got)
		}
		if got := w.one(`SELECT count(*) FROM task_comments WHERE comment = 'Please redo'`); got != "1" {
			t.Errorf("%s of 1 comment was sent", got)
		}
		tom.follows("Next").sees("1 of 2")
	})
}

// moderates draws, discards and draws again, gives a work to somebody, marks it and settles what came of it.
func (r *reader) moderates() {
	r.Helper()
	r.markedByUma()
	list, draw := r.path(links.Moderation), r.path(drawHere)
	begin := func() {
		r.open(draw).does(act{form: "/draw", fill: map[string]string{"size": "1"}}).
			does(act{form: "/draw", words: "Nothing is drawn"})
	}
	begin()
	r.open(list).does(act{form: "/discard"}).sees("The sample is discarded.")
	begin()
	r.open(list).follows("Mark 1 submission").does(act{form: "/assign", fill: map[string]string{"marker": ""}}).
		does(act{form: "/mark", fill: map[string]string{"status": "redo"}}).
		does(act{form: "/settle", fill: map[string]string{"stands": "first", "reason": "So."}}).sees("So.")
}
