package site_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/links"
	"lectern/internal/people/policy"
)

// marked gives what people write hostile texts that can be told apart.
func (w *world) marked() {
	w.Helper()
	for table, set := range map[string]string{"snippets": "text = $1", "staff_notes": "text = $1",
		"announcements":     "title = $1, text = $1",
		"deletions":         "name = $1",
		"task_similarities": "reason = $1, flagged = TRUE, decision = 'asked', decided_at = created_at",
		"submission_files":  "name = $1", "task_comments": "comment = $1", "users": "last_name = $1",
		"task_definitions": "name = $1", "tutorials": "abbreviation = $1 || CAST(id AS TEXT)",
		"unit_groups": "name = $1 || CAST(id AS TEXT)"} {
		w.exec(fmt.Sprintf(`UPDATE %s SET %s`, table, set), hostile+table)
	}
}

// reads tells whether a text stands on a page as it was written, in words or in a value
// that a script reads.
func (a *answer) reads(text string) bool {
	a.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(a.Body.String()), html.ParseOptionEnableScripting(false))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, text) ||
			slices.ContainsFunc(n.Attr, func(at html.Attribute) bool { return strings.Contains(at.Val, text) }) {
			return true
		}
	}
	return false
}

// held fails where a page misses a hostile text, or takes one for markup.
func (w *world) held(path string, a *answer, tables ...string) {
	w.Helper()
	for _, table := range tables {
		if !a.reads(hostile + table) {
			w.Errorf("%s shows no hostile text of %s", path, table)
		}
	}
	if text := a.Body.String(); strings.Contains(text, "<script>alert") || strings.Contains(text, `" onload=`) {
		w.Errorf("%s takes a text for markup", path)
	}
	if a.page() {
		w.sound(path, a)
	}
}

// Everything hostile that people write stands on each page of the staff as it was
// written, and as nothing else.
func TestHostileTextsForTheStaff(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostileEverywhere()
	w.asks("More time, please.")
	w.person("uma", policy.Tutor)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT u.id, p.id, 2, $1, $1 FROM units u, users p WHERE p.username = 'uma'`, w.db.Now())
	tom, uma := w.as("tom"), w.as("uma")
	desk := w.path(onDesk)
	uma.do(desk+"/presence", url.Values{}).status(303)
	tom.do(desk+"/snippets", url.Values{"text": {"Mine"}}).status(303)
	w.exec(`UPDATE unit_roles SET role = 3 WHERE user_id = (SELECT id FROM users WHERE username = 'tom')`)
	w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
	w.marked()
	onTheDesk := []string{"users", "tutorials", "task_definitions", "task_comments", "snippets", "staff_notes",
		"submission_files"}
	for path, tables := range map[string][]string{
		"/units/{id}/inbox":     {"users", "tutorials", "task_definitions"},
		aDesk:                   onTheDesk,
		onDesk:                  onTheDesk,
		"/units/{id}/tasks":     {"task_definitions"},
		aUnitTask:               {"users", "tutorials", "task_definitions"},
		"/units/{id}/students":  {"users", "tutorials"},
		aStudent:                {"users", "tutorials", "task_definitions", "staff_notes", "unit_groups"},
		notesOn:                 {"users", "task_definitions", "staff_notes"},
		unitSnippets:            {"task_definitions", "snippets"},
		someExtensions:          {"users", "tutorials", "task_definitions", "task_comments"},
		thePromise:              {"task_definitions"},
		taskSetup:               {"task_definitions"},
		staffSetup:              {"users", "tutorials"},
		aSetUp:                  {"task_definitions"},
		studentSetup:            {"users", "tutorials"},
		aSetUpOf:                {"users", "tutorials"},
		groupSetup:              {"users", "tutorials", "unit_groups"},
		outcomeSetup:            {"task_definitions"},
		links.DeletedWork:       {"deletions", "users"},
		offlineMarking:          nil,
		someAnnouncements:       {"announcements", "users"},
		unitGrades:              {"users"},
		oneGrade:                {"users"},
		unitGrades + "/publish": {"users"},
		links.Retirement:        nil,
		oneAnnouncement + w.one(`SELECT max(id) FROM announcements`): {"announcements", "users"},
		newAnnouncement: {"tutorials"}, links.UnitSimilarity: {"users", "task_similarities"},
		theInsight: {"users", "tutorials", "task_definitions"}, theInsight + "?by=tutorial": {"users", "tutorials"},
		atRiskHere: {"users", "tutorials"}, theInsight + "/progress": {"tutorials"},
		rowsHere: {"users", "tutorials", "task_definitions"},
		links.DeletedWork + "?at=" + w.one(`SELECT max(id) FROM deletions`):    {"deletions", "users"},
		newAnnouncement + "?students=" + w.one(`SELECT max(id) FROM projects`): {"users", "tutorials"},
	} {
		tom.held(path, tom.do(w.path(path), nil).status(200), tables...)
	}
	w.hostilePlans(tom)
	w.hostileVerdicts(tom, uma)
	tom.held(thePromise, tom.do(w.path(thePromise), nil).status(200), "users", "task_definitions")
}

// hostilePlans looks at the pages that answer a form.
func (w *world) hostilePlans(tom *world) {
	w.Helper()
	r := tom.reader("tom")
	answered := func(name string, tables ...string) {
		r.Helper()
		r.held(name, r.last, tables...)
	}
	r.open(w.path("/units/{id}/inbox")).does(act{form: "/inbox/plan", tick: []string{hostile},
		fill: map[string]string{"verdict": "redo", "comment": hostile + "said"}})
	answered("the plan of a batch", "users", "said")
	r.open(w.path(someExtensions)).does(act{form: "/plan", tick: []string{hostile}, press: "Decline"})
	answered("the plan of extensions", "users")
	sheet := "username,name,tutorial,task,status,new grade,new quality,new comment\r\n" + `"` +
		strings.ReplaceAll(hostile, `"`, `""`) + `nobody",x,y,z,fix,,,` + "\r\n"
	r.open(w.path(offlineMarking)).does(act{form: "/plan", files: map[string]string{"file": sheet}})
	answered("the plan of a sheet", "nobody")
	r.open(w.path(newAnnouncement)).does(act{form: "/new", press: "Review recipients",
		fill: map[string]string{"title": hostile[:0] + "<script>alert(1)</script>", "text": hostile + "said"}})
	answered("the review of an announcement", "users", "said")
}

// hostileVerdicts lets two tutors mark the same work: both verdicts are shown, to people
// and to scripts.
func (w *world) hostileVerdicts(tom, uma *world) {
	w.Helper()
	at := w.path(aDesk + "?at={task_id}")
	early, late := uma.do(at, nil), tom.do(at, nil)
	verdict := w.path(onDesk) + "/verdict"
	uma.do(verdict, early.marks("redo", hostile+"theirs")).status(303)
	mine := late.marks("complete", hostile+"mine")
	tom.held("two verdicts", tom.do(verdict, mine).status(409), "theirs", "mine", "users")
	var both struct {
		Stands struct {
			Comment  string `json:"comment"`
			LastName string `json:"last_name"`
		} `json:"stands"`
	}
	script := tom.do(verdict, mine, "Accept", "application/json").status(409)
	if err := json.Unmarshal(script.Body.Bytes(), &both); err != nil || both.Stands.Comment != hostile+"theirs" ||
		both.Stands.LastName != hostile+"users" {
		w.Errorf("a script is told %+v (%v)", both, err)
	}
	if kind := script.Header().Get("Content-Type"); !strings.HasPrefix(kind, "application/json") ||
		script.Header().Get("X-Content-Type-Options") != "nosniff" || strings.Contains(script.Body.String(), "<") {
		w.Errorf("%s %v %s", kind, script.Header(), script.Body)
	}
	given := tom.do(verdict, tom.do(at, nil).marks("complete", hostile+"mine")).status(303).Header().Get("Location")
	tom.held("after a verdict", tom.do(given, nil).status(200), "users")
	uma.do(w.path(onDesk)+"/presence", url.Values{}, "Accept", "application/json").status(200) // a slow machine forgot her
	others := tom.do(w.path(onDesk)+"/presence", url.Values{}, "Accept", "application/json").status(200)
	var looking struct {
		Others []struct{ Name string }
	}
	if err := json.Unmarshal(others.Body.Bytes(), &looking); err != nil || len(looking.Others) != 1 ||
		!strings.Contains(looking.Others[0].Name, hostile+"users") || strings.Contains(others.Body.String(), "<") {
		w.Errorf("a script is told who looks: %s (%v)", others.Body, err)
	}
}

// No form is taken from a page of another site, whoever is signed in and whatever the
// form would do.
func TestEveryFormOfAnotherSiteIsRefused(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	people := []*world{w, w.as("ann"), w.as("tom")}
	before := w.tables()
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodPost {
			continue
		}
		for _, who := range people {
			for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
				for _, accept := range []string{"text/html", "application/json"} {
					a := who.do(w.path(i.Path), url.Values{"text": {"x"}}, append(from, "Accept", accept)...)
					if a.Code != http.StatusForbidden || !strings.Contains(a.Body.String(), "another site") {
						t.Errorf("POST %s %v: %d %s", i.Path, from, a.Code, a.Body)
					}
				}
			}
		}
	}
	for table, now := range w.tables() {
		if now != before[table] {
			t.Errorf("%s changed", table)
		}
	}
}
