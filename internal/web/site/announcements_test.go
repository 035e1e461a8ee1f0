package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"lectern/internal/people/policy"
	"lectern/internal/teaching/announce"
)

const (
	someAnnouncements = "/units/{id}/announcements"
	newAnnouncement   = someAnnouncements + "/new"
	oneAnnouncement   = someAnnouncements + "/"
	ownCopies         = "/projects/{id}/announcements"
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + someAnnouncements:                             {303, 403, 200, 403},
		"GET /units/{unit_id}/announcements/{announcement_id}": {303, 403, 404, 403}, // there is none
		"GET " + newAnnouncement:                               {303, 403, 403, 403}, // Tom is no convenor
		"POST " + newAnnouncement:                              {401, 403, 403, 403},
		"GET " + ownCopies:                                     {303, 200, 200, 403},
		"GET " + ownCopies + "/{announcement_id}":              {303, 404, 404, 403},
	})
}

// class puts Bea, but not Ann, into Tom's tutorial Red, and gives the unit its convenor Cora.
func (w *world) class() (cora *world) {
	w.Helper()
	w.waiting()
	w.exec(`INSERT INTO tutorials (unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location,
		capacity) SELECT unit_id, id, 'Red', 'Monday', '9:00', 'B2', -1 FROM unit_roles`)
	w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id) SELECT p.id, t.id FROM projects p, tutorials t,
		users u WHERE u.id = p.user_id AND u.username = 'bea'`)
	return w.convenor()
}

// projectOf is the project of a student.
func (w *world) projectOf(name string) string {
	w.Helper()
	return w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = '` + name + `'`)
}

var hiddenKey = regexp.MustCompile(`name="key" value="(\w+)"`)

// sends reviews an announcement and sends it, and gives the address of its page.
func (w *world) sends(form url.Values) string {
	w.Helper()
	path := w.path(newAnnouncement)
	form.Set("do", "review")
	key := hiddenKey.FindStringSubmatch(w.do(path, form).status(200).Body.String())
	if key == nil {
		w.Fatal("the review has no key")
	}
	form.Set("do", "send")
	form.Set("key", key[1])
	at := w.do(path, form).status(303).Header().Get("Location")
	return strings.TrimSuffix(at, "?sent=true")
}

// Cora writes to a tutorial and to a selection: who gets it is shown first, and each student finds their own on
// the page of their unit and at the bell, with no word of the others or why.
func TestAnnouncementsOnPages(t *testing.T) {
	each(t, func(w *world) {
		cora := w.class()
		ann, bea, tom := w.as("ann"), w.as("bea"), w.as("tom")
		list := w.path(someAnnouncements)
		cora.do(list, nil).status(200).says("0 announcements").says(list + "/new")
		tom.do(list, nil).status(200).says("No announcements yet.").lacks(list + "/new")
		class := url.Values{"title": {"Room & time"}, "text": {"First line\n<b>second</b> https://x.example"},
			"to": {"tutorial"}, "tutorial": {w.one(`SELECT max(id) FROM tutorials`)}, "do": {"review"}}
		cora.do(list+"/new", class).status(200).says("Send to 1 student?").says("Tutorial Red").says("<bdi>bea ").
			lacks("<bdi>ann ").says("Room &amp; time").says("&lt;b&gt;second&lt;/b&gt;").lacks(`href="https://x`)
		if w.one(`SELECT count(*) FROM announcements`) != "0" {
			t.Fatal("the review sent it")
		}
		first := cora.sends(class)
		second := cora.sends(url.Values{"title": {"Come and see me"}, "text": {"Soon."}, "to": {"selection"},
			"students": {w.projectOf("ann")}, "seen": {"1"}})
		cora.do(first+"?sent=true", nil).status(200).says("Sent to 1 student.").says("Tutorial Red").says("<bdi>bea ")
		cora.do(list, nil).status(200).says("2 announcements").says("Selected students").says("Tutorial Red")
		tom.do(list, nil).status(200).says("1 announcement<").says("Room &amp; time").lacks("Come and see me")
		tom.do(first, nil).status(200).says("First line").lacks("Recipients")
		tom.do(second, nil).status(404)
		w.relay()
		for _, c := range []struct {
			who            *world
			project        string
			has, not, copy string
		}{{ann, w.projectOf("ann"), "Come and see me", "Room &amp; time", second}, {bea, w.projectOf("bea"), "Room &amp; time",
			"Come and see me", first}} {
			own := "/projects/" + c.project + "/announcements"
			at := own + c.copy[strings.LastIndex(c.copy, "/"):]
			for _, page := range []string{"/projects/" + c.project, own, "/news", "/home"} {
				c.who.do(page, nil).status(200).says(c.has).lacks(c.not).says(`href="` + at + `"`)
			}
			for _, page := range []string{own, at} {
				c.who.do(page, nil).status(200).says(c.has).lacks("Red").lacks("elected").lacks("1 student").lacks("Tutorial ")
			}
			c.who.do(list, nil).status(403)
		}
		w.seesOwn(tom, cora, ann)
	})
}

// seesOwn looks at what Ann has as the staff may: Tom sees no copy to a selection, even when he looks as she does,
// and Cora does.
func (w *world) seesOwn(tom, cora, ann *world) {
	w.Helper()
	own := "/projects/" + w.projectOf("ann")
	for who, sees := range map[*world]bool{tom: false, cora: true} {
		view := who.do(w.path("/units/{id}/students/")+w.projectOf("ann")+"/view", url.Values{}).status(303).Header().
			Get("Location")
		for _, page := range []string{own, own + "/announcements", view, view + "/announcements"} {
			a := who.do(page, nil).status(200)
			if got := strings.Contains(a.Body.String(), "Come and see me"); got != sees {
				w.Errorf("at %s it is shown: %t", page, got)
			}
		}
	}
	ann.do(own, nil).status(200).says("Come and see me")
}

// What was typed stays when something is wrong with it, when students are looked for, and when the session has
// ended; who selects nobody is told so.
func TestAnAnnouncementIsNotLost(t *testing.T) {
	each(t, func(w *world) {
		cora := w.class()
		path := w.path(newAnnouncement)
		typed := func(change ...string) url.Values {
			f := url.Values{"title": {"My title"}, "text": {"My\ntext"}, "to": {"all"}, "do": {"review"}}
			for i := 0; i < len(change); i += 2 {
				f.Set(change[i], change[i+1])
			}
			return f
		}
		kept := func(a *answer) *answer { return a.says(`value="My title"`).says("My\ntext</textarea>") }
		kept(cora.do(path, typed("to", "tutorial")).status(422)).says("Choose a tutorial.").says("Nothing was sent.")
		kept(cora.do(path, typed("to", "selection")).status(422)).says("Select at least one student.")
		cora.do(path, typed("title", "")).status(400).says("May not be empty.").says("My\ntext</textarea>")
		cora.do(path, typed("title", "One\u202etwo")).status(400).says("Must be one line.")
		cora.do(path, typed("text", strings.Repeat("a", announce.MostText+1))).status(400).says("the limit is 20000").
			says(`value="My title"`)
		kept(cora.do(path, typed("to", "selection", "do", "find", "find", "be")).status(200)).says("<bdi>bea ").
			lacks("<bdi>ann ").lacks(" checked>\n  <span>\n    <label for=\"s")
		kept(cora.do(path, typed("to", "selection", "do", "find", "find", "nobody so")).status(200)).says("No enrolled student")
		bea := w.projectOf("bea")
		kept(cora.do(path, typed("tutorial", w.one(`SELECT max(id) FROM tutorials`))).status(422)).says("Say who gets it.")
		kept(cora.do(path, typed("students", bea)).status(422)).says("Say who gets it.")
		kept(cora.do(path, typed("do", "find", "find", "be")).status(200)).says(`value="selection" checked`)
		cora.do(path+"?students="+bea+","+w.projectOf("ann"), nil).status(200).says(`id="s` + bea + `"`).
			says(`value="selection" checked`)
		cora.do(path+"?students=x,,99999999999999999999,-3", nil).status(200)
		kept(cora.do(path, typed("do", "edit", "to", "selection", "students", bea)).status(200)).says(`id="s` + bea + `"`)
		w.exec(`UPDATE projects SET enrolled = FALSE`)
		kept(cora.do(path, typed()).status(422)).says("Nobody would get it")
		w.exec(`UPDATE projects SET enrolled = TRUE`)
		w.exec(`UPDATE sessions SET expires_at = $1`, w.db.Now())
		cora.do(path, typed("do", "send")).status(401).says("My title").says("My\ntext")
	})
}

// A form that is sent twice is one announcement; where the recipients are others than were shown, they are shown
// again; and there is a limit, told in words, that loses nothing.
func TestAnAnnouncementIsSentOnce(t *testing.T) {
	each(t, func(w *world) {
		cora := w.class()
		path := w.path(newAnnouncement)
		form := url.Values{"title": {"Hello"}, "text": {"All"}, "to": {"all"}, "seen": {"2"}, "do": {"send"}, "key": {"once"}}
		var all sync.WaitGroup
		to := make([]string, 3)
		for i := range to {
			all.Go(func() { to[i] = cora.do(path, form).status(303).Header().Get("Location") })
		}
		all.Wait()
		if w.one(`SELECT count(*) FROM announcements`) != "1" || to[0] != to[1] || to[1] != to[2] {
			t.Errorf("%v", to)
		}
		form.Set("key", "twice")
		w.exec(`UPDATE projects SET enrolled = FALSE WHERE id = ` + w.projectOf("bea"))
		cora.do(path, form).status(409).says("The recipients have changed").says("Send to 1 student?").says(`value="Hello"`)
		form.Set("seen", "1")
		for i := range announce.MostAnHour - 1 {
			form.Set("key", fmt.Sprint("more", i))
			cora.do(path, form).status(303)
		}
		form.Set("key", "last")
		cora.do(path, form).status(429).says("10 announcements in this unit").says(`value="Hello"`)
		if w.one(`SELECT count(*) FROM announcements`) != fmt.Sprint(announce.MostAnHour) {
			t.Error("the limit is not kept")
		}
	})
}

// Who may write to students selects them in the list of students; who may not has no boxes there.
func TestStudentsAreSelectedToBeWrittenTo(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	cora := w.class()
	students := w.path("/units/{id}/students")
	w.as("tom").do(students, nil).status(200).lacks(`name="students"`).lacks("announcements/new")
	cora.do(students, nil).status(200).says(`name="students"`).says(`action="` + w.path(newAnnouncement) + `"`)
	w.exec(`UPDATE units SET send_notifications = FALSE`)
	form := url.Values{"title": {"Hello"}, "text": {"All"}, "do": {"review"}}
	cora.do(w.path(newAnnouncement), form).status(200).says("Emails are turned off in the settings")
}

// A review of many shows a part of their names, a page at a time, and stays light.
func TestAReviewOfManyStaysLight(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	cora := w.class()
	for i := range 250 {
		w.person(fmt.Sprintf("s%03d", i), policy.Student)
	}
	w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT n.id, u.id, $1, $1 FROM units n, users u
		WHERE u.username LIKE 's0__' OR u.username LIKE 's1__' OR u.username LIKE 's2__'`, w.db.Now())
	form := url.Values{"title": {"Hello"}, "text": {"All"}, "to": {"all"}, "do": {"review"}}
	a := cora.do(w.path(newAnnouncement), form).status(200).says("Send to 252 students?").says("1–100 of 252")
	if n := a.Body.Len(); n > 60_000 {
		t.Errorf("%d bytes", n)
	}
	form.Set("names", "3")
	form.Del("do")
	cora.do(w.path(newAnnouncement), form).status(200).says("201–252 of 252").says("s249")
	ids := strings.Trim(w.one(`SELECT json_group_array(id) FROM projects`), "[]")
	cora.do(w.path(newAnnouncement)+"?students="+ids, nil).status(200).says("And 152 more students.")
}
