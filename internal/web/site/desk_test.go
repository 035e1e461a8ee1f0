package site_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	documents "lectern/internal/platform/pdf"
)

const (
	aDesk  = "/units/{id}/desk"
	onDesk = aDesk + "/tasks/{task_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + aDesk:  {303, 403, 200, 403},
		"GET " + onDesk: {303, 403, 200, 403},

		"GET " + onDesk + "/similarities/{similarity_id}":        {303, 403, 404, 403},
		"GET " + onDesk + "/similarities/{similarity_id}/report": {303, 403, 404, 403},
		"POST " + onDesk + "/similarities/{similarity_id}":       {401, 400, 400, 400}, // it says nothing

		"POST " + onDesk + "/verdict":   {401, 403, 400, 403}, // it does not say what was looked at
		"POST " + onDesk + "/undo":      {401, 400, 400, 400}, // it names no verdict
		"POST " + onDesk + "/comment":   {401, 403, 303, 403},
		"POST " + onDesk + "/read":      {401, 403, 303, 403},
		"POST " + onDesk + "/pin":       {401, 403, 404, 403}, // there is no pin to take off
		"POST " + onDesk + "/tick":      {401, 403, 404, 403}, // there is no such comment
		"POST " + onDesk + "/snippets":  {401, 403, 303, 403},
		"POST " + onDesk + "/note":      {401, 403, 303, 403},
		"POST " + onDesk + "/presence":  {401, 403, 303, 403},
		"POST " + onDesk + "/extension": {401, 403, 404, 403}, // that comment asks for nothing
	})
}

// waiting makes tasks of Ann and Bea that wait for feedback, Ann's the longer, and gives
// their ids. The third, Ann's too, wants a grade and points.
func (w *world) waiting() (ids [3]int64) {
	w.hostile()
	w.person("bea", policy.Student)
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT u.id, p.id, $1, $1 FROM units u, users p
				WHERE p.username = 'bea'`,
			`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting, target_grade, start_date,
					target_date, upload_requirements, is_graded, max_quality_pts)
				SELECT unit_id, 'Graded', '2', '', 1, 0, '2026-01-01', '2998-01-01', '[]', TRUE, 5 FROM task_definitions
				WHERE CAST($1 AS TEXT) <> ''`,
			`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, created_at, updated_at)
				SELECT p.id, d.id, d.unit_id, 'ready_for_feedback', $1, $1, $1 FROM projects p
				JOIN users u ON u.id = p.user_id JOIN task_definitions d ON d.unit_id = p.unit_id
				WHERE u.username = 'ann' OR NOT d.is_graded ORDER BY d.is_graded, u.username`,
		} {
			if _, err := db.Exec(ctx, q, text, q.Now()); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		list, err := db.All[int64](ctx, q, `SELECT id FROM tasks ORDER BY id`)
		copy(ids[:], list)
		for i, id := range list {
			if err == nil {
				_, err = db.Exec(ctx, q, `UPDATE tasks SET submission_date = $2 WHERE id = $1`, id,
					clock.At(q.Now().Add(time.Duration(i-9)*time.Hour)))
			}
		}
		return err
	})
	return ids
}

var versionField = regexp.MustCompile(`name="version" value="(\d+)"`)

// marks is the form of the desk with a verdict, as a browser would send it.
func (a *answer) marks(word, comment string) url.Values {
	a.Helper()
	body := a.Body.String()
	version, key := versionField.FindStringSubmatch(body), keyField.FindStringSubmatch(body)
	if version == nil || key == nil {
		a.Fatalf("there is no form for a verdict: %s", body)
	}
	return url.Values{"status": {word}, "comment": {comment}, "version": {version[1]}, "key": {key[1]}}
}

func (w *world) onTask(id int64, action string) string {
	return fmt.Sprintf("%s/tasks/%d/%s", w.path(aDesk), id, action)
}

func (w *world) statusOf(id int64) string {
	w.Helper()
	s, err := db.One[string](w.Context(), w.db.Pool(), `SELECT status FROM tasks WHERE id = $1`, id)
	if err != nil {
		w.Fatal(err)
	}
	return *s
}

// A tutor marks one after the other without script: each verdict leads to the next that
// waits in the same queue, is given once however often it is sent, and keeps what was
// typed where it is refused.
func TestMarkingOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom, desk := w.as("tom"), w.path(aDesk)
		first := tom.do(desk+"?status=ready_for_feedback", nil).status(200).says("ann &lt;b&gt;Person").
			says("0 of 3 marked").says("3 to mark, 0 to answer")
		tom.sound(desk, tom.do(desk, nil))
		form := first.marks("complete", "Well <done>.")
		to := w.onTask(ids[0], "verdict") + "?filter=" + url.QueryEscape("status=ready_for_feedback")
		next := tom.do(to, form).status(303).Header().Get("Location")
		if u, err := url.Parse(next); err != nil || u.Query().Get("at") != fmt.Sprint(ids[1]) ||
			u.Query().Get("status") != "ready_for_feedback" || u.Query().Get("undo") == "" {
			t.Fatalf("leads to %s", next)
		}
		if again := tom.do(to, form).status(303).Header().Get("Location"); again != next {
			t.Errorf("again leads to %s", again)
		}
		if s := w.statusOf(ids[0]); s != "complete" {
			t.Error(s)
		}
		tom.undoes(next, ids[0])
		// The conversation tells of statuses as every page does, not in the words of the API.
		form = tom.do(fmt.Sprintf("%s?at=%d", desk, ids[0]), nil).says("changed the status to").
			says("</svg>Complete</span>").says("undid the marking. The status is").marks("complete", "Well <done>.")
		next = tom.do(to, form).status(303).Header().Get("Location")
		second := tom.do(next, nil).status(200).says("bea").says("1 of 3 marked").
			says("2 to mark, 0 to answer").says(`id="desk-undo"`)
		if n := strings.Count(tom.do(fmt.Sprintf("%s?at=%d", desk, ids[0]), nil).Body.String(), "Well &lt;done&gt;."); n != 1 {
			t.Errorf("said %d times", n)
		}
		tom.do(w.onTask(ids[1], "verdict"), second.marks("sublime", "Keep <this>.")).status(400).
			says("Keep &lt;this&gt;.").says(`role="alert"`)
		script := tom.do(w.onTask(ids[1], "verdict"), second.marks("redo", ""), "Accept", "application/json").status(200)
		var done struct {
			To        string `json:"to"`
			VerdictID int64  `json:"verdict_id"`
			Next      int64  `json:"next"`
		}
		if err := json.Unmarshal(script.Body.Bytes(), &done); err != nil || done.Next != ids[2] || done.VerdictID == 0 {
			t.Errorf("%v %+v", err, done)
		}
		tom.grades(ids[2])
		tom.do(desk+"?status=ready_for_feedback", nil).status(200).says("All done").says("Marked in this session")
	})
}

// undoes takes the verdict back that led to an address: its words are in the form again.
func (w *world) undoes(at string, id int64) {
	w.Helper()
	u, err := url.Parse(at)
	if err != nil {
		w.Fatal(err)
	}
	verdict := url.Values{"verdict": {u.Query().Get("undo")}}
	w.do(at, nil).status(200).says("ann &lt;b&gt;Person&lt;/b&gt;: Complete.")
	w.do(w.onTask(id+1, "undo"), verdict).status(404) // that verdict is on another task
	w.do(w.onTask(id, "undo"), verdict).status(200).says(">Well &lt;done&gt;.</textarea>")
	if s := w.statusOf(id); s != "ready_for_feedback" {
		w.Error(s)
	}
}

// grades gives the verdict that needs marks: one without them is refused with all that
// was typed.
func (w *world) grades(id int64) {
	w.Helper()
	last := w.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), id), nil).status(200).says(`name="grade"`).says(`name="quality"`)
	form := last.marks("complete", "Nearly.")
	form.Set("quality", "4")
	w.do(w.onTask(id, "verdict"), form).status(400).says("Nearly.").says(`value="4"`)
	form = last.marks("complete", "Nearly.")
	form.Set("grade", "2")
	form.Set("quality", "4")
	w.do(w.onTask(id, "verdict"), form).status(303)
}

// Of two verdicts both are shown, and nothing of the later one is lost.
func TestTwoTutorsOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		w.person("uma", policy.Tutor)
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
				SELECT u.id, p.id, 2, $1, $1 FROM units u, users p WHERE p.username = 'uma'`, q.Now())
			return err
		})
		tom, uma, at := w.as("tom"), w.as("uma"), fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0])
		uma.do(w.onTask(ids[0], "presence"), url.Values{}, "Accept", "application/json").status(200).says(`"others":[]`)
		tom.do(w.onTask(ids[0], "presence"), url.Values{}, "Accept", "application/json").status(200).says("uma")
		tom.do(w.onTask(ids[0], "presence"), url.Values{"left": {"true"}}, "Accept", "application/json").status(200)
		uma.do(w.onTask(ids[0], "presence"), url.Values{}, "Accept", "application/json").status(200).says(`"others":[]`)
		tom.do(w.onTask(ids[0], "presence"), url.Values{}, "Accept", "application/json").status(200).says("uma")
		early, late := uma.do(at, nil).says("Also viewing: tom"), tom.do(at, nil).says("Also viewing: uma")
		uma.do(w.onTask(ids[0], "verdict"), early.marks("redo", "Begin anew.")).status(303)
		both := tom.do(w.onTask(ids[0], "verdict"), late.marks("complete", "Fine.")).status(409).says("Begin anew.").
			says("uma").says("Fine.").says("Save mine as well").says("Keep theirs")
		tom.sound(at, tom.do(w.onTask(ids[0], "verdict"), late.marks("complete", "Fine.")))
		if s := w.statusOf(ids[0]); s != "redo" {
			t.Error(s)
		}
		tom.do(w.onTask(ids[0], "verdict"), late.marks("complete", "Fine."), "Accept", "application/json").status(409).
			says(`"stands"`).says("Begin anew.")
		tom.do(w.onTask(ids[0], "verdict"), both.marks("complete", "Fine.")).status(303)
		if s := w.statusOf(ids[0]); s != "complete" {
			t.Error(s)
		}
	})
}

// What lies around the verdict is done in place: pins, more time, comments, reading,
// reusable comments.
func TestAroundTheVerdictOnTheDesk(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
			return err
		})
		tom, at := w.as("tom"), fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0])
		stay := func(action string, form url.Values) { tom.do(w.onTask(ids[0], action), form).leadsTo(at) }
		stay("pin", url.Values{"pinned": {"true"}})
		tom.do(at, nil).says("Unpin")
		stay("pin", url.Values{"pinned": {"false"}})
		task := regexp.MustCompile(`/projects/\d+/tasks/\d+`).FindString(tom.do(at, nil).Body.String())
		w.as("ann").do(task+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was <ill>."}}).status(303)
		w.as("ann").do(task+"/comments", url.Values{"comment": {"When?"}}).status(303)
		asked := tom.do(at, nil).says("I was &lt;ill&gt;.").says("Mark as read")
		id := regexp.MustCompile(`name="extension" value="(\d+)"`).FindStringSubmatch(asked.Body.String())[1]
		stay("extension", url.Values{"extension": {id}, "granted": {"true"}})
		tom.do(w.onTask(ids[0], "extension"), url.Values{"extension": {id}, "granted": {"false"}}).status(409).
			says(`<section class="desk-panel" id="desk-feedback" aria-label="Feedback">` + "\n" +
				`<p class="wrong desk-why" role="alert">This request is already decided: Extension granted to`)
		stay("comment", url.Values{"comment": {"A word."}})
		tom.do(w.onTask(ids[0], "comment"), url.Values{"comment": {" "}}).status(400)
		stay("read", url.Values{})
		if strings.Contains(tom.do(at, nil).says("A word.").says("Granted").Body.String(), "Mark as read") {
			t.Error("it is still new")
		}
		stay("snippets", url.Values{"text": {"Indent <this>."}, "shared": {"true"}})
		tom.do(w.onTask(ids[0], "snippets"), url.Values{"text": {" "}, "for_task": {"true"}}).status(400).
			says(`<div id="desk-keep" class="dialog">`).says(`name="for_task" type="checkbox" value="true" checked`).
			says(`/snippets"><p class="wrong desk-why" role="alert">`)
		offered := tom.do(at, nil).says(`data-snippet="Indent &lt;this&gt;."`)
		snippet := regexp.MustCompile(`<option value="(\d+)">Indent`).FindStringSubmatch(offered.Body.String())[1]
		form := offered.marks("fix_and_resubmit", "Please:")
		form.Set("snippet", snippet)
		tom.do(w.onTask(ids[0], "verdict"), form).status(303)
		tom.do(at, nil).says("Please:<br>Indent &lt;this&gt;.")
		tom.do(w.onTask(ids[0], "note"), url.Values{"text": {" "}, "flagged": {"true"}}).status(400).
			says(`<section class="desk-panel" id="desk-notes" aria-label`).
			says(`name="flagged" type="checkbox" value="true" checked`).
			says(`/note"><p class="wrong desk-why" role="alert">`)
		stay("note", url.Values{"text": {"Ask about <sources>."}, "flagged": {"true"}})
		tom.do(at, nil).says("Ask about &lt;sources&gt;.").says("Second look")
		stay("presence", url.Values{})
		seen := w.as("ann").do(task, nil).status(200).says("Indent &lt;this&gt;.").Body.String()
		for _, secret := range []string{"sources", "data-snippet", "Also viewing", "/desk"} {
			if strings.Contains(seen, secret) {
				t.Errorf("students see %s", secret)
			}
		}
	})
}

// Nobody marks the work of a group they are in: the desk says so in place of buttons.
func TestOwnWorkOnTheDesk(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.waiting()
	w.classes()
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT u.id, p.id, $1, $1 FROM units u, users p
				WHERE p.username = 'tom'`,
			`UPDATE task_definitions SET group_set_id = (SELECT max(id) FROM group_sets) WHERE CAST($1 AS TEXT) <> ''`,
			`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
				SELECT g.group_set_id, g.id, p.id FROM unit_groups g, projects p JOIN users u ON u.id = p.user_id
				WHERE g.name = '<b>Red</b>' AND u.username IN ('ann', 'tom') AND CAST($1 AS TEXT) <> ''`,
		} {
			if _, err := db.Exec(ctx, q, text, q.Now()); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
	at := fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0])
	own := w.as("tom").do(at, nil).status(200).says("You are a member of this group")
	if strings.Contains(own.Body.String(), `name="status"`) {
		t.Error("there are buttons")
	}
}

// The document is read as plain text, without script too, and one that has none says so.
func TestPlainTextOnTheDesk(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, task := w.as("ann"), w.path(aTask)
	key := keyField.FindStringSubmatch(ann.do(task, nil).status(200).Body.String())[1]
	ann.send(task+"/hand-in", key, "a.go", "package a\n").status(303)
	var b bytes.Buffer
	if _, err := documents.Render(t.Context(), documents.Document{Sections: []documents.Section{{Title: "One",
		Body: []documents.Block{documents.Para("Words <of> the student.")}}}}, &b, documents.Limits{}); err != nil {
		t.Fatal(err)
	}
	tom, at := w.as("tom"), w.path(aDesk)
	tom.do(at+"?view=text", nil).status(200).says("PDF is being prepared")
	for want, content := range map[string]string{"Words &lt;of&gt; the student.": b.String(),
		"This PDF has no readable text": "%PDF-1.7 broken"} {
		w.ready(content)
		tom.do(at+"?view=text", nil).status(200).says(want)
		tom.do(at, nil).says("<document-view").says("view=text")
		tom.do(w.path(onDesk)+"?view=text", nil).status(200).says(want)
	}
}

// ready gives all submissions a document.
func (w *world) ready(content string) {
	info, err := w.files.Put(w.Context(), strings.NewReader(content))
	if err != nil {
		w.Fatal(err)
	}
	w.tx(func(ctx context.Context, q db.Q) error {
		if _, err := db.Exec(ctx, q, `INSERT INTO blobs (hash, size, touched_at) VALUES ($1, $2, $3)`, info.Hash, info.Size,
			q.Now()); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `UPDATE submissions SET state = 'ready', document_hash = $1`, info.Hash)
		return err
	})
}

// However much was said of a work, the desk folds away the newest of it alone and leads to the rest.
func TestTheDeskFoldsLongConversations(t *testing.T) {
	each(t, func(w *world) {
		id := w.waiting()[2]
		at := fmt.Sprintf("%s?at=%d", w.path(aDesk), id)
		w.as("tom").do(at, nil).status(200).lacks("older comment")
		w.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
			SELECT t.id, t.unit_id, p.user_id, p.user_id, 'text', 'Said ' || k.n || '.', '2026-01-01T00:00:00.000000Z',
				'2026-01-01T00:00:00.000000Z'
			FROM tasks t JOIN projects p ON p.id = t.project_id,
				(WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 150) SELECT n FROM k) k
			WHERE t.id = ` + fmt.Sprint(id))
		page := w.as("tom").do(at, nil).status(200).says("Show 50 earlier comments")
		page.says("older comments on the task page").lacks("Said 1.").says("Said 150.")
	})
}
