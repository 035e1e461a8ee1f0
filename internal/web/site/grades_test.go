package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	unitGrades = "/units/{id}/grades"
	oneGrade   = "/units/{unit_id}/grades/{project_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{ // a tutor gives grades and publishes none
		"GET " + unitGrades:                    {303, 403, 200, 403},
		"POST " + unitGrades:                   {401, 403, 422, 403},
		"POST " + unitGrades + "/page":         {401, 403, 200, 403},
		"POST " + unitGrades + "/plan":         {401, 403, 303, 403},
		"GET " + unitGrades + "/import":        {303, 403, 200, 403},
		"GET " + unitGrades + "/grades.csv":    {303, 403, 200, 403},
		"GET " + unitGrades + "/publish":       {303, 403, 200, 403},
		"POST " + unitGrades + "/publish":      {401, 403, 403, 403},
		"POST " + unitGrades + "/publish/undo": {401, 403, 403, 403},
		"GET " + oneGrade:                      {303, 403, 200, 403},
		"POST " + oneGrade:                     {401, 403, 303, 403},
	})
}

// grading makes Tom the convenor of a unit with some students, and signs him in.
func (w *world) grading(students int) (*reader, string) {
	w.Helper()
	tom := w.convening()
	for i := range students {
		name := fmt.Sprintf("s%03d", i)
		w.exec(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, name_key, student_id,
			role, created_at, updated_at) VALUES ($1, $1, $2, $2, 'Zed', $1, $3, $4, 1, $5, $5)`, name, name+"@example.edu",
			fmt.Sprintf("7a%03d", i), fmt.Sprintf("20001%04d", i), w.db.Now())
		w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
			SELECT (SELECT max(id) FROM units), id, $2, $2 FROM users WHERE username = $1`, name, w.db.Now())
	}
	return tom, w.path(unitGrades)
}

// gradeNow is the final grade of a student with its rationale.
func (w *world) gradeNow(name string) string {
	w.Helper()
	return w.one(`SELECT CAST(p.grade AS TEXT) || ' ' || coalesce(p.grade_rationale, '-') FROM projects p
		JOIN users u ON u.id = p.user_id WHERE u.username = '` + name + `'`)
}

// Grades are typed into a grid whose pages keep what was typed on others; a plan says what becomes of them before
// anything is saved, and what a colleague changed meanwhile is not overwritten.
func TestGradesAreTypedIntoAGrid(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.grading(60)
		tom.open(list).sees("Draft, students cannot see them").sees("20001").sees("1–50 of 6")
		sent := tom.filledIn("rows[0][grade]")
		last := len(sent["rows[49][grade]"])
		if last != 1 {
			t.Fatalf("the page has no fiftieth row: %v", sent)
		}
		name := w.one(`SELECT username FROM projects p JOIN users u ON u.id = p.user_id WHERE p.id = ` +
			sent.Get("rows[49][id]"))
		sent.Set("rows[49][grade]", "71")
		sent.Set("rows[49][why]", "Good\r\nwork")
		sent.Set("page", "2")
		second := tom.looks(list+"/page", tom.do(list+"/page", sent).status(200)).sees("51–").sees("1 grade will change")
		narrow := second.filledIn("rows[0][grade]") // a part keeps it, too
		narrow.Set("narrow", "without")
		narrow.Set("page", "2")
		part := tom.looks(list+"/page", tom.do(list+"/page", narrow).status(200)).sees("1–50 of 6").
			sees("1 grade will change").sees(`value="71"`)
		narrow = part.filledIn("rows[0][grade]")
		if narrow.Get("show") != "without" {
			t.Errorf("the part is %v", narrow["show"])
		}
		narrow.Set("narrow", "all")
		if all := tom.looks(list+"/page", tom.do(list+"/page", narrow).status(200)).sees("1 grade will change").
			filledIn("rows[0][grade]"); all.Get("show") != "" {
			t.Errorf("everybody is %v", all["show"])
		}
		second = tom.looks(list+"/page", tom.do(list+"/page", sent).status(200))
		next := second.filledIn("rows[0][grade]")
		id := next.Get("rows[0][id]")
		next.Set("rows[0][grade]", "seven")
		next.Set("rows[1][grade]", "55")
		if got := w.gradeNow(name); got != "0 -" {
			t.Errorf("turning the page saved %s", got)
		}
		plan := tom.looks(list+"/plan", tom.do(list+"/plan", next).status(200)).sees("2 grades will change").
			sees("1 row cannot be saved").sees("“seven” is not a whole number")
		save := plan.filledIn("plan")
		w.exec(`UPDATE projects SET grade = 44 WHERE id = ` + id)
		w.exec(`UPDATE projects SET grade = 66 WHERE user_id = (SELECT id FROM users WHERE username = '` + name + `')`)
		again := tom.looks(list, tom.do(list, save).status(200)).sees("Somebody changed a grade since").
			sees("it is 66 now, you saw none")
		tom.do(list, again.filledIn("plan")).status(303)
		if got := w.gradeNow(name) + w.one(`SELECT count(*) FROM projects WHERE grade = 55`); got != "66 -1" {
			t.Errorf("the grades are %s", got)
		}
		tom.do(list+"/page", url.Values{"held": {"rubbish"}}).status(400)
		tom.do(list, url.Values{"held": {"[]"}, "plan": {"x"}}).status(422)
	})
}

// Rows come from a spreadsheet: pasted with or without headings, or as a file.
func TestGradesAreImported(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.grading(3)
		paste := func(text string) *reader {
			return tom.open(list + "/import").does(act{form: "/plan", words: "paste", fill: map[string]string{"paste": text}})
		}
		paste("200010000\t61\nnobody\t50\ns001\t62\tWell done").sees("2 grades will change").
			sees("Nobody of this number").sees("Line 2").lacks("Line 4").does(act{form: "/grades"}).sees("2 grades saved.")
		if got := w.gradeNow("s000") + w.gradeNow("s001"); got != "61 -62 Well done" {
			t.Errorf("the grades are %s", got)
		}
		paste("Grade\tUsername\n70\ts002\n5\tnobody").sees("1 grade will change").sees("Before").sees("After")
		tom.does(act{form: "/page"}).sees("1 grade will change").sees(`value="70"`)
		sent := tom.filledIn("rows[0][grade]") // what is pasted comes to what was typed
		sent.Set("from", "paste")
		sent.Set("paste", "s001\t64")
		tom.looks(list+"/plan", tom.do(list+"/plan", sent).status(200)).sees("2 grades will change")
		sent.Set("rows[0][why]", "Typed") // for the same student the pasted grade stands, with the words that were typed
		sent.Set("rows[0][grade]", "50")
		first := w.one(`SELECT username FROM projects p JOIN users u ON u.id = p.user_id WHERE p.id = ` + sent.Get("rows[0][id]"))
		sent.Set("paste", first+"\t77\ns001\t64")
		plan := tom.looks(list+"/plan", tom.do(list+"/plan", sent).status(200)).
			sees("1 grade you typed is replaced by the one you pasted.").lacks("already").sees("<strong>77</strong>").sees("Typed")
		had, save := w.gradeNow(first), plan.filledIn("plan")
		w.exec(`UPDATE projects SET grade = 12 WHERE id = ` + sent.Get("rows[0][id]")) // it is guarded as what was typed
		tom.looks(list, tom.do(list, save).status(200)).sees("it is 12 now")
		w.exec(`UPDATE projects SET grade = ` + strings.Fields(had)[0] + ` WHERE id = ` + sent.Get("rows[0][id]"))
		tom.do(list, save).status(303)
		if got := w.gradeNow(first); got != "77 Typed" {
			t.Errorf("pasted over what was typed, the grade is %s", got)
		}
		sent.Set("rows[0][grade]", "51")
		sent.Set("paste", "s001\t65\n"+first+"\tseven") // no grade replaces nothing
		tom.looks(list+"/plan", tom.do(list+"/plan", sent).status(200)).lacks("replaced").
			sees("grade must be a whole number from 0 to 100").sees("it is 77 now")
		w.exec(`UPDATE projects SET grade = 61 WHERE user_id = (SELECT id FROM users WHERE username = 's000')`)
		paste("s000\t61").sees("None of these rows changes a grade").lacks("Save ")
		tom.open(list + "/import").does(act{form: "/plan", words: "file", files: map[string]string{
			"file": "username,grade,rationale\ns002,99,Fine\n"}}).does(act{form: "/grades"}).sees("1 grade saved.")
		if got := w.gradeNow("s002"); got != "99 Fine" {
			t.Errorf("the grade is %s", got)
		}
		tom.do(list+"/plan", url.Values{"from": {"sheet"}}).status(400)
		tom.do(list+"/plan", url.Values{"from": {"paste"}, "paste": {"grade\n50"}}).status(200).says("names no student")
	})
}

var (
	markup     = regexp.MustCompile(`<[^>]*>`)
	gradeGiven = regexp.MustCompile(`\b8[234]\b`)
)

// A convenor publishes, takes back and publishes again; the student sees the grade while it is published.
func TestGradesArePublished(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.grading(2)
		ann := w.reader("ann")
		own := "/projects/" + w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'ann'`)
		tom.open(list).follows("Publish grades").lacks(`action="` + list + `/publish"`).
			sees("Enter final grades first").lacks("What happens")
		tom.do(list+"/publish", url.Values{}).status(422).says("No student has a final grade")
		w.exec(`UPDATE projects SET grade = 83, grade_rationale = 'Quokka <b> grounds'
			WHERE user_id = (SELECT id FROM users WHERE username = 'ann')`)
		ann.open(own).lacks("Final grade")
		tom.open(list).follows("Publish grades").sees("1 student sees a final grade for the first time").sees("no final grade")
		old := tom.filledIn("plan")
		w.exec(`UPDATE projects SET grade = 82 WHERE user_id = (SELECT id FROM users WHERE username = 'ann')`)
		tom.do(list+"/publish", old).status(409).says("nothing was published")
		tom.open(list + "/publish").does(act{form: "/publish"}).sees("The final grades are published")
		ann.open(own).sees("Final grade").sees("82").sees("Quokka &lt;b&gt; grounds")
		tom.open(list).follows("Take grades back").does(act{form: "/undo"}).sees("hidden from students again")
		ann.open(own).lacks("Quokka")
		w.exec(`UPDATE projects SET grade = 84 WHERE user_id = (SELECT id FROM users WHERE username = 'ann')`)
		tom.open(list + "/publish").sees("1 student sees another grade than before").does(act{form: "/publish"})
		ann.open(own).sees("84")
		w.relay()
		ann.open("/news").sees("Final grade published").sees("Final grades taken back")
		// A tutor is told how it stands, and not what they cannot do.
		w.exec(`UPDATE unit_roles SET role = 2`)
		tom.open(list).follows("Publication").sees("Students have seen their final grades since").
			lacks("Take grades back").lacks("no longer see")
		// What can be read, as a moment within a tag may hold any digits.
		if read := markup.ReplaceAllString(ann.text, " "); gradeGiven.MatchString(read) {
			t.Errorf("the news hold the grade: %s", read)
		}
	})
}

// A convenor types forty grades, pastes two hundred, publishes, takes back and publishes again.
func TestAConvenorGradesAUnit(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.grading(240)
		first := w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 's000'`)
		sent := tom.open(list).filledIn("rows[0][grade]")
		from := 0
		for from < 10 && sent.Get(fmt.Sprintf("rows[%d][id]", from)) != first { // the others of the unit come before
			from++
		}
		for i := range 40 {
			sent.Set(fmt.Sprintf("rows[%d][grade]", from+i), fmt.Sprint(50+i))
		}
		tom.looks(list+"/plan", tom.do(list+"/plan", sent).status(200)).sees("40 grades will change").
			does(act{form: "/grades"}).sees("40 grades saved.")
		var rows strings.Builder
		for i := range 200 {
			fmt.Fprintf(&rows, "20001%04d\t%d\n", 40+i, 40+i%60)
		}
		tom.open(list + "/import").does(act{form: "/plan", words: "paste", fill: map[string]string{"paste": rows.String()}}).
			sees("200 grades will change").does(act{form: "/grades"}).sees("200 grades saved.")
		for _, step := range []struct{ form, says, shown string }{{"/publish", "240 students see a final grade", "240"},
			{"/undo", "Take 240 grades back", "0"}, {"/publish", "240 students see the same grade", "240"}} {
			tom.open(list + "/publish").sees(step.says).does(act{form: step.form})
			got := w.one(`SELECT count(*) FROM projects p JOIN units u ON u.id = p.unit_id
				WHERE u.grades_published_at IS NOT NULL AND p.grade > 0 AND p.grade = p.grade_shown`)
			if got != step.shown {
				t.Errorf("after %s %s students see their grade, want %s", step.form, got, step.shown)
			}
		}
		if got := w.gradeNow("s000") + w.gradeNow("s239"); got != "50 -59 -" {
			t.Errorf("the grades are %s", got)
		}
	})
}

// Portfolios are read one after another beside the grade, which is saved on the way.
func TestGradesAreGivenBesidePortfolios(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.grading(2)
		of := func(name string) string {
			return list + "/" + w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = '`+name+`'`)
		}
		tom.open(of("s000")).sees("This student has no portfolio").sees(`rel="prev"`)
		sent := tom.filledIn("row[grade]")
		sent.Set("row[grade]", "77")
		sent.Set("row[why]", "Fine")
		sent.Set("do", "next")
		tom.do(of("s000"), sent).status(303).leadsTo(of("s001"))
		if got := w.gradeNow("s000"); got != "77 Fine" {
			t.Errorf("the grade is %s", got)
		}
		sent.Set("row[grade]", "78")
		tom.do(of("s000"), sent).status(409).says("it is 77 now, you saw none")
		sent.Set("row[grade]", "101")
		tom.do(of("s000"), sent).status(409).says("not a whole number")
		tom.open(of("s001")).lacks(`rel="next"`)
		w.exec(`UPDATE projects SET enrolled = FALSE WHERE user_id = (SELECT id FROM users WHERE username = 's001')`)
		tom.do(of("s001"), nil).status(404)
	})
}

// grades gives some final grades without a script, and publishes them.
func (r *reader) grades() {
	r.Helper()
	list := r.path(unitGrades)
	r.open(list).does(act{form: "/plan", fill: map[string]string{"rows[0][grade]": "71", "rows[0][why]": "Well done"}}).
		sees("1 grade will change").does(act{form: "/page", press: "Continue editing"}).sees(`value="71"`)
	r.does(act{form: "/plan"}).does(act{form: "/grades"}).sees("1 grade saved.")
	r.open(list + "/import").does(act{form: "/plan", words: "paste", fill: map[string]string{"paste": "nobody\t5"}}).
		sees("cannot be saved")
	r.open(list).does(act{form: "/grades", fill: map[string]string{"text": "ann"}}).sees("1–1 of 1")
	r.open(list + "/publish").does(act{form: "/publish"}).sees("The final grades are published")
	r.open(list + "/publish").does(act{form: "/undo"}).sees("hidden from students again")
	id := strings.TrimSpace(r.one(`SELECT max(p.id) FROM projects p WHERE p.enrolled`))
	r.open(list + "/" + id).does(act{form: "/" + id, press: "Save", fill: map[string]string{"row[grade]": "60"}}).sees("Saved.")
}
