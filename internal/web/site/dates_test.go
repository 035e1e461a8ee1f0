package site_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// raw is a date or a time as machines write it.
var raw = regexp.MustCompile(`\d{4}-\d\d-\d\d|\d\dT\d\d:\d\d`)

// raw gives what people read of a page that has a date as machines write it.
func (a *answer) raw() (out []string) {
	a.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(a.Body.String()), html.ParseOptionEnableScripting(false))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode && !slices.Contains(silent, n.Parent.Data):
			if raw.MatchString(n.Data) {
				out = append(out, strings.TrimSpace(n.Data))
			}
		case n.Type == html.ElementNode:
			for _, at := range n.Attr {
				if slices.Contains(visible, at.Key) && raw.MatchString(at.Val) {
					out = append(out, at.Val)
				}
			}
			if n.Data == "time" && n.FirstChild == nil {
				out = append(out, "an empty time")
			}
		}
	}
	return out
}

// No page shows a date as machines write it, and every time on a page is filled in.
func TestNoPageShowsARawDate(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ids := w.hostileEverywhere()
	w.every(ids, []*world{w, w.as("ann"), w.as("tom")}, func(path string, a *answer) {
		for _, text := range a.raw() {
			t.Errorf("%s says %q", path, text)
		}
	})
}

// Without script, times follow the zone of the account, else that of the unit, and what is due names
// the clock of its unit where that shows another time.
func TestTimesFollowTheAccountWithoutScript(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.run(`UPDATE units SET time_zone = 'Australia/Melbourne'`)
		w.run(`UPDATE task_definitions SET target_date = '2030-06-14', due_date = '2030-06-21'`)
		task := w.path(aTask)
		ann, tom := w.as("ann"), w.as("tom")
		late := `Late submissions until `
		for _, page := range []string{task, "/home", w.path("/projects/{id}"), w.path("/projects/{id}/plan")} {
			a := ann.do(page, nil).status(200).says("Fri 14 Jun 2030, 23:59").says(late)
			if page != "/home" { // which is about no unit
				a.lacks("Melbourne time)").says("Times are in Melbourne time.")
			}
		}
		ann.do("/profile/preferences", url.Values{"theme": {"system"}, "time_zone": {"Asia/Kolkata"}}).status(303)
		ann.do("/profile", nil).status(200).says("<option selected>Asia/Kolkata</option>")
		for _, page := range []string{task, "/home", w.path("/projects/{id}"), w.path("/projects/{id}/plan")} {
			ann.do(page, nil).status(200).says("Fri 14 Jun 2030, 19:29 <small>(Fri 14 Jun 2030, 23:59 Melbourne time)").
				says("Fri 21 Jun 2030, 19:29").says("Times are in Kolkata time.")
		}
		for _, page := range []string{"/units/{id}/tasks", "/units/{id}/tasks/{task_definition_id}",
			"/units/{id}/students/{project_id}"} {
			tom.do(w.path(page), nil).status(200).says("Fri 14 Jun 2030, 23:59").says(late).says("Fri 21 Jun 2030, 23:59").
				lacks("Kolkata")
		}
		ann.do("/profile/preferences", url.Values{"theme": {"system"}, "time_zone": {"Mars/Base"}}).status(400)
		ann.do("/profile/preferences", url.Values{"theme": {"system"}, "time_zone": {""}}).status(303)
		ann.do(task, nil).says("Fri 14 Jun 2030, 23:59").lacks("Kolkata")
	})
}

// An extension moves what its student reads, not what others do; late work is taken until the
// deadline all the same.
func TestExtensionsMoveTheDueDateThatIsShown(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.run(`UPDATE units SET time_zone = 'UTC'`)
		w.run(`UPDATE task_definitions SET target_date = '2030-06-14', due_date = '2030-06-28'`)
		ann, tom := w.as("ann"), w.as("tom")
		ann.do(w.path(aTask+"/status"), url.Values{"status": {"need_help"}}).status(303)
		w.run(`UPDATE tasks SET extensions = 1`)
		pages := []string{aTask, "/projects/{id}", "/projects/{id}/plan"}
		for _, page := range pages {
			ann.do(w.path(page), nil).status(200).says("Fri 21 Jun 2030, 23:59").says("Fri 28 Jun 2030, 23:59").
				lacks("Fri 14 Jun 2030, 23:59")
		}
		for _, page := range []string{"/units/{id}/inbox", "/units/{id}/desk", "/units/{id}/tasks/{task_definition_id}",
			"/units/{id}/students/{project_id}"} {
			tom.do(w.path(page), nil).status(200).says("Fri 21 Jun 2030, 23:59").says("Fri 28 Jun 2030, 23:59")
		}
		ann.do("/calendar?month=2030-06", nil).status(200).says("Fri 28 Jun 2030, 23:59")
		w.run(`UPDATE tasks SET extensions = 2`) // up to the deadline
		for _, page := range pages {
			ann.do(w.path(page), nil).says("Fri 28 Jun 2030, 23:59").lacks("Late submissions until")
		}
	})
}
