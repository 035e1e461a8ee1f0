package site_test

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

// What the machine found about a work stands beside it on the desk: how alike it is to
// others, and how its tests went. Students see nothing of the first.
func TestChecksOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, task := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.send(task+"/hand-in", "first", "a.go", "package a\n").status(303)
		desk := w.path(aDesk + "?at={task_id}")
		tom.do(desk, nil).status(200).lacks("Similar").lacks("Automated tests")
		w.assessed("failed", "It took longer than <1m>.", "")
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part,
					outside_id, outside_pct, flagged, created_at)
				SELECT 'TiiTaskSimilarity', t.project_id, t.id, s.submission_id, 'file0', 'x' || t.id, 64, TRUE, $1
				FROM submission_tasks s JOIN tasks t ON t.id = s.task_id`, q.Now())
			return err
		})
		tom.do(desk, nil).status(200).says("Similar to another submission").says("Similar 64 %").
			says(w.path(onDesk) + `/similarities/`).says("64 % was found elsewhere.").
			says("Automated tests").says(`<strong class="red">Failed</strong>`).says("It took longer than &lt;1m&gt;.")
		w.exec(`UPDATE task_similarities SET flagged = FALSE`) // somebody looked, and it is not copied
		tom.do(desk, nil).status(200).lacks("Similar")
		ann.do(task, nil).status(200).says("Failed").lacks("Similar").lacks("64 %")
	})
}

// alike makes the latest of Ann's works similar to the one before, and gives the path of the page
// that compares them.
func (w *world) alike() string {
	w.Helper()
	ann, task := w.as("ann"), w.path(aTask)
	ann.send(task+"/hand-in", "first", "a.go", "package a // <b>\n").status(303)
	ann.send(task+"/hand-in", "second", "a.go", "package b // <b>\n").status(303)
	w.tx(func(ctx context.Context, q db.Q) error {
		_, err := db.Exec(ctx, q, `INSERT INTO similarity_pairs (class_id, part, left_id, right_id, pct, score,
				left_words, right_words, passages, created_at)
			SELECT 1, 'code', min(id), max(id), 81, 70, '', $1, $3, $2 FROM submissions`,
			"One line is shared.\nLine 1 (a.go), and line 2\x1f (<b>.go)\x1f of the other work: a comment.\n"+
				"Line 7: a text.",
			q.Now(), `[{"left": {"name": "a.go", "start_line": 1, "end_line": 1, "start_byte": 0, "end_byte": 7},
				"right": {"name": "a.go", "start_line": 1, "end_line": 1, "start_byte": 0, "end_byte": 7},
				"tokens": 3}]`)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, q, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part,
				pair_id, flagged, created_at)
			SELECT 'LecternTaskSimilarity', t.project_id, t.id, p.right_id, 'code', p.id, TRUE, $1
			FROM similarity_pairs p JOIN submission_tasks s ON s.submission_id = p.right_id
			JOIN tasks t ON t.id = s.task_id`, q.Now())
		return err
	})
	return w.path(onDesk) + "/similarities/" + w.one(`SELECT max(id) FROM task_similarities`)
}

// Two works that look alike are compared within the frame of the desk: both beside each other,
// why they look alike as a list, a line for each, and the decision, which the desk follows. It
// leads back to the work.
func TestWorksAreComparedAtTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		path := w.alike()
		tom, desk := w.as("tom"), w.path(aDesk+"?at={task_id}")
		tom.do(desk, nil).status(200).says("81 % matches").says(`href="` + path + `">Compare</a>`)
		page := tom.do(path, nil).status(200).says(`class="railed"`).says("81 % similar").
			says(`href="` + desk + `"`).
			says(`<mark id="l1"`).says(`<mark id="r1"`).says("// &lt;b&gt;").
			says(`<a href="#l1">Lines 1–1</a>`).says("Not decided yet.")
		got := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(page.Body.String(), "")
		if want := `<bdi>One line is shared.</bdi></p><ul>` +
			`<li><bdi>Line 1 (a.go), and line 2 (&lt;b&gt;.go) of the other work: a comment.</bdi></li>` +
			`<li><bdi>Line 7: a text.</bdi></li></ul>`; !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
		w.as("ann").do(path, nil).status(403)
		w.as("ann").do(path, url.Values{"flagged": {"false"}}).status(403)
		tom.do(path, url.Values{"flagged": {"true"}}).leadsTo(path)
		tom.do(path, nil).says("Still flagged.").lacks("Keep flagged")
		tom.do(path, url.Values{"flagged": {"false"}}).leadsTo(path)
		tom.do(path, nil).says("Not a concern.").says("Flag again")
		tom.do(desk, nil).status(200).lacks("81 %")
		if n := w.one(`SELECT count(*) FROM audit_outbox WHERE entries LIKE '%flagged%'`); n != "2" {
			t.Errorf("the audit log tells of %s decisions", n)
		}
		w.exec(`DELETE FROM submission_files`)
		tom.do(path, nil).status(200).says("were deleted")
	})
}

// What an outside service found is decided on the same page, which leads to its report.
func TestOutsideReportsAtTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		path := w.alike()
		w.exec(`UPDATE task_similarities SET type = 'TiiTaskSimilarity', pair_id = NULL,
			outside_id = 'x', outside_pct = 64`)
		tom := w.as("tom")
		tom.do(path, nil).status(200).says("64 % similar").
			says(`href="` + path + `/report">Open the report</a>`).says("Not a concern")
		w.exec(`DELETE FROM task_similarities`)
		tom.do(path+"/report", nil).status(404)
	})
}

// Of several requests for more time the desk asks about each that waits, the oldest first,
// whichever was decided elsewhere.
func TestEveryRequestIsDecidedOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		first, second := w.asks("First."), w.asks("Second.")
		tom, desk := w.as("tom"), w.path(aDesk+"?at={task_id}")
		card := func(id int64) string { return fmt.Sprintf(`name="extension" value="%d"`, id) }
		tom.do(desk, nil).status(200).says(card(first)).lacks(card(second))
		decide := func(id int64) {
			tom.do(w.path(onDesk)+"/extension", url.Values{"extension": {fmt.Sprint(id)}, "granted": {"false"}}).leadsTo(desk)
		}
		decide(second) // as somebody does who has the list of all
		tom.do(desk, nil).status(200).says(card(first))
		decide(first)
		tom.do(desk, nil).status(200).lacks(`name="extension"`)
	})
}

var newComment = regexp.MustCompile(`class="said[^"]* new"`)

var seenField = regexp.MustCompile(`name="seen" value="(\d+)"`)

// Whoever answers on the desk has read what stood there, and nothing that came since. A
// request for more time waits for its decision all the same, and the undo is still there.
func TestAnAnswerReadsWhatWasSeen(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		w.exec(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		tom, ann, at := w.as("tom"), w.as("ann"), fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0])
		task := regexp.MustCompile(`/projects/\d+/tasks/\d+`).FindString(tom.do(at, nil).Body.String())
		unread := func() int { return len(newComment.FindAllString(tom.do(at, nil).status(200).Body.String(), -1)) }
		says := func(text string) { ann.do(task+"/comments", url.Values{"comment": {text}}).status(303) }
		answer := func(action string, page *answer, form url.Values) *answer {
			form.Set("seen", seenField.FindStringSubmatch(page.Body.String())[1])
			return tom.do(w.onTask(ids[0], action), form).status(303)
		}
		says("When?")
		page := tom.do(at, nil)
		says("And where?")
		if n := unread(); n != 2 {
			w.Fatalf("%d are new", n)
		}
		answer("comment", page, url.Values{"comment": {"Soon."}})
		if n := unread(); n != 1 {
			w.Errorf("%d are new after an answer to the first", n)
		}
		ann.do(task+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was ill."}}).status(303)
		page = tom.do(at, nil)
		next := answer("verdict", page, page.marks("complete", "Well <done>.")).Header().Get("Location")
		if n := unread(); n != 1 {
			w.Errorf("%d are new after a verdict: only the request should be", n)
		}
		tom.undoes(next, ids[0])
	})
}
