package site_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
)

// dated sets when Ann's task is due and when its deadline is, in days from today.
func (w *world) dated(target, deadline int) {
	w.Helper()
	today := clock.Day(w.db.Now().Time)
	w.exec(`UPDATE task_definitions SET start_date = '2020-01-01', target_date = $1, due_date = $2`,
		today.AddDays(target), today.AddDays(deadline))
}

// The page of a task says in one banner what to do, from its status, its dates and the last words.
func TestATaskSaysWhatToDoNow(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom, path := w.as("ann"), w.as("tom"), w.path(aTask)
		w.dated(3, 20)
		ann.do(path, nil).status(200).says("Not started yet.").says(`<a class="btn primary lg" href="#submit">`).
			says("Late submissions until")
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		ann.do(path, nil).says("You are waiting for feedback.").lacks(`href="#submit"`)
		tom.do(path+"/comments", url.Values{"comment": {"The <bounds> are wrong."}}).status(303)
		tom.do(path+"/status", url.Values{"status": {"fix_and_resubmit"}}).status(303)
		fix := ann.do(path, nil).says("Your tutor found something to fix.").says(`href="#submit"`).says("Read feedback")
		banner := fix.text()[strings.Index(fix.text(), `id="task-now"`):]
		if banner = banner[:strings.Index(banner, `class="cols"`)]; !strings.Contains(banner, "The &lt;bounds&gt; are wrong.") {
			t.Errorf("the last words are missing in %s", banner)
		}
		if n := strings.Count(fix.text(), "Overdue"); n != 0 {
			t.Errorf("overdue is said %d times of what is due in three days", n)
		}
		w.dated(-3, 20)
		w.exec(`UPDATE tasks SET extensions = 0`)
		ann.do(path, nil).says("This task is overdue.").says(`<strong class="late">Overdue`)
		w.dated(-9, -3)
		ann.do(path, nil).says("The deadline has passed.").says("status Time exceeded")
		tom.do(path, nil).lacks(`id="task-now"`)
		w.exec(`UPDATE tasks SET status = 'complete'`)
		ann.do(path, nil).says("There is nothing left to do here.").lacks(`id="late-warning"`)
	})
}

// Whoever submits after the due date or the deadline is told before what becomes of it.
func TestLateWorkIsWarnedAboutFirst(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, path := w.as("ann"), w.path(aTask)
		w.dated(3, 20)
		ann.do(path, nil).status(200).lacks(`id="late-warning"`)
		for _, c := range []struct {
			target, deadline int
			says             string
		}{{-3, 20, "If you submit now, your work gets the status Time exceeded."}, {-9, -3, "your work is kept but gets the status Time exceeded"}} {
			w.dated(c.target, c.deadline)
			body := ann.do(path, nil).status(200).says(c.says).Body.String()
			if warned, form := strings.Index(body, `id="late-warning"`), strings.Index(body, `id="hand-in"`); warned < 0 ||
				form < warned {
				t.Errorf("the warning stands at %d, the form at %d", warned, form)
			}
		}
		ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
		ann.do(path, nil).says("You submitted after the due date.").says("Time exceeded")
	})
}

// No page offers or takes a request for time that ends in the past, or a second one while the
// first waits.
func TestNoPointlessRequestForTime(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.exec(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		ann, path := w.as("ann"), w.path(aTask)
		asks := func(weeks string) *answer {
			return ann.do(path+"/extension", url.Values{"weeks": {weeks}, "reason": {"I was ill."}})
		}
		w.dated(-23, -9) // a week would end two weeks ago
		ann.do(path, nil).status(200).lacks("tab=extend")
		ann.do(path+"?tab=extend", nil).status(200).lacks(`action="` + path + `/extension"`)
		asks("1").status(409).says("has passed")
		w.dated(-16, 20)
		ann.do(path+"?tab=extend", nil).status(200).says(`min="3" max="6" value="3"`)
		asks("2").status(409).says("at least 3 weeks").says(`min="3" max="6" value="2"`).says("I was ill.")
		if got := w.one(`SELECT count(*) FROM task_comments`); got != "0" {
			t.Errorf("%s requests were taken", got)
		}
		ann.do(path, nil).says("tab=extend")
		asks("3").status(303)
		ann.do(path, nil).says("Your extension request is waiting for a decision.").lacks("tab=extend")
		ann.do(path+"?tab=extend", nil).lacks(`action="` + path + `/extension"`)
		w.exec(`UPDATE task_comments SET extension_assessed_at = created_at, extension_granted = FALSE,
			extension_response = 'No'`)
		ann.do(path, nil).says("tab=extend")
	})
}

// Work that came late may still be brought back by weeks that end in the past: it is asked for
// its own moment.
func TestTimeForWorkThatCameLate(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	ann, path := w.as("ann"), w.path(aTask)
	w.dated(-16, 20)
	ann.send(path+"/hand-in", "k", "a.go", "package a\n").status(303)
	w.exec(`UPDATE tasks SET submission_date = $1`, clock.At(w.db.Now().AddDate(0, 0, -14)))
	ann.do(path+"?tab=extend", nil).says(`min="1" max="6"`)
	ann.do(path+"/extension", url.Values{"weeks": {"1"}, "reason": {"I was ill."}}).status(303)
	ann.do(path, nil).says("You are waiting for feedback.")
}

// Sheet, resources, tests and history are tabs that are links, the due date is told with its reason
// in words, and the tasks before and after are a press away.
func TestTheViewsOfATask(t *testing.T) {
	each(t, func(w *world) {
		path := w.term() + "/tasks/"
		ann := w.as("ann")
		ids := map[string]string{}
		for _, name := range []string{"T01", "T03", "T04", "T06"} {
			ids[name] = w.one(`SELECT id FROM task_definitions WHERE abbreviation = '` + name + `'`)
		}
		at := path + ids["T03"]
		w.exec(`UPDATE task_definitions SET description = 'Draw <a> shape.', sheet_hash = NULL`)
		work := ann.do(at, nil).status(200).says(`<a href="` + path + ids["T01"] + `" rel="prev">`).
			says(`<a class="push" href="` + path + ids["T04"] + `" rel="next">`). // T02 is beyond the target grade
			says("Target date:").says(`aria-current="page">Work and feedback</a>`).lacks("tab=tests").lacks("tab=resources")
		if raw := regexp.MustCompile(`\d{4}-\d\d-\d\dT`).FindString(shown(work)); raw != "" {
			t.Errorf("the page shows %s", raw)
		}
		ann.do(at+"?tab=sheet", nil).status(200).says("Draw &lt;a&gt; shape.").lacks(`id="say"`)
		ann.do(at+"?tab=history", nil).status(200).says("Full history").says(`aria-current="page">History</a>`)
		ann.do(at+"?tab=nonsense", nil).status(200).says(`id="say"`)
		last := w.one(`SELECT id FROM task_definitions WHERE target_grade <= 1 ORDER BY target_date DESC LIMIT 1`)
		ann.do(path+last, nil).status(200).says(`rel="prev"`).lacks(`rel="next"`)
		ann.do(path+ids["T06"], nil).status(200).says(`<a class="btn primary lg" href="` + path) // complete: on to the next
		ann.do(at, nil).says("<title>T03 Exercise 3 · ")
		ann.sound(at, work)
	})
}

// shown is what a page shows, without its tags.
func shown(a *answer) string { return regexp.MustCompile(`<[^>]*>`).ReplaceAllString(a.text(), " ") }
