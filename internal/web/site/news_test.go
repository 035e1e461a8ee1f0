package site_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/events"
)

var _ = morePages(map[string][4]int{
	"GET /news":                 {303, 200, 200, 200},
	"GET /news/bell":            {303, 200, 200, 200},
	"POST /news/read":           {401, 303, 303, 303},
	"POST /profile/preferences": {401, 303, 303, 303},
})

// morePages adds rows to the table of pages; a test file may have its own.
func morePages(rows map[string][4]int) bool {
	maps.Copy(pages, rows)
	return true
}

func (w *world) relay() {
	w.Helper()
	if err := events.Relay(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
}

func TestNewsOnPages(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		ann.do("/news", nil).status(200).says("No notifications yet.")
		tom.do(w.path(aTask+"/comments"), url.Values{"comment": {"Hello"}}).status(303)
		w.relay()
		bell := ann.do("/news/bell", nil).status(200).says(`id="bell"`).says(`1<span class="unseen"> unread`)
		if strings.Contains(bell.Body.String(), "<html") {
			t.Error("the bell comes with a page around it")
		}
		ann.do("/home", nil).says(`1<span class="unseen"> unread`)
		page := ann.do("/news", nil).status(200).says("New comment").says("Hello").says("Today").
			says(w.path(aTask) + "#comment-" + w.one(`SELECT max(id) FROM task_comments`)).
			says("&lt;b&gt;Person&lt;/b&gt;").Body.String()
		seq := regexp.MustCompile(`name="up_to" value="(\d+)"`).FindStringSubmatch(page)
		if seq == nil {
			t.Fatal("the newest is not named")
		}
		// What comes while the page is read stays new.
		tom.do(w.path(aTask+"/comments"), url.Values{"comment": {"One more"}}).status(303)
		w.relay()
		if page = ann.do("/news", nil).says("One more").Body.String(); strings.Count(page, `class="said cut"`) != 1 {
			t.Error("what was said on a task today is not one row")
		}
		ann.do("/news/read", url.Values{"up_to": {seq[1]}}).leadsTo("/news")
		ann.do("/news/bell", nil).says(`1<span class="unseen"> unread`)
		ann.do("/news/read", url.Values{}).leadsTo("/news")
		if strings.Contains(ann.do("/news", nil).Body.String(), "unread") {
			t.Error("there is news after all was read")
		}
		tom.do("/news", nil).says("No notifications yet.") // his own words are no news to him
		ann.do(w.path(aTask+"/comments"), url.Values{"comment": {"Thanks"}}).status(303)
		w.relay()
		tom.do("/news", nil).says("commented")
		w.as("eve").do("/news", nil).says("No notifications yet.")
	})
}

func TestPreferencesOnPages(t *testing.T) {
	each(t, func(w *world) {
		ann := w.as("ann")
		ann.do("/home", nil).says(`<html lang="en" data-theme="system">`)
		ann.do("/profile/preferences", url.Values{"theme": {"dark"}}).leadsTo("/profile/appearance")
		ann.do("/help", nil).says(`<html lang="en" data-theme="dark" data-shortcuts="off">`)
		ann.do("/nowhere", nil).status(404).says(`data-theme="dark"`).says("Sign out")
		ann.do("/profile/preferences", url.Values{"theme": {"pink"}}).status(400)
		w.do("/help", nil).says(`<html lang="en">`)
		ann.do("/profile/letters", url.Values{"feedback": {"true"}}).leadsTo("/profile/email#letters")
		page := ann.do("/profile/appearance", nil).Body.String() + ann.do("/profile/email", nil).Body.String()
		for _, want := range []string{`id="theme-dark" name="theme" type="radio" value="dark" checked`,
			`name="feedback" type="checkbox" value="true" checked`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s is missing", want)
			}
		}
		if strings.Contains(page, `name="tasks" type="checkbox" value="true" checked`) {
			t.Error("emails on tasks still come")
		}
	})
}
