package api

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/announce"
	"lectern/internal/usecase/privacy"
)

const (
	announceA   = "POST /api/units/{unitA}/announcements"
	recipientsA = "POST /api/units/{unitA}/announcements/recipients"
	ownCopies   = "/api/projects/{project:student}/announcements"
)

var _ = rights(
	rightRow{"GET " + announcementsPath, "/api/units/{unitA}/announcements", staffA, nil},
	rightRow{"POST " + announcementsPath, "/api/units/{unitA}/announcements", convenorsA,
		`{"title":"Hello","text":"All of you","audience":"all"}`},
	rightRow{"POST " + announcementsPath + "/recipients", "/api/units/{unitA}/announcements/recipients", convenorsA,
		`{"audience":"all"}`},
	rightRow{"GET " + announcementsPath + "/{id}", "/api/units/{unitA}/announcements/4711", staffA, nil},
	rightRow{"GET " + announcementsPath + "/{id}/recipients", "/api/units/{unitA}/announcements/4711/recipients", staffA,
		nil},
	rightRow{"GET " + copiesPath, ownCopies, readersA, nil},
	rightRow{"GET " + copiesPath + "/{announcement_id}", ownCopies + "/4711", readersA, nil},
)

func announcements(w *world, i int) row {
	return row{"unit_id": w.id["unitA"], "user_id": w.id["convenor"], "audience": "all", "title": numbered("Week ", i),
		"text": "Hello", "recipients": 4, "created_at": w.db.Now()}
}

var _ = lists(
	listRow{route: "GET " + announcementsPath, path: "/api/units/{unitA}/announcements", who: "tutor",
		most: usualAnnouncements, fill: fill("announcements", announcements)},
	listRow{route: "GET " + copiesPath, path: ownCopies, who: "student", most: usualAnnouncements,
		fill: fill("announcements", announcements)},
	listRow{route: "GET " + announcementsPath + "/{id}/recipients",
		path: "/api/units/{unitA}/announcements/{sent}/recipients", who: "convenor",
		fill: func(w *world, from, to int) {
			if from == 0 {
				w.add("sent", "announcements", announcements(w, 0))
			}
			w.enrolEach(from, to)
			w.set(`INSERT INTO announcement_recipients (announcement_id, project_id) SELECT CAST($1 AS BIGINT), id FROM projects
				WHERE unit_id = $2 ON CONFLICT DO NOTHING`, w.id["sent"], w.id["unitA"])
		}},
)

// secondTutorial moves the student other into a tutorial that nobody else is in, of the tutor both.
func (w *world) secondTutorial() {
	w.Helper()
	w.add("LA2", "tutorials", row{"unit_id": w.id["unitA"], "unit_role_id": w.roleOf("both"), "abbreviation": "LA2",
		"tutorial_stream_id": w.id["streamA"], "meeting_day": "Friday", "meeting_time": "9:00", "meeting_location": "B"})
	w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1 WHERE project_id = $2`, w.id["LA2"], w.id["project:other"])
}

// announced sends an announcement and remembers it by its title.
func (w *world) announced(title, audience string, of ...string) *answered {
	w.Helper()
	body := map[string]any{"title": title, "text": "About " + title, "audience": audience}
	switch audience {
	case "tutorial":
		body["tutorial_id"] = w.id[of[0]]
	case "selection":
		body["project_ids"] = w.projects(of...)
	}
	a := w.do("convenor", announceA, body).status(201)
	w.id[title] = int64(a.object()["id"].(float64))
	return a
}

func (w *world) projects(names ...string) []int64 {
	ids := make([]int64, len(names))
	for i, name := range names {
		ids[i] = w.id["project:"+name]
	}
	return ids
}

// titles lists the titles that somebody is shown at an address, the newest first.
func (w *world) titles(who, path string) string {
	w.Helper()
	var list []string
	for _, a := range w.do(who, "GET "+path, nil).status(200).list() {
		list = append(list, a["title"].(string))
	}
	return strings.Join(list, " ")
}

// newsOf lists the titles of the announcements that somebody is notified of.
func (w *world) newsOf(who string) string {
	w.Helper()
	w.relay()
	var list []string
	for _, n := range w.do(who, "GET /api/news", nil).status(200).list() {
		if n["kind"] == "announcement" {
			list = append(list, n["title"].(string))
		}
	}
	return strings.Join(list, " ")
}

// One message goes to each person, and to nobody else; the staff see what is theirs to see.
func TestAnnouncementsReachWhoTheyAreFor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondTutorial()
		if n := w.announced("Everyone", "all").object()["recipients"]; n != 4.0 {
			t.Errorf("sent to %v", n)
		}
		made := w.announced("Class", "tutorial", "LA2").object()
		has(t, "to a tutorial", made, map[string]any{"audience": "tutorial", "tutorial": "LA2", "recipients": 1.0,
			"author": "Convenor Person"})
		w.announced("Chosen", "selection", "student", "mate", "student", "withdrawn")
		for who, want := range map[string]string{"student": "Chosen Everyone", "mate": "Chosen Everyone",
			"other": "Class Everyone", "both": "Everyone", "withdrawn": "", "studentB": ""} {
			if got := w.titles(who, "/api/projects/{project:"+who+"}/announcements"); got != want {
				t.Errorf("%s has %q, want %q", who, got, want)
			}
			if got := w.newsOf(who); got != want {
				t.Errorf("%s is notified of %q, want %q", who, got, want)
			}
		}
		for who, want := range map[string]string{"convenor": "Chosen Class Everyone", "admin": "Chosen Class Everyone",
			"tutor": "Everyone", "both": "Class Everyone"} {
			if got := w.titles(who, "/api/units/{unitA}/announcements"); got != want {
				t.Errorf("%s of the staff sees %q, want %q", who, got, want)
			}
			if who == "convenor" || who == "admin" {
				continue
			}
			w.do(who, "GET /api/units/{unitA}/announcements/{Chosen}", nil).status(404)
			w.do(who, "GET /api/units/{unitA}/announcements/{Chosen}/recipients", nil).status(404)
			w.do(who, "GET /api/units/{unitA}/announcements/{Everyone}/recipients", nil).status(403)
			w.do(who, "GET "+ownCopies+"/{Chosen}", nil).status(404)
		}
		if got := w.titles("tutor", ownCopies); got != "Everyone" {
			t.Errorf("the tutor sees that the student has %q", got)
		}
		if got := w.titles("convenor", ownCopies); got != "Chosen Everyone" {
			t.Errorf("the convenor sees that the student has %q", got)
		}
		if got := len(w.do("convenor", "GET /api/units/{unitA}/announcements/{Chosen}/recipients", nil).status(200).
			list()); got != 2 {
			t.Errorf("%d got the one to a selection", got)
		}
		w.do("other", "GET /api/projects/{project:other}/announcements/{Chosen}", nil).status(404)
		w.do("student", "GET "+ownCopies+"/{Class}", nil).status(404)
		w.do("student", "GET "+ownCopies+"/{Chosen}", nil).status(200).has(`{"title":"Chosen","text":"About Chosen"}`)
	})
}

// Whoever comes later has what is to everybody and to the tutorial they are in; whoever left has what they were
// sent. A writer who runs the unit no more sees their own.
func TestAnnouncementsStandForWhoComesLater(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondTutorial()
		w.announced("Everyone", "all")
		w.announced("Class", "tutorial", "LA2")
		w.announced("Chosen", "selection", "other")
		has := func(who, want string) {
			t.Helper()
			if got := w.titles(who, "/api/projects/{project:"+who+"}/announcements"); got != want {
				t.Errorf("%s has %q, want %q", who, got, want)
			}
		}
		w.set(`UPDATE projects SET enrolled = (id <> $1)`, w.id["project:other"])
		has("withdrawn", "Everyone") // enrolled again
		has("other", "Chosen Class Everyone")
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1 WHERE project_id = $2`, w.id["LA2"], w.id["project:withdrawn"])
		has("withdrawn", "Class Everyone")
		if got := w.newsOf("withdrawn"); got != "" {
			t.Errorf("who came later is notified of %q", got)
		}
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1`, w.id["tutorialA"])
		w.set(`DELETE FROM tutorials WHERE id = $1`, w.id["LA2"])
		has("withdrawn", "Everyone")
		has("other", "Chosen Class Everyone")
		if a := w.do("convenor", "GET /api/units/{unitA}/announcements/{Class}", nil).status(200).
			object(); a["tutorial"] != "LA2" || a["tutorial_id"] != nil {
			t.Errorf("%v", a)
		}
		w.set(`UPDATE unit_roles SET role = 2, is_main = FALSE WHERE id = $1`, w.roleOf("convenor"))
		if got := w.titles("convenor", "/api/units/{unitA}/announcements"); got != "Chosen Class Everyone" {
			t.Errorf("its writer sees %q", got)
		}
		w.do("convenor", "GET /api/units/{unitA}/announcements/{Chosen}/recipients", nil).status(200)
		w.do("convenor", announceA, `{"title":"Hello","text":"All","audience":"all"}`).status(403)
	})
}

// Nobody is told of the others, or why they were chosen: not in what they read, nor in their events and their
// export; and other systems hear that there is one, and of nobody.
func TestNobodySeesWhoElseGotAnAnnouncement(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondTutorial()
		w.announced("Chosen", "selection", "student", "mate")
		w.announced("Class", "tutorial", "tutorialA")
		w.relay()
		read := w.do("student", "GET "+ownCopies, nil).status(200).Body.String() +
			w.do("student", "GET "+ownCopies+"/{Chosen}", nil).status(200).Body.String() +
			w.do("student", "GET "+ownCopies+"/{Class}", nil).status(200).Body.String() +
			w.do("student", "GET /api/news", nil).status(200).Body.String()
		for _, word := range []string{"audience", "selection", "tutorial", "LA1", "recipients", "Mate", "mate@"} {
			if strings.Contains(strings.ReplaceAll(read, `"tutorial_id"`, ""), word) {
				t.Errorf("the student reads %q in %s", word, read)
			}
		}
		files, _ := w.exported("student")
		for name, text := range files {
			if strings.Contains(text, "About Chosen") != (name == "announcements.json") {
				t.Errorf("%s has the text: %s", name, text)
			}
			if strings.HasPrefix(name, "announcement") && (strings.Contains(text, "selection") ||
				strings.Contains(text, "LA1") || strings.Contains(text, fmt.Sprintf(`"project_id": %d`, w.id["project:mate"]))) {
				t.Errorf("%s tells of others: %s", name, text)
			}
		}
		if n := strings.Count(files["announcement_recipients.json"], "announcement_id"); n != 2 {
			t.Errorf("%d copies in the export: %s", n, files["announcement_recipients.json"])
		}
		files, _ = w.exported("convenor")
		if !strings.Contains(files["announcements.json"], `"selection"`) {
			t.Errorf("the writer's export has %s", files["announcements.json"])
		}
		w.eventsTellNobody()
	})
}

// eventsTellNobody looks at the events of announcements: each is heard by the one who got it alone, and those
// for other systems name nobody.
func (w *world) eventsTellNobody() {
	w.Helper()
	all, err := events.Since(w.Context(), w.db.Pool(), events.Filter{All: true}, 0, 1000)
	if err != nil {
		w.Fatal(err)
	}
	theirs, others := 0, 0
	for i := range all {
		e := &all[i]
		switch {
		case e.Kind != events.Announcement:
		case e.OnlyTheirs():
			theirs++
			if (events.Filter{UserID: w.id["tutor"], UnitIDs: []int64{w.id["unitA"]}}).Matches(e) {
				w.Errorf("the staff hear %+v", e)
			}
		default:
			others++
			want := fmt.Sprintf(`{"announcement_id":%d,"unit_id":%d}`, w.id[[]string{"Chosen", "Class"}[others-1]], w.id["unitA"])
			if body := fmt.Sprintf("%s", e.Body); e.UserID != 0 || e.ProjectID != 0 || e.UnitID != 0 || body != want {
				w.Errorf("other systems hear %+v: %s", e, body)
			}
		}
	}
	if theirs != 2+3 || others != 2 {
		w.Errorf("%d events for people, %d for other systems", theirs, others)
	}
	if n := strings.Count(w.do("admin", "GET /api/admin/event_log", nil).status(200).Body.String(), `"announcement"`); n != 2 {
		w.Errorf("programs are told %d events of two announcements", n)
	}
	own, err := events.Since(w.Context(), w.db.Pool(), events.Filter{UserID: w.id["student"]}, 0, 1000)
	if err != nil || slices.ContainsFunc(own, func(e events.Event) bool { return e.UserID != w.id["student"] }) {
		w.Errorf("the student hears of %v, %v", own, err)
	}
}

// Who it would go to is told first, by names, and nothing is sent.
func TestRecipientsAreShownFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondTutorial()
		w.do("convenor", recipientsA, `{"audience":"all"}`).status(200).has(`{"total":4,"left_out":0}`)
		w.do("convenor", recipientsA, map[string]any{"audience": "selection",
			"project_ids": w.projects("withdrawn", "other", "mate", "mate")}).status(200).
			is(`{"total":2,"left_out":1,"recipients":[
				{"project_id":«project:mate»,"first_name":"Mate","last_name":"Person","username":"mate"},
				{"project_id":«project:other»,"first_name":"Other","last_name":"Person","username":"other"}]}`)
		part := w.do("convenor", recipientsA, `{"audience":"all","limit":1,"offset":3}`).status(200).object()
		if list := part["recipients"].([]any); len(list) != 1 || part["total"] != 4.0 {
			t.Errorf("%v", part)
		}
		if w.count("announcements") != 0 || w.count("events WHERE kind = 'announcement'") != 0 {
			t.Error("a plan was sent")
		}
		body := map[string]any{"title": "Hello", "text": "All", "audience": "all", "expected": 5}
		w.do("convenor", announceA, body).status(409).says("4 now")
		body["expected"] = 4
		w.do("convenor", announceA, body).status(201)
	})
}

func TestAnnouncementsKeepTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("empty", "tutorials", row{"unit_id": w.id["unitA"], "abbreviation": "LA9", "meeting_day": "Friday",
			"meeting_time": "9:00", "meeting_location": "B"})
		many := make([]int64, announce.MostSelection+1)
		for i := range many {
			many[i] = int64(i) + 1e6
		}
		for _, c := range []struct {
			about  string
			status int
			says   string
			change map[string]any
		}{{"no title", 400, "title", map[string]any{"title": " "}},
			{"a long title", 400, "title", map[string]any{"title": strings.Repeat("ä", announce.MostTitle+1)}},
			{"two lines", 400, "title", map[string]any{"title": "One\nBcc: two"}},
			{"a title that turns round", 400, "title", map[string]any{"title": "One\u202etwo"}},
			{"no text", 400, "text", map[string]any{"text": "\n"}},
			{"a long text", 400, "text", map[string]any{"text": strings.Repeat("ä", announce.MostText+1)}},
			{"no audience", 400, "audience", map[string]any{"audience": ""}},
			{"another audience", 400, "audience", map[string]any{"audience": "staff"}},
			{"no tutorial", 422, "tutorial_id", map[string]any{"audience": "tutorial"}},
			{"a strange tutorial", 422, "tutorial_id", map[string]any{"audience": "tutorial", "tutorial_id": w.id["tutorialB"]}},
			{"a tutorial of nobody", 422, "nobody would get it", map[string]any{"audience": "tutorial",
				"tutorial_id": w.id["empty"]}},
			{"nobody", 422, "project_ids", map[string]any{"audience": "selection"}},
			{"a stranger", 422, "project_ids", map[string]any{"audience": "selection",
				"project_ids": w.projects("student", "studentB")}},
			{"somebody who left", 422, "nobody would get it", map[string]any{"audience": "selection",
				"project_ids": w.projects("withdrawn")}},
			{"too many", 422, "2000", map[string]any{"audience": "selection", "project_ids": many}}} {
			body := map[string]any{"title": "Hello", "text": "All of you", "audience": "all"}
			for name, value := range c.change {
				body[name] = value
			}
			if a := w.do("convenor", announceA, body); a.Code != c.status || !strings.Contains(a.Body.String(), c.says) {
				t.Errorf("%s: %d %s", c.about, a.Code, a.Body)
			}
		}
		if w.count("announcements") != 0 || w.count("announcement_recipients") != 0 || w.count("events") != 0 {
			t.Error("something of what was refused is there")
		}
	})
}

// A form that is sent twice, or by an impatient client many times at once, is one announcement; and there are only
// so many in a unit within an hour.
func TestAnnouncementsAreSentOnceAndSeldom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := map[string]any{"title": "Hello", "text": "All of you", "audience": "all"}
		var all sync.WaitGroup
		ids := make([]any, 4)
		for i := range ids {
			all.Go(func() {
				ids[i] = w.do("convenor", announceA, body, "Idempotency-Key", "once").status(201).object()["id"]
			})
		}
		all.Wait()
		if w.count("announcements") != 1 || w.count("announcement_recipients") != 4 ||
			w.count("events WHERE kind = 'announcement'") != 5 || w.count("jobs WHERE kind = 'announcement_mails'") != 1 {
			t.Errorf("%v", ids)
		}
		body["text"] = "Others"
		w.do("convenor", announceA, body, "Idempotency-Key", "once").status(409).says("another announcement")
		for i := range announce.MostAnHour - 1 {
			w.later(time.Second)
			body["title"] = numbered("Hello ", i)
			w.do("convenor", announceA, body).status(201)
		}
		a := w.do("admin", announceA, body).status(429)
		a.says("10 announcements in this unit", "Wait one hour")
		if a.Header().Get("Retry-After") == "" {
			t.Error("it does not say how long to wait")
		}
		body["audience"], body["tutorial_id"] = "tutorial", w.id["tutorialB"]
		w.do("convenorB", "POST /api/units/{unitB}/announcements", body).status(201)
		delete(body, "tutorial_id")
		body["audience"] = "all"
		w.turnTo(w.now.Add(time.Hour), "convenor")
		w.do("convenor", announceA, body).status(201)
		if n := w.count(`audit_outbox WHERE entries LIKE '%"announcement"%'`); n != announce.MostAnHour+2 {
			t.Errorf("%d entries", n)
		}
	})
}

// Whoever is erased is no longer among those who got one; what they wrote stays without their name.
func TestAnnouncementsForgetPeople(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.announced("Chosen", "selection", "student", "mate")
		for _, who := range []string{"student", "convenor"} {
			if _, err := privacy.Erase(w.Context(), w.db, w.id[who], false); err != nil {
				t.Fatal(err)
			}
		}
		if n := w.count("announcement_recipients WHERE project_id = $1", w.id["project:student"]); n != 0 {
			t.Errorf("%d copies are left", n)
		}
		w.do("mate", "GET /api/projects/{project:mate}/announcements/{Chosen}", nil).status(200).
			has(`{"author":"Erased Person «convenor»","text":"About Chosen"}`)
		if n := w.count("users WHERE NOT receive_announcement_notifications"); n != 2 {
			t.Errorf("%d get no emails", n)
		}
	})
}

// Whether announcements come by email is each person's choice.
func TestAnnouncementsByEmailAreAChoice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "GET /api/preferences", nil).status(200).has(`{"receive_announcement_notifications":true}`)
		w.do("student", "PUT /api/preferences", `{"receive_announcement_notifications":false}`).status(200).
			has(`{"receive_announcement_notifications":false}`)
		w.do("student", "PUT /api/preferences", `{"shortcuts":true}`).status(200).
			has(`{"receive_announcement_notifications":false}`)
		if n := w.count("users WHERE NOT receive_announcement_notifications"); n != 1 {
			t.Errorf("%d chose none", n)
		}
		if n := w.count(`audit_outbox WHERE entries LIKE '%receive_announcement_notifications%'`); n != 1 {
			t.Errorf("%d entries", n)
		}
	})
}

// To send one to two thousand takes as many statements as to send it to two, and its emails wait for nobody.
func TestSendingCostsTheSameForMany(t *testing.T) {
	eachAlone(t, func(t *testing.T, w *world) {
		w.enrolEach(0, 2000)
		few := w.announcingCosts(announce.New{UnitID: w.id["unitA"], Audience: announce.Selection,
			ProjectIDs: w.projects("student", "mate")})
		many, err := db.All[int64](t.Context(), w.db.Pool(), `SELECT id FROM projects WHERE unit_id = $1 AND enrolled
			ORDER BY id LIMIT $2`, w.id["unitA"], announce.MostSelection)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got := w.announcingCosts(announce.New{UnitID: w.id["unitA"], Audience: announce.Selection,
			ProjectIDs: many}); got != few {
			t.Errorf("%d statements for %d students, %d for two", got, len(many), few)
		}
		t.Logf("%d students, %d statements, %v", len(many), few, time.Since(start))
	})
}

// announcingCosts sends an announcement and counts the statements that takes.
func (w *world) announcingCosts(n announce.New) int64 {
	w.Helper()
	n.Title, n.Text = "Hello", "All of you"
	ctx, counter := db.Counting(w.Context(), nil)
	if _, err := w.api.usecases.Announce(ctx, &access.Caller{ID: w.id["convenor"]}, n); err != nil {
		w.Fatal(err)
	}
	return counter.N()
}
