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
		tom.do(desk, nil).status(200).lacks("Similarity").lacks("Automated tests")
		w.assessed("failed", "It took longer than <1m>.", "")
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part,
					outside_id, outside_pct, flagged, created_at)
				SELECT 'TiiTaskSimilarity', t.project_id, t.id, s.submission_id, 'file0', 'x' || t.id, 64, TRUE, $1
				FROM submission_tasks s JOIN tasks t ON t.id = s.task_id`, q.Now())
			return err
		})
		tom.do(desk, nil).status(200).says("Similarity").says(w.path(onDesk) + `/similarities/`).says(">64 %</a>").
			says("Automated tests").says(`<strong class="red">Failed</strong>`).says("It took longer than &lt;1m&gt;.")
		w.exec(`UPDATE task_similarities SET flagged = FALSE`) // somebody looked, and it is not copied
		tom.do(desk, nil).status(200).lacks("Similarity")
		ann.do(task, nil).status(200).says("Failed").lacks("Similarity").lacks("64 %")
	})
}

// Why two works look alike is a list on the desk: what is said of the pair, then the evidence,
// a line for each.
func TestEvidenceIsAListOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, task := w.as("ann"), w.path(aTask)
		ann.send(task+"/hand-in", "first", "a.go", "package a\n").status(303)
		ann.send(task+"/hand-in", "second", "a.go", "package b\n").status(303)
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO similarity_pairs (class_id, part, left_id, right_id, pct, score,
					left_words, right_words, passages, created_at)
				SELECT 1, 'code', min(id), max(id), 81, 70, '', $1, '[]', $2 FROM submissions`,
				"One line is shared.\nLine 1 (a.go), and line 2\x1f (<b>.go)\x1f of the other work: a comment.\nLine 7: a text.",
				q.Now())
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
		page := w.as("tom").do(w.path(aDesk+"?at={task_id}"), nil).status(200).says(">81 %</a>")
		got := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(page.Body.String(), "")
		if want := `<bdi>One line is shared.</bdi><ul class="hint">` +
			`<li><bdi>Line 1 (a.go), and line 2 (&lt;b&gt;.go) of the other work: a comment.</bdi></li>` +
			`<li><bdi>Line 7: a text.</bdi></li></ul>`; !strings.Contains(got, want) {
			t.Errorf("the desk has no %s:\n%s", want, got)
		}
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
