package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

const (
	studentSetup = "/units/{id}/settings/students"
	aSetUpOf     = "/units/{unit_id}/settings/students/{project_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{ // a tutor enrols nobody by pages
		"GET " + studentSetup:                         {303, 403, 403, 403},
		"GET " + studentSetup + "/new":                {303, 403, 403, 403},
		"POST " + studentSetup + "/new":               {401, 403, 403, 403},
		"POST " + studentSetup + "/move":              {401, 403, 403, 403},
		"GET " + aSetUpOf:                             {303, 403, 403, 403},
		"POST " + aSetUpOf:                            {401, 403, 403, 403},
		"POST " + aSetUpOf + "/enrolment":             {401, 403, 403, 403},
		"GET " + studentSetup + "/students.csv":       {303, 403, 200, 403}, // the staff export
		"GET " + studentSetup + "/import":             {303, 403, 403, 403},
		"GET " + studentSetup + "/import/example.csv": {303, 403, 403, 403},
		"POST " + studentSetup + "/import":            {401, 403, 403, 403},
		"POST " + studentSetup + "/import/plan":       {401, 403, 403, 403},
		"POST " + studentSetup + "/import/refused":    {401, 403, 403, 403},
	})
}

// enrolling gives Ann's unit a code, a campus, and two tutorials of a stream, the second with one place, and
// makes Tom its convenor.
func (w *world) enrolling() *reader {
	w.Helper()
	tom := w.convening()
	w.exec(`UPDATE units SET code = 'SIT1'`)
	w.exec(`INSERT INTO campuses (name, abbreviation, mode, active) VALUES ('North', 'N', 'manual', TRUE)`)
	w.exec(`INSERT INTO activity_types (name, abbreviation) VALUES ('Practical', 'prac')`)
	w.exec(`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
		SELECT u.id, 'Practicals', 'prac', a.id FROM units u, activity_types a`)
	for name, places := range map[string]int{"LA1": 9, "LA2": 1} {
		w.exec(`INSERT INTO tutorials (unit_id, tutorial_stream_id, abbreviation, meeting_day, meeting_time,
			meeting_location, capacity) SELECT s.unit_id, s.id, $1, 'Monday', '10:00', 'X', $2 FROM tutorial_streams s`,
			name, places)
	}
	return tom
}

// whereabouts tells who is in which tutorial, and who is withdrawn.
func (w *world) whereabouts() string {
	w.Helper()
	var out []string
	for _, name := range []string{"ann", "bea", "eve"} {
		out = append(out, name+":"+w.one(`SELECT coalesce((SELECT CASE WHEN p.enrolled THEN '' ELSE '-' END || coalesce(
			(SELECT t.abbreviation FROM tutorial_enrolments e JOIN tutorials t ON t.id = e.tutorial_id
				WHERE e.project_id = p.id), '') FROM projects p JOIN users u ON u.id = p.user_id
			WHERE u.username = '`+name+`'), 'none')`))
	}
	return strings.Join(out, " ")
}

// The list shows who has no tutorial, to which the checklist leads; somebody is enrolled by hand, with an account
// made where there is none; they are moved, withdrawn and enrolled again.
func TestStudentsAreEnrolledByHand(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.enrolling(), w.path(studentSetup)
		tom.open(w.path(anOverview)).follows("Students in tutorials").sees("2 enrolled").sees(`aria-current="true"`).sees("bea")
		tom.open(list).follows("Add student")
		tom.do(list+"/new", url.Values{"student": {"nobody@example.edu"}}).status(422).says("Nobody has the username").
			says(`value="nobody@example.edu"`).says("<details open>")
		w.exec(`UPDATE users SET email = 'eve@example.edu', email_key = 'eve@example.edu' WHERE username = 'eve'`)
		tom.open(list + "/new").does(act{form: "/new", press: "Enrol student", fill: map[string]string{
			"student": "eve@example.edu", "tutorials": w.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA2'`),
			"campus": w.one(`SELECT id FROM campuses`)}}).sees("Enrolled:").sees("LA2").sees("North")
		if got := w.whereabouts(); got != "ann: bea: eve:LA2" {
			t.Errorf("they are %s", got)
		}
		tom.does(act{form: "/enrolment", words: "Enrolled:"}).sees("Withdrawn:")
		if got := w.whereabouts(); got != "ann: bea: eve:-LA2" {
			t.Errorf("after Undo they are %s", got)
		}
		tom.does(act{form: "/enrolment", words: "Withdrawn:"}).sees("Enrolled again:").sees("3 enrolled")
		tom.open(list + "/new").does(act{form: "/new", press: "Enrol and add another", fill: map[string]string{
			"account[username]": "new1", "account[email]": "new1@example.edu", "account[first_name]": "New",
			"account[last_name]": "One"}}).sees("Enrolled:").sees("New One").sees("Add student")
		tom.do(list+"/new", url.Values{"account[username]": {"new2"}, "account[email]": {"x"},
			"account[first_name]": {"N"}, "account[last_name]": {"O"}}).status(422).says(`value="new2"`).
			says("email address such as")
		tom.do(list+"/new", url.Values{"account[username]": {"new3"}, "account[email]": {"new3@example.edu"},
			"account[first_name]": {"New"}, "account[last_name]": {"Three"}}).status(200).says("/password?token=")
		tom.do(list+"/new", url.Values{"student": {" "}}).status(422).says("Enter a username")
		tom.open(list + "?text=new1").sees("1–1 of 1").follows("New One").does(act{form: tom.at, fill: map[string]string{
			"tutorials": w.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA1'`)}}).sees("Saved:")
		tom.open(list + "?show=withdrawn").sees("No students match")
	})
}

// Two change a student at once: what one of them did not see is told with both values, the rest goes through.
func TestTwoChangeAStudentAtOnce(t *testing.T) {
	each(t, func(w *world) {
		tom := w.enrolling()
		at := w.path(aSetUpOf)
		one, two := w.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA1'`),
			w.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA2'`)
		join := `INSERT INTO tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)
			SELECT p.id, t.id, t.tutorial_stream_id FROM projects p JOIN users u ON u.id = p.user_id, tutorials t
			WHERE u.username = 'bea' AND t.abbreviation = 'LA2'`
		w.exec(join)
		campus := w.one(`SELECT id FROM campuses`)
		tom.do(at, url.Values{"campus": {campus}, "tutorials": {""}, "seen[campus]": {""}}).status(303)
		if got := w.whereabouts(); got != "ann: bea:LA2 eve:none" {
			t.Errorf("an untouched tutorial became %s", got)
		}
		tom.do(at, url.Values{"campus": {campus}, "tutorials": {one}, "seen[campus]": {campus}}).status(409).
			says("changed this to LA2").says(`<option value="` + one + `" selected>`).
			says(`name="seen[tutorials]" value="` + two + `"`)
		tom.do(at, url.Values{"campus": {campus}, "tutorials": {one}, "seen[campus]": {campus},
			"seen[tutorials]": {two}}).status(303)
		tom.do(at, url.Values{"campus": {""}, "tutorials": {one}, "seen[campus]": {"99"},
			"seen[tutorials]": {one}}).status(409).says("changed this to North")
	})
}

// Many move to a tutorial after a plan that says who cannot and why; to withdraw many asks for their number.
func TestManyStudentsMove(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.enrolling(), w.path(studentSetup)
		two := "tutorial-" + w.one(`SELECT id FROM tutorials WHERE abbreviation = 'LA2'`)
		tom.do(list+"/move", url.Values{"to": {two}}).status(422).says("Select at least one student")
		tom.open(list + "?chosen=all").does(act{form: "/move", fill: map[string]string{"to": two}}).
			sees("1 student cannot be changed").sees("is full").sees("Nothing is changed yet.")
		if got := w.whereabouts(); got != "ann: bea: eve:none" {
			t.Errorf("a plan moved them: %s", got)
		}
		tom.does(act{form: "/move", press: "exceed"}).sees("Change 2 students").does(act{form: "/move",
			press: "Change 2 students"}).sees("2 students changed.")
		if got := w.whereabouts(); got != "ann:LA2 bea:LA2 eve:none" {
			t.Errorf("they are %s", got)
		}
		tom.open(list).does(act{form: "/move", tick: []string{"Select ann", "Select bea"},
			fill: map[string]string{"to": "withdraw"}}).does(act{form: "/move", press: "Withdraw 2 students"}).
			sees("This withdraws 2 of 2 enrolled students (100 %).")
		for _, f := range tom.forms() {
			if strings.HasSuffix(f.action, "/move") {
				f.values.Set("confirmed", "1")
				tom.do(list+"/move", f.values).status(409).says("withdraw 2 of 2 students")
			}
		}
		if got := w.whereabouts(); got != "ann:LA2 bea:LA2 eve:none" {
			t.Errorf("they are withdrawn without the number: %s", got)
		}
		tom.does(act{form: "/move", press: "Withdraw 2 students", fill: map[string]string{"confirmed": "2"}}).
			sees("2 students changed.")
		if got := w.whereabouts(); got != "ann:-LA2 bea:-LA2 eve:none" {
			t.Errorf("they are %s", got)
		}
		tom.open(list + "?show=all&chosen=all").does(act{form: "/move", fill: map[string]string{"to": "enrol"}})
		w.exec(`UPDATE projects SET enrolled = TRUE`)
		for _, f := range tom.forms() {
			if strings.HasSuffix(f.action, "/move") {
				tom.do(list+"/move", f.values).status(409).says("nothing was done")
			}
		}
		tom.open(list + "?chosen=all").does(act{form: "/move", fill: map[string]string{"to": "campus-" +
			w.one(`SELECT id FROM campuses`)}}).does(act{form: "/move", press: "Change 2 students"}).sees("North")
	})
}

const studentHead = "unit_code,campus,username,student_id,first_name,last_name,email,prac\n"

// A sheet of students is looked at row by row; what is wrong in it says what to do, and goes out to be mended.
// It is applied only as it was shown, and to withdraw many asks for their number.
func TestStudentsByASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.enrolling(), w.path(studentSetup)
		sheet := studentHead + "SIT1,N,cleo,7,Cleo,C,cleo@example.edu,LA1\n" +
			"SIT1,,bea,,Bea,B,bea@example.edu,LA3\nSIT1,,dan,,Dan,D,dan@example,\nSIT1,,cleo,,Cleo,C,c2@example.edu,\n"
		upload := func(text, option string) *reader {
			a := act{form: "/plan", files: map[string]string{"file": text}, fill: map[string]string{"mail": ""}}
			if option != "" {
				a.tick = []string{option}
			}
			return tom.open(list + "/import").does(a)
		}
		for text, says := range map[string]string{
			strings.Replace(sheet, "username", "login", 1): "issing headings: username",
			"nonsense": "issing headings",
			studentHead + "SIT1,,zo\xeb,,Z,Z,z@e.edu,\n": "ine 2 is not UTF-8 text",
			"%PDF-1.7": "is not a sheet",
		} {
			status := 400
			if strings.HasPrefix(text, "%PDF") {
				status = 415
			}
			tom.parts(list+"/import/plan", "text/html", nil, file{field: "file", name: "s.csv", text: text}).status(status).
				says(says).says("Headings of the sheet")
		}
		upload(strings.ReplaceAll(sheet, ",", ";"), "").sees("3 lines cannot be imported.").sees("Did you mean LA1?").
			sees("There is no tutorial LA3.").sees("Remove one of the two rows.").sees("Correct it in the sheet.").
			sees("Enrol 1 student</button>").sees("1 account will be created.").sees("4 lines")
		if got := w.one(`SELECT count(*) FROM users WHERE username = 'cleo'`); got != "0" {
			t.Error("a plan made an account")
		}
		tom.does(act{form: "/plan", press: "new"}).sees("cleo").lacks("dan")
		tom.does(act{form: "/plan", press: "refused", fill: map[string]string{"text": "dan"}}).sees("dan").lacks("LA3")
		tom.does(act{form: "/plan", press: "Download these 3 lines"}).sees("mistake").sees("There is no tutorial LA3.").lacks("<html")
		mended := studentHead + "SIT1,N,cleo,7,Cleo,C,cleo@example.edu,LA1\nSIT1,,bea,,Bea,B,bea@example.edu,LA1\n"
		upload(mended, "Withdraw students").sees("1 account will be created.").sees("Enrol 1 student, change 1 and withdraw 1")
		for _, f := range tom.forms() {
			if strings.HasSuffix(f.action, "/plan") {
				w.exec(`UPDATE tutorials SET capacity = 1`)
				tom.do(list+"/import", f.values).status(200).says("Something changed since you reviewed")
				w.exec(`UPDATE tutorials SET capacity = 9`)
			}
		}
		upload(mended, "Withdraw students").does(act{form: "/plan", press: "Enrol 1 student, change 1"}).
			sees("This withdraws 1 of 2 enrolled students (50 %).")
		for _, f := range tom.forms() {
			if strings.HasSuffix(f.action, "/plan") {
				f.values.Set("confirmed", "7")
				tom.do(list+"/import", f.values).status(409).says("withdraw 1 of 2 students")
			}
		}
		if got := w.whereabouts(); got != "ann: bea: eve:none" {
			t.Errorf("without the number they are %s", got)
		}
		tom.does(act{form: "/plan", press: "Enrol 1 student, change 1", fill: map[string]string{"confirmed": "1"}}).
			sees("1 enrolled, 1 changed and 1 withdrawn.").sees("/password?token=")
		if got := w.whereabouts(); got != "ann:- bea:LA1 eve:none" {
			t.Errorf("they are %s", got)
		}
		out := tom.do(list+"/students.csv", nil).status(200).Body.String()
		if !strings.Contains(out, "cleo") || strings.Contains(out, ",ann,") {
			t.Errorf("the sheet that goes out is %s", out)
		}
		upload(out, "").sees("No rows match.").lacks("formaction=\"" + list + "/import\"")
		tom.do(list+"/import/example.csv", nil).status(200).says("jdoe")
		tom.do(list+"/import", url.Values{"sheet": {"x"}}).status(400).says("got lost")
	})
}

// A page of a long list has a hundred rows and leads to the others, and takes as many statements as one of a
// short list.
func TestALongListOfStudents(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	tom, list := w.enrolling(), w.path(studentSetup)
	statements := func() int64 {
		r := httptest.NewRequest(http.MethodGet, list, http.NoBody)
		r.AddCookie(&http.Cookie{Name: "lectern", Value: tom.cookie})
		r.Header.Set("Accept", "text/html")
		ctx, n := db.Counting(r.Context(), nil)
		w.site.HTTP.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		return n.N()
	}
	few := statements()
	w.manyStudents(250)
	if many := statements(); many != few || few > 14 {
		t.Errorf("%d statements for two students, %d for many", few, many)
	}
	if n := strings.Count(tom.open(list+"?sort=name").sees("1–100 of 252").text, `<tr id="student-`); n != 100 {
		t.Errorf("%d rows", n)
	}
	tom.follows("Next").sees("101–200 of 252").follows("Next").sees("201–252 of 252").follows("Previous")
	tom.open(list + "?page=3&chosen=all").sees(" checked").sees("Clear selection")
}

// A sheet of 5,000 rows shows its plan within two seconds; the page carries the sheet and a hundred rows.
func TestAPageOfALongSheet(t *testing.T) {
	dbtest.Load(t)
	each(t, func(w *world) {
		tom, at := w.enrolling(), w.path(studentSetup)+"/import/plan"
		var b strings.Builder
		b.WriteString(studentHead)
		for i := range 5000 {
			fmt.Fprintf(&b, "SIT1,N,s%d,%d,Zoë,Number %d,s%d@example.edu,LA1\n", i, i, i, i)
		}
		start := time.Now()
		a := tom.parts(at, "text/html", url.Values{"exceed": {"true"}}, file{field: "file", name: "s.csv", text: b.String()}).
			status(200).says("Enrol 5000 students").says("1–100 of 5000")
		took := time.Since(start)
		t.Logf("the page of 5,000 rows took %v and has %d bytes", took, a.Body.Len())
		if took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// manyStudents enrols so many in Ann's unit.
func (w *world) manyStudents(n int) {
	w.Helper()
	for i := range n {
		name := fmt.Sprintf("many%04d", i)
		w.exec(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, name_key, role,
			created_at, updated_at) VALUES ($1, $1, $2, $2, $1, 'Person', $1, 1, $3, $3)`, name, name+"@example.edu", w.db.Now())
	}
	w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT n.id, u.id, $1, $1 FROM units n, users u
		WHERE u.username LIKE 'many%'`, w.db.Now())
}

// lacks checks that the page does not hold a text.
func (r *reader) lacks(text string) *reader {
	r.Helper()
	if strings.Contains(r.text, text) {
		r.Errorf("%s holds %q", r.at, text)
	}
	return r
}
