package site_test

import (
	"net/url"
	"strings"
	"testing"
)

// wait hands Ann's work in and gives how its row is chosen in the inbox.
func (w *world) wait() string {
	w.Helper()
	w.as("ann").do(w.path(aTask+"/status"), url.Values{"status": {"need_help"}}).status(303)
	page := w.as("tom").do(w.path("/units/{id}/inbox"), nil).status(200).text()
	_, rest, found := strings.Cut(page, `name="tasks" value="`)
	task, _, _ := strings.Cut(rest, `"`)
	if !found {
		w.Fatalf("no row can be chosen: %s", page)
	}
	return task
}

func TestTheInboxSaysWhyItIsEmpty(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		inbox := w.path("/units/{id}/inbox")
		tom := w.as("tom")
		w.wait()
		for query, want := range map[string]string{
			"": "1–1 of 1", "?who=mine": "Nothing is waiting in your tutorials.", "?status=complete": "match these filters",
			"?text=%25": "match these filters", "?text=ann": "1–1 of 1", "?from=50": "There is no such page.",
			"?sort=student&status=need_help": "1–1 of 1",
		} {
			if page := tom.do(inbox+query, nil).status(200).text(); !strings.Contains(page, want) {
				t.Errorf("%s does not say %q: %s", query, want, page)
			}
		}
		if page := tom.do(inbox+"?who=mine", nil).text(); !strings.Contains(page, "1 waiting in the whole unit") {
			t.Error("it does not say what waits elsewhere")
		}
		tom.do(inbox+"?task=4711", nil).status(404)
	})
}

// One verdict on many is planned, given and taken back by plain forms.
func TestABatchIsPlannedGivenAndTakenBack(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		inbox := w.path("/units/{id}/inbox")
		task := w.wait()
		status := func() string { return w.one(`SELECT max(status) FROM tasks`) }
		form := url.Values{"tasks": {task}, "verdict": {"redo"}, "comment": {"Again, please"}, "back": {inbox + "?who=mine"}}
		tom := w.as("tom")
		plan := tom.do(inbox+"/plan", form).status(200).text()
		if status() != "need_help" || !strings.Contains(plan, "1 submission will change") {
			t.Fatalf("the plan left it at %s and says %s", status(), plan)
		}
		_, rest, _ := strings.Cut(plan, `name="key" value="`)
		key, _, _ := strings.Cut(rest, `"`)
		form.Set("key", key)
		done := tom.do(inbox+"/verdicts", form).status(200).text()
		again := tom.do(inbox+"/verdicts", form).status(200).text()
		if status() != "redo" || !strings.Contains(done, "1 updated") || !strings.Contains(again, "1 updated") ||
			!strings.Contains(done, `href="`+inbox+`?who=mine"`) {
			t.Fatalf("it stands at %s, and the page says %s", status(), done)
		}
		_, rest, _ = strings.Cut(done, `name="batch" value="`)
		batch, _, _ := strings.Cut(rest, `"`)
		undone := tom.do(inbox+"/undo", url.Values{"batch": {batch}}).status(200).text()
		if status() != "need_help" || !strings.Contains(undone, "1 undone") {
			t.Fatalf("taken back, it stands at %s, and the page says %s", status(), undone)
		}
		form.Del("key")
		late := tom.do(inbox+"/plan", form).status(200).text()
		if !strings.Contains(late, "1 cannot be changed") || strings.Contains(late, "Apply to") {
			t.Errorf("a version that is past is planned: %s", late)
		}
		if !strings.Contains(late, "Look at it, and mark it on its own") || !strings.Contains(late, "Open in marking") {
			t.Errorf("it does not say what to do: %s", late)
		}
		form.Set("back", "https://evil.example/")
		tom.do(inbox+"/plan", form).status(200).lacks("evil.example/\">").says(`<a class="btn" href="/home">`)
	})
}

// What a batch is refused for is told above what was written, which stays: a row that is
// not there, no row, no verdict. Marks are asked for where a task needs them.
func TestARefusedBatchKeepsWhatWasWritten(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		inbox := w.path("/units/{id}/inbox")
		task := w.wait()
		tom := w.as("tom")
		const words = "<textarea id=\"batch-comment\" name=\"comment\" rows=\"3\" maxlength=\"4095\">Twice &lt;b&gt;</textarea>"
		for _, c := range []struct {
			tasks, verdict string
			status         int
			says           []string
		}{
			{"x", "redo", 400, []string{"must each be a task and its version", words, `value="redo" selected`}},
			{"", "redo", 422, []string{"No submission is selected.", "<bdi>Twice &lt;b&gt;</bdi>"}},
			{task, "", 422, []string{"No status is selected.", words, `name="tasks" value="` + task}},
			{task, "nonsense", 200, []string{"is not a task status", words}},
		} {
			form := url.Values{"tasks": {c.tasks}, "verdict": {c.verdict}, "comment": {"Twice <b>"}}
			if c.tasks == "" {
				form.Del("tasks")
			}
			for _, path := range []string{"/plan", "/verdicts"} {
				got := tom.do(inbox+path, form).status(c.status)
				for _, text := range c.says {
					if path == "/plan" || c.status != 200 {
						got.says(text)
					}
				}
			}
		}
		w.exec(`UPDATE task_definitions SET is_graded = TRUE, max_quality_pts = 5`)
		form := url.Values{"tasks": {task}, "verdict": {"complete"}, "comment": {"Twice <b>"}}
		tom.do(inbox+"/plan", form).status(200).says("1 cannot be changed").says("This task needs a grade").
			says(`<select id="batch-grade"`).says(`<input id="batch-quality"`).says(words)
		form.Set("grade", "2")
		form.Set("quality", "7")
		tom.do(inbox+"/plan", form).status(200).says("from 0 to 5").says(`value="2" selected`).
			says(`name="quality" type="number" min="0" max="1000" value="7"`)
		form.Set("quality", "4")
		tom.do(inbox+"/plan", form).status(200).says("1 submission will change").says("grade Distinction").says("quality 4").
			lacks("Not possible")
	})
}
