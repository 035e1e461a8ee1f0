package site_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

func init() {
	pages["GET /projects/{id}/receipts"] = [4]int{303, 200, 200, 403}
	pages["GET "+aTask+"/history"] = [4]int{303, 200, 200, 403}
}

// What happened to a task stands on its page, newest first, and all of it on a page of
// its own, with every version.
func TestHistoryOnPages(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		ann.do(path+"?tab=history", nil).status(200).says("No activity yet.")
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `UPDATE units SET auto_apply_extension_before_deadline = FALSE,
				time_zone = 'Australia/Melbourne'`)
			return err
		})
		ann.do(path+"/extension", url.Values{"weeks": {"2"}, "reason": {"I was ill."}}).leadsTo(path + "#talk")
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		tom.do(path+"/status", url.Values{"status": {"fix_and_resubmit"}}).status(303)
		shown := ann.do(path+"?tab=history", nil).status(200).says("Submitted").says("Extension requested: 2 weeks").
			says("Fix and resubmit</span>").says("Australia/Melbourne")
		all := ann.do(path+"/history", nil).status(200).says("Submitted").says("1 file")
		for _, a := range []*answer{shown, all} {
			text := a.Body.String()[strings.LastIndex(a.Body.String(), `id="history"`):]
			if strings.Index(text, "Fix and resubmit") > strings.Index(text, ">Submitted<") {
				t.Error("the newest does not come first")
			}
		}
		receipt := regexp.MustCompile(path + `/versions/[^"/]+/receipt`).FindString(all.Body.String())
		ann.do(receipt, nil).status(200).says("Hash of the receipt").says("data-print").
			says("states that on").says(receipt + ".json")
		project := strings.Split(path, "/tasks")[0]
		ann.do(project+"/receipts", nil).status(200).says(receipt)
		for _, page := range []string{path, path + "?tab=history", path + "/history", receipt, project + "/receipts"} {
			ann.sound(page, ann.do(page, nil).status(200))
		}
		tom.do(path+"/history", nil).status(200).says(">Submitted<")
	})
}

// A second submission is told as a submission, and not as if somebody had changed the mark.
func TestASecondSubmissionInTheHistory(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		ann.send(path+"/hand-in", "l", "a.go", "package b\n").status(303)
		text := ann.do(path+"/history", nil).status(200).text()
		list := text[strings.LastIndex(text, `id="history"`):]
		if n := strings.Count(list, "Submitted"); n != 2 || strings.Contains(list, "changed") {
			t.Errorf("%d submissions in %s", n, list)
		}
		w.as("tom").do(path+"/status", url.Values{"status": {"complete"}}).status(303)
		ann.do(path+"/history", nil).status(200).says("Complete</span>")
	})
}

// A long history is read page by page.
func TestALongHistoryIsPaged(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path(aTask)
	ann.do(path+"/status", url.Values{"status": {"working_on_it"}}).status(303)
	w.tx(func(ctx context.Context, q db.Q) error {
		rows := make([][]any, 120)
		task, err := db.One[int64](ctx, q, `SELECT max(task_id) FROM task_history`)
		for i := range rows {
			rows[i] = []any{*task, q.Now(), 1, "redo", "discuss"}
		}
		if err != nil {
			return err
		}
		return db.Insert(ctx, q, `task_history (task_id, at, actor_id, from_status, to_status)`, "", rows)
	})
	first := ann.do(path+"/history", nil).status(200).says(`href="?page=2" rel="next"`)
	if strings.Contains(first.text(), `rel="prev"`) || strings.Count(first.text(), "<li>") != 50 {
		t.Error(first.text())
	}
	last := ann.do(path+"/history?page=3", nil).status(200).says(`href="?page=2" rel="prev"`).says("Working on it")
	if strings.Contains(last.text(), `rel="next"`) {
		t.Error("there is a page after the last")
	}
}
