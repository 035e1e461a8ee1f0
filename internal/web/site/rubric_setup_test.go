package site_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
)

const aRubric = aSetUp + "/rubric"

func init() {
	maps.Copy(pages, map[string][4]int{ // a tutor sets up nothing
		"GET " + aRubric:                   {303, 403, 403, 403},
		"POST " + aRubric:                  {401, 403, 403, 403},
		"GET " + aRubric + "/remove":       {303, 403, 403, 403},
		"POST " + aRubric + "/remove":      {401, 403, 403, 403},
		"GET " + aRubric + "/rubric.csv":   {303, 403, 404, 403}, // the staff export; the task has none
		"GET " + aRubric + "/import":       {303, 403, 403, 403},
		"POST " + aRubric + "/import/plan": {401, 403, 403, 403},
		"POST " + aRubric + "/import":      {401, 403, 403, 403},
	})
}

// criteria are the titles of a task's rubric in their order, each with its levels and their points.
func (w *world) criteria(at string) string {
	w.Helper()
	id := at[strings.LastIndex(at, "/tasks/")+len("/tasks/"):]
	return w.one(`SELECT coalesce(max(criteria), '') FROM rubrics WHERE current AND task_definition_id = ` + id)
}

// rubricSent are the fields of the rubric that somebody looks at.
func (r *reader) rubricSent() url.Values {
	r.Helper()
	for _, f := range r.forms() {
		if f.values.Has("seen") && f.values.Has("criteria[0][title]") {
			return f.values
		}
	}
	r.Fatalf("%s has no fields of a rubric", r.at)
	return nil
}

// A convenor writes a rubric without script: adds, moves and removes criteria and levels, none of which saves anything,
// is told what does not add up, looks at it as students do, and saves it with the quality points of the task.
func TestARubricIsWritten(t *testing.T) {
	each(t, func(w *world) {
		tom, task := w.convening(), w.setUp("min")
		at := task + "/rubric"
		tom.open(task).sees("This task has no rubric.").follows("Add a rubric")
		if tom.at != at {
			t.Fatalf("the task leads to %s", tom.at)
		}
		tom.sees("Add the first criterion").does(act{form: at, press: "add"}).sees(`value="Excellent"`).
			sees(`id="c0-title" name="criteria[0][title]" value="" autofocus`)
		tom.does(act{form: at, press: "remove-0-3"}).does(act{form: at, press: "add-0"}).
			does(act{form: at, press: "up-0-3", fill: map[string]string{"criteria[0][title]": "Design <b>",
				"criteria[0][levels][0][points]": "3", "criteria[0][levels][1][points]": "2", "criteria[0][levels][2][points]": "1",
				"criteria[0][levels][3][name]": "Poor", "criteria[0][levels][3][points]": "0"}}).
			sees(`name="criteria[0][levels][2][name]" value="Poor"`).sees("3 of ")
		tom.does(act{form: at, press: "add"}).sees(`name="criteria[1][levels][2][name]" value="Poor"`).
			does(act{form: at, press: "up-1", fill: map[string]string{"criteria[1][title]": "Tests",
				"criteria[1][levels][0][text]": "Limits\nand errors"}}).
			sees(`value="down-0" autofocus`).sees(`name="criteria[0][title]" value="Tests"`).
			does(act{form: at, press: "show"}).sees("<h3><bdi>Design &lt;b&gt;</bdi></h3>").sees("Limits\nand errors").
			does(act{form: at, press: "edit"})
		if got := w.criteria(at[:len(at)-len("/rubric")]); got != "" {
			t.Errorf("buttons that draw the fields again saved %s", got)
		}
		sent := tom.rubricSent()
		sent.Del("fit")
		sent.Set("criteria[0][levels][1][points]", "x")
		tom.do(at, sent).status(422).says("Must be a whole number from 0 to 100").says(`value="x"`)
		sent.Set("criteria[0][levels][1][points]", "2")
		tom.do(at, sent).status(422).says("The criteria have best levels that add up to 6 points")
		sent.Set("criteria[1][title]", " ")
		sent.Set("criteria[1][description]", "What it asks")
		sent.Set("criteria[0][levels][1][name]", "excellent")
		tom.do(at, sent).status(422).says("May not be blank").says("Is that of another level of the criterion")
		tom.does(act{form: at, press: "Save rubric", tick: []string{"Set the task’s quality points to what the best levels add up to"}}).
			sees("The rubric is saved.").sees("6 of 6 quality points").sees("Version 1")
		if got := w.one(fmt.Sprintf(`SELECT max_quality_pts FROM task_definitions WHERE id = %s`,
			task[strings.LastIndex(task, "/")+1:])); got != "6" {
			t.Errorf("the task has %s quality points", got)
		}
		if got := w.criteria(task); strings.Index(got, "Tests") > strings.Index(got, "Design") {
			t.Errorf("in another order: %s", got)
		}
		tom.open(task).sees("This task is marked by a rubric.")
		tom.open(w.path(taskSetup)).sees(task + `/rubric"`).sees("Edit rubric")
	})
}

// writing saves a rubric of two criteria for a task without one.
func (r *reader) writing(task string) *reader {
	r.Helper()
	at := task + "/rubric"
	r.open(at).does(act{form: at, press: "add"}).does(act{form: at, press: "add", fill: map[string]string{
		"criteria[0][title]": "Design", "criteria[0][levels][0][text]": "All of it", "criteria[0][levels][0][points]": "2",
		"criteria[0][levels][1][points]": "1", "criteria[0][levels][2][points]": "0", "criteria[0][levels][3][points]": "0"}})
	return r.does(act{form: at, press: "Save rubric", tick: []string{"Set the task’s quality points"}, fill: map[string]string{
		"criteria[1][title]": "Tests"}}).sees("4 of 4 quality points")
}

// Two convenors change one rubric: what only one typed is kept from both, what both typed is told with both values, and
// saving once more takes what is typed.
func TestTwoWriteOneRubric(t *testing.T) {
	each(t, func(w *world) {
		tom, task := w.convening(), w.setUp("min")
		at := task + "/rubric"
		mine, theirs := tom.writing(task).rubricSent(), tom.rubricSent()
		theirs.Set("criteria[0][title]", "Their design")
		theirs.Set("criteria[0][levels][0][text]", "Their text")
		theirs.Set("criteria[0][levels][4][name]", "Their level")
		theirs.Set("criteria[0][levels][4][points]", "1")
		theirs.Set("criteria[2][title]", "Their criterion")
		theirs.Set("criteria[2][levels][0][name]", "Yes")
		theirs.Set("criteria[2][levels][0][points]", "3")
		theirs.Set("criteria[2][levels][1][name]", "No")
		theirs.Set("criteria[2][levels][1][points]", "0")
		theirs.Set("fit", "true")
		tom.do(at, theirs).status(303)
		mine.Set("criteria[0][title]", "My design")
		mine.Set("criteria[1][levels][0][text]", "My text")
		again := tom.looks(at, tom.do(at, mine).status(409).says("Somebody else changed this rubric").
			says("Someone else changed this while you were editing. It is now: Their design.").
			says(`value="My design"`).says(`>Their text</textarea>`).says(`>My text</textarea>`).says(`value="Their level"`).
			says("Someone else added 1 criterion").says(`value="Their criterion"`)).rubricSent()
		if got := w.criteria(task); strings.Contains(got, "My") {
			t.Errorf("the refused form left %s", got)
		}
		tom.do(at, again).status(303)
		for _, text := range []string{"My design", "Their text", "My text", "Their level", "Their criterion"} {
			if got := w.criteria(task); !strings.Contains(got, text) || strings.Contains(got, "Their design") {
				t.Errorf("after both saved, %s is not in %s", text, got)
			}
		}
		// One that was removed meanwhile is a new one for whoever saves again; so is a criterion that was typed on.
		tom.open(at)
		mine, theirs = tom.rubricSent(), tom.rubricSent()
		mine.Set("criteria[1][title]", "Kept")
		for name := range theirs {
			if strings.HasPrefix(name, "criteria[0]") || strings.HasPrefix(name, "criteria[1]") {
				theirs.Del(name)
			}
		}
		theirs.Set("fit", "true")
		tom.do(at, theirs).status(303)
		tom.looks(at, tom.do(at, mine).status(409).says("Someone else removed the criterion Kept").lacks("My design").
			says(`value="Kept"`))
		mine = tom.rubricSent()
		tom.open(at + "/remove").does(act{form: "/remove"}).sees("The rubric is removed.")
		mine = tom.looks(at, tom.do(at, mine).status(409).says("Somebody removed this rubric in the meantime")).rubricSent()
		mine.Set("fit", "true")
		tom.do(at, mine).status(303)
		stale := at + "/remove?seen=1"
		tom.do(stale, url.Values{}).status(409).says("Somebody else changed this rubric")
		if w.criteria(task) == "" {
			t.Error("a rubric that was changed since the question was removed")
		}
	})
}

// writesRubrics gives a task a rubric by hand and by a sheet, and removes it.
func (r *reader) writesRubrics() {
	r.Helper()
	task := r.setUp("max") // that of min has no name
	at := task + "/rubric"
	r.writing(task)
	sheet := "criterion,description,level,text,points\nDesign,,Good,All of it,3\nDesign,,Missing,,0\n"
	send := act{form: "/plan", tick: []string{"Set the task’s quality points"}, files: map[string]string{"file": sheet}}
	r.open(at + "/import").does(send).sees("Removed: no row of the sheet has it.").does(send).does(act{form: "/import"}).
		sees("imported.")
	r.open(at).sees("3 of 3 quality points").does(act{form: at, press: "add"})
	r.open(at + "/remove").does(act{form: "/remove"}).sees("The rubric is removed.")
}

// A sheet of a rubric is looked at before anything is saved, with the rows that are wrong, and one that was looked at
// before somebody else changed the rubric is looked at again.
func TestARubricComesFromASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, task := w.convening(), w.setUp("min")
		at := task + "/rubric"
		tom.do(at+"/rubric.csv", nil).status(404)
		tom.writing(task)
		out := tom.do(at+"/rubric.csv", nil).status(200).Body.String()
		if !strings.Contains(out, "Design,,Excellent,All of it,2") {
			t.Fatalf("the sheet is %s", out)
		}
		plan := func(sheet string) *answer {
			return tom.parts(at+"/import/plan", "text/html", nil, file{field: "file", name: "x.csv", text: sheet})
		}
		plan(strings.Replace(out, ",2", ",x", 1)).status(200).says("points is").says("1 row has a mistake")
		plan(strings.Replace(out, ",2", ",9", 1)).status(422).says("best levels that add up to 11")
		planned := tom.looks(at+"/import", plan(strings.Replace(out, "All of it", "Each part", 1)).status(200).
			says("Changed level Excellent of Design.").says("1 row will be imported"))
		if strings.Contains(w.criteria(task), "Each part") {
			t.Error("a plan changed the rubric")
		}
		planned.does(act{form: "/import"}).sees("1 level imported.")
		if !strings.Contains(w.criteria(task), "Each part") {
			t.Error("the sheet was not taken")
		}
		planned = tom.looks(at+"/import", plan(out).status(200).says("Changed level"))
		w.exec(`UPDATE rubrics SET criteria = replace(criteria, 'Excellent', 'Best')`)
		planned.does(act{form: "/import"}).sees("Review the rows again").sees("New level Excellent")
	})
}

// The rubric of another task fills the fields: from a unit that the caller convenes, and from no other.
func TestARubricIsCopiedIntoTheFields(t *testing.T) {
	each(t, func(w *world) {
		tom, task := w.convening(), w.setUp("min")
		tom.writing(task)
		other := w.setUp("max")
		at := other + "/rubric"
		tom.open(at).does(act{form: at, press: "copy"}).sees(`value="Design"`).sees("All of it").sees(`name="criteria[0][id]" value="0"`)
		if w.criteria(other) != "" {
			t.Error("copying into the fields saved them")
		}
		sent := tom.rubricSent()
		sent.Set("do", "copy")
		w.exec(`UPDATE unit_roles SET role = 2`)
		tom.do(at, sent).status(403)
	})
}
