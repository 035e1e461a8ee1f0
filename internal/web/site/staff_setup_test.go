package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

const (
	staffSetup   = "/units/{id}/settings/staff"
	aStaffRole   = "/units/{unit_id}/settings/staff/roles/{unit_role_id}"
	aSetTutorial = "/units/{unit_id}/settings/staff/tutorials/{tutorial_id}"
	aStream      = "/units/{unit_id}/settings/staff/streams/{stream_id}"
)

func init() {
	shut, kept := [4]int{303, 403, 403, 403}, [4]int{401, 403, 403, 403}
	none, gone := [4]int{303, 404, 404, 404}, [4]int{401, 404, 404, 404} // there is no such tutorial
	maps.Copy(pages, map[string][4]int{                                  // a tutor sets up nothing
		"GET " + staffSetup: shut, "GET " + staffSetup + "/find": shut, "POST " + staffSetup + "/add": kept,
		"POST " + aStaffRole: kept, "POST " + aStaffRole + "/main": kept,
		"GET " + aStaffRole + "/remove": shut, "POST " + aStaffRole + "/remove": kept,
		"GET " + staffSetup + "/tutorials/new": shut, "POST " + staffSetup + "/tutorials/new": kept,
		"GET " + aSetTutorial: none, "POST " + aSetTutorial: gone,
		"GET " + aSetTutorial + "/delete": none, "POST " + aSetTutorial + "/delete": gone,
		"GET " + staffSetup + "/streams/new": shut, "POST " + staffSetup + "/streams/new": kept,
		"GET " + aStream: shut, "POST " + aStream: kept,
		"GET " + aStream + "/delete": shut, "POST " + aStream + "/delete": kept,
		"GET " + staffSetup + "/tutorials.csv": {303, 403, 200, 403}, // the staff export
		"GET " + staffSetup + "/import":        shut,
		"POST " + staffSetup + "/import/plan":  kept, "POST " + staffSetup + "/import": kept,
	})
}

// staffing makes Tom the main convenor of a unit with a tutorial that a student is in, gives it an activity
// type, and lets two who may teach be found.
func (w *world) staffing() *reader {
	w.Helper()
	tom := w.convening()
	w.exec(`UPDATE unit_roles SET is_main = TRUE WHERE id = (SELECT min(id) FROM unit_roles)`)
	w.exec(`INSERT INTO activity_types (name, abbreviation) VALUES ('Seminar', 'sem')`)
	w.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
		SELECT id, 'LA1', 'Monday', '10:00', 'X1' FROM units`)
	w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id)
		SELECT min(p.id), min(t.id) FROM projects p, tutorials t WHERE p.enrolled`)
	w.person("umaril", policy.Tutor)
	w.person("umberto", policy.Convenor)
	if err := ident.FillWords(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
	return tom
}

// staffRoleOf is where the role of somebody is changed.
func (w *world) staffRoleOf(username string) string {
	w.Helper()
	return w.path(staffSetup) + "/roles/" + w.one(`SELECT r.id FROM unit_roles r JOIN users u ON u.id = r.user_id
		WHERE u.username = '`+username+`'`)
}

// A convenor finds those who may teach by three letters, adds them, changes their roles, hands the unit
// on and takes people off; what the unit cannot do without is refused in words.
func TestTheStaffOfAUnit(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.staffing(), w.path(staffSetup)
		find := func(text string) { tom.open(list).does(act{form: "/find", fill: map[string]string{"text": text}}) }
		find("um")
		tom.sees("Type at least three characters of a name.")
		find("nobodysuch")
		tom.sees("Nobody who may teach has a name like this.")
		find("ann")
		if strings.Contains(tom.text, "Add as tutor") {
			t.Error("a student is found")
		}
		find("uma")
		tom.does(act{form: "/add", press: "Tutor"}).sees("Added: umaril").sees(">umaril<")
		find("uma")
		tom.sees("On the staff")
		find("umb")
		tom.does(act{form: "/add", press: "Convenor"}).sees("Added: umberto")
		tom.do(w.staffRoleOf("umaril"), url.Values{"role": {"Convenor"}}).status(422).says("may not have this role")
		tom.open(list).does(act{form: w.staffRoleOf("umberto"), press: "Make tutor"}).sees("Role changed: umberto")
		tom.does(act{form: w.staffRoleOf("umberto"), press: "Make convenor"})
		tom.open(w.staffRoleOf("tom") + "/remove").sees("They lose access to this unit.")
		tom.do(w.staffRoleOf("tom")+"/remove", url.Values{}).status(409).says("This is the main convenor of the unit.")
		tom.open(list).does(act{form: w.staffRoleOf("umberto") + "/main"}).sees("New main convenor: umberto")
		w.exec(`UPDATE tutorials SET unit_role_id = (SELECT r.id FROM unit_roles r JOIN users u ON u.id = r.user_id
			WHERE u.username = 'umaril')`)
		tom.open(w.staffRoleOf("umaril") + "/remove").sees("without a tutor.").does(act{form: "/remove"}).
			sees("Removed from the staff: umaril").sees("No tutor")
		tom.do(w.staffRoleOf("tom"), url.Values{"role": {"Student"}}).status(422).says("Choose tutor or convenor.")
		tom.do(list+"/add", url.Values{"user": {"4711"}, "role": {"Tutor"}}).status(404)
	})
}

// the fields of the editor that somebody looks at.
func (r *reader) editing(field string) url.Values {
	r.Helper()
	for _, f := range r.forms() {
		if f.values.Has(field) {
			return f.values
		}
	}
	r.Fatalf("%s has no editor", r.at)
	return nil
}

// Streams and tutorials are added, changed and deleted; what goes with a stream is said first.
func TestStreamsAndTutorialsOfAUnit(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.staffing(), w.path(staffSetup)
		tom.open(w.path(anOverview))
		tom.open(list).follows("New stream").does(act{form: "/streams/new", fill: map[string]string{
			"stream[activity_type_abbr]": "sem"}}).sees("Saved.").sees(`value="Seminar 1"`)
		at, _, _ := strings.Cut(tom.at, "?")
		tom.does(act{form: at, press: "Save changes", fill: map[string]string{"stream[name]": "Talks",
			"stream[abbreviation]": "talks"}}).sees("Saved.").sees(`value="talks"`)
		tom.open(list + "/tutorials/new").does(act{form: "/new", press: "Add and start another",
			fill: map[string]string{"tutorial[abbreviation]": "T1", "tutorial[tutorial_stream_abbr]": "talks",
				"tutorial[meeting_time]": "9:30", "tutorial[meeting_location]": "Hall", "tutorial[capacity]": "12"}}).
			sees("Added: T1").sees(`value="9:30"`)
		sent := tom.editing("tutorial[abbreviation]")
		sent.Set("tutorial[abbreviation]", "T1")
		tom.do(list+"/tutorials/new", sent).status(409).says("Another tutorial of this unit has the abbreviation T1.")
		sent.Set("tutorial[capacity]", "some")
		tom.do(list+"/tutorials/new", sent).status(422).says("Must be a whole number.").says(`value="some"`)
		tom.does(act{form: "/new", press: "Add tutorial", fill: map[string]string{"tutorial[abbreviation]": "T2",
			"tutorial[capacity]": ""}}).sees("Added: T2").sees("0 of 12").sees("No tutor")
		tom.follows("T2")
		tom.does(act{form: tom.at, press: "Save changes", fill: map[string]string{
			"tutorial[tutor_id]": w.one(`SELECT id FROM users WHERE username = 'tom'`), "tutorial[meeting_day]": "Friday"}}).
			sees("Saved.").sees(`<option value="Friday" selected>`)
		if got := w.one(`SELECT meeting_day || capacity || CASE WHEN unit_role_id IS NULL THEN '' ELSE ' held' END
			FROM tutorials WHERE abbreviation = 'T2'`); got != "Friday-1 held" {
			t.Errorf("T2 is %s", got)
		}
		tom.open(list + "/tutorials/" + w.one(`SELECT id FROM tutorials WHERE abbreviation = 'T1'`) + "/delete").
			sees("No students are in this tutorial.").does(act{form: "/delete"}).sees("Deleted: T1")
		tom.open(at + "/delete").sees("1 tutorial is deleted with it.").does(act{form: "/delete"}).sees("Deleted: Talks")
		w.waitingIn(tom)
	})
}

// waitingIn sees that a tutorial with students is not deleted.
func (w *world) waitingIn(tom *reader) {
	w.Helper()
	at := w.path(staffSetup) + "/tutorials/" + w.one(`SELECT min(tutorial_id) FROM tutorial_enrolments`)
	tom.open(at + "/delete").sees("in this tutorial. It can be deleted once")
	tom.do(at+"/delete", url.Values{}).status(409).says("Move them first.")
	tom.do(at+"0711", nil).status(404)
	tom.do(w.path(staffSetup)+"/streams/4711", nil).status(404)
}

// Two change a tutorial or a stream at once: what one of them did not touch stays as the other left it,
// and a field that both changed is told with both values before anything is saved.
func TestTwoChangeATutorialAtOnce(t *testing.T) {
	each(t, func(w *world) {
		tom := w.staffing()
		w.exec(`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
			SELECT u.id, 'Talks', 'talks', a.id FROM units u, activity_types a WHERE a.abbreviation = 'sem'`)
		at := w.path(staffSetup) + "/tutorials/" + w.one(`SELECT min(id) FROM tutorials`)
		sent := tom.open(at).editing("tutorial[abbreviation]")
		w.exec(`UPDATE tutorials SET meeting_location = 'Theirs', meeting_day = 'Sunday', unit_role_id = NULL`)
		sent.Set("tutorial[meeting_time]", "7:00")
		tom.do(at, sent).status(303)
		sent = tom.open(at).editing("tutorial[abbreviation]")
		w.exec(`UPDATE tutorials SET meeting_location = 'Elsewhere', meeting_day = 'Saturday'`)
		sent.Set("tutorial[meeting_location]", "Mine")
		sent.Set("tutorial[tutor_id]", w.one(`SELECT id FROM users WHERE username = 'tom'`))
		tom.do(at, sent).status(409).says("It is now: Elsewhere.").says(`value="Mine"`).
			says(`<option value="Saturday" selected>`)
		if got := w.one(`SELECT min(meeting_location) FROM tutorials`); got != "Elsewhere" {
			t.Errorf("what a colleague wrote was overwritten by %s", got)
		}
		tom.do(at, url.Values{"seen": {"x"}}).status(400)
		stream := w.path(staffSetup) + "/streams/" + w.one(`SELECT max(id) FROM tutorial_streams`)
		sent = tom.open(stream).editing("stream[name]")
		w.exec(`UPDATE tutorial_streams SET name = 'Speeches' WHERE name = 'Talks'`)
		sent.Set("stream[name]", "Lectures")
		tom.do(stream, sent).status(409).says("It is now: Speeches.").says(`value="Lectures"`)
	})
}

// A sheet of tutorials is looked at row by row before it is imported: what is new, changed, unchanged and
// wrong. With a mistake in any row nothing is imported.
func TestTutorialsByASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.staffing(), w.path(staffSetup)
		out := tom.do(list+"/tutorials.csv", nil).status(200).Body.String()
		heads, _, _ := strings.Cut(out, "\n")
		sends := func(rows string) act {
			return act{form: "/plan", files: map[string]string{"file": heads + "\n" + rows}}
		}
		row := "N1,,,umaril,Monday,9:00,Hall,20,\n"
		tom.open(list).follows("Import tutorials").does(sends(row + "N2,,,nobody,Monday,9:00,Hall,20,\n")).
			sees("1 row has a mistake").sees("ask an administrator to add them")
		if strings.Contains(tom.text, "Import 1 tutorial") {
			t.Error("a sheet with a mistake can be imported")
		}
		tom.does(sends(row)).sees("1 row will be imported").sees(">New<").sees("umaril joins the staff")
		if got := w.one(`SELECT count(*) FROM tutorials WHERE abbreviation = 'N1'`); got != "0" {
			t.Error("a plan made a tutorial")
		}
		tom.does(act{form: "/import"}).sees("1 tutorial imported.").follows("Back to staff").sees(">umaril<").sees(">N1<")
		tom.open(list + "/import").does(sends(strings.Replace(row, "9:00", "10:00", 1))).sees(">Changed<").
			sees("10:00 instead of 9:00")
		w.exec(`UPDATE tutorials SET meeting_time = '11:00' WHERE abbreviation = 'N1'`)
		tom.does(act{form: "/import"}).sees("The unit changed since you reviewed the sheet")
		tom.parts(list+"/import/plan", "text/html", nil, file{field: "file", name: "a.csv", text: "a,b\n1,2\n"}).
			status(400).says("Missing headings")
		tom.parts(list+"/import/plan", "text/html", nil, file{field: "file", name: "a.csv",
			text: heads + "\nN3,,,umaril,Monday,9:00,Caf\xe9,,\n"}).status(400).says("not UTF-8 text")
	})
}

// The staff and tutorials of a unit take the same number of statements, however many they are.
func TestStaffAndTutorialsTakeFewStatements(t *testing.T) {
	each(t, func(w *world) {
		tom := w.staffing()
		statements := func() int64 {
			r := httptest.NewRequest(http.MethodGet, w.path(staffSetup), http.NoBody)
			r.AddCookie(&http.Cookie{Name: "lectern", Value: tom.cookie})
			r.Header.Set("Accept", "text/html")
			ctx, n := db.Counting(r.Context(), nil)
			a := httptest.NewRecorder()
			w.site.HTTP.ServeHTTP(a, r.WithContext(ctx))
			if a.Code != http.StatusOK {
				w.Fatalf("%d %s", a.Code, a.Body)
			}
			return n.N()
		}
		few := statements()
		for i := range 30 {
			name := fmt.Sprintf("more%02d", i)
			w.person(name, policy.Tutor)
			w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
				SELECT u.id, p.id, 2, $1, $1 FROM units u, users p WHERE p.username = '`+name+`'`, w.db.Now())
			w.exec(`INSERT INTO tutorials (unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location)
				SELECT unit_id, id, '` + name + `', 'Monday', '9:00', 'X' FROM unit_roles
				WHERE id = (SELECT max(id) FROM unit_roles)`)
		}
		if many := statements(); many != few {
			t.Errorf("%d statements with little, %d with much", few, many)
		}
	})
}
