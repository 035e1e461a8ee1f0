package site_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"lectern/internal/platform/db"
)

const (
	taskSetup = "/units/{id}/settings/tasks"
	aSetUp    = "/units/{unit_id}/settings/tasks/{task_definition_id}"
)

func init() {
	maps.Copy(pages, map[string][4]int{ // a tutor sets up nothing
		"GET " + taskSetup:                     {303, 403, 403, 403},
		"GET " + taskSetup + "/new":            {303, 403, 403, 403},
		"POST " + taskSetup + "/new":           {401, 403, 403, 403},
		"POST " + taskSetup + "/restore":       {401, 403, 403, 403},
		"GET " + aSetUp:                        {303, 403, 403, 403},
		"POST " + aSetUp:                       {401, 403, 403, 403},
		"GET " + aSetUp + "/delete":            {303, 403, 403, 403},
		"GET " + taskSetup + "/tasks.csv":      {303, 403, 200, 403}, // the staff export
		"GET " + taskSetup + "/sheets.zip":     {303, 403, 200, 403},
		"GET " + taskSetup + "/import":         {303, 403, 403, 403},
		"POST " + taskSetup + "/import/plan":   {401, 403, 403, 403},
		"POST " + taskSetup + "/import":        {401, 403, 403, 403},
		"GET " + taskSetup + "/sheets":         {303, 403, 403, 403},
		"POST " + taskSetup + "/sheets/plan":   {401, 403, 403, 403},
		"POST " + taskSetup + "/sheets":        {401, 403, 403, 403},
		"GET " + aSetUp + "/trials":            {303, 403, 403, 403},
		"POST " + aSetUp + "/trials":           {401, 403, 403, 403},
		"GET " + aSetUp + "/trials/{trial_id}": {303, 403, 403, 403},
		"POST " + aSetUp + "/move":             {401, 403, 403, 403},
		"POST " + aSetUp + "/duplicate":        {401, 403, 403, 403},
		"POST " + taskSetup + "/shift":         {401, 403, 403, 403},
		"GET " + aSetUp + "/preview":           {303, 403, 403, 403},
		"GET " + aSetUp + "/preview/sheet":     {303, 403, 403, 403},
		"GET " + aSetUp + "/preview/resources": {303, 403, 403, 403},
		"POST " + aSetUp + "/delete":           {401, 403, 403, 403},
	})
	for _, name := range []string{"sheet", "resources", "template", "tests"} {
		at := aSetUp + "/" + name
		pages["GET "+at], pages["GET "+at+"/remove"] = [4]int{303, 403, 403, 403}, [4]int{303, 403, 403, 403}
		pages["POST "+at], pages["POST "+at+"/remove"] = [4]int{401, 403, 403, 403}, [4]int{401, 403, 403, 403}
	}
}

// convening makes Tom the convenor of Ann's unit, which has tasks and work, and signs him in.
func (w *world) convening() *reader {
	w.Helper()
	w.waiting()
	w.exec(`UPDATE unit_roles SET role = 3`)
	w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
	w.exec(`UPDATE units SET description = 'x', start_date = '2026-03-02', end_date = '2026-06-05'`)
	w.exec(`UPDATE task_definitions SET name = 'Task ' || CAST(id AS TEXT), start_date = '2026-03-02',
		target_date = '2026-03-13'`)
	w.exec(`UPDATE task_definitions SET abbreviation = '1' WHERE abbreviation <> '2'`)
	return w.reader("tom")
}

// task is where the first task of the unit is set up, and the second.
func (w *world) setUp(order string) string {
	w.Helper()
	return w.path(taskSetup) + "/" + w.one(`SELECT `+order+`(id) FROM task_definitions`)
}

// sent are the fields of the editor that somebody looks at.
func (r *reader) sent() url.Values {
	r.Helper()
	for _, f := range r.forms() {
		if f.values.Has("task[name]") {
			return f.values
		}
	}
	r.Fatalf("%s has no editor", r.at)
	return nil
}

// A convenor sees the tasks by week with what is wrong with each, narrows and orders them, adds one,
// asks for files, and changes it.
func TestTheTasksOfAUnitAreSetUp(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.convening(), w.path(taskSetup)
		tom.open(w.path(anOverview)).follows("Task sheets")
		if tom.at != list+"?show=task_sheets" {
			t.Errorf("the checklist leads to %s", tom.at)
		}
		tom.sees("Week 2").sees("No task sheet").sees("No files asked for").follows("New task")
		tom.does(act{form: "/new", press: "add", fill: map[string]string{"task[abbreviation]": "3.1P",
			"task[name]": "Essay & more", "task[start_date]": "2026-02-01", "task[target_date]": "2026-05-06"}})
		if got := w.one(`SELECT count(*) FROM task_definitions`); got != "2" {
			t.Errorf("adding a file to ask for saved the task: there are %s", got)
		}
		tom.does(act{form: "/new", press: "Add task", fill: map[string]string{"task[files][0][name]": "Report",
			"task[files][0][pct]": "40"}, tick: []string{"Check for similarity"}}).sees("Saved.").
			sees(`value="Essay &amp; more"`)
		if got := w.one(`SELECT upload_requirements FROM task_definitions WHERE abbreviation = '3.1P'`); got !=
			`[{"key":"file0","name":"Report","type":"document","tii_check":true,"tii_pct":40}]` {
			t.Errorf("it asks for %s", got)
		}
		at, sent := strings.Split(tom.at, "?")[0], tom.sent()
		sent.Set("task[target_date]", "2026-01-06")
		tom.do(at, sent).status(422).says("may not be before start").says(`value="2026-01-06"`)
		sent.Set("task[weighting]", "some")
		tom.do(at, sent).status(422).says("Must be a whole number").says(`value="some"`)
		tom.open(list).sees("Outside the unit’s dates").sees("Week 10")
		tom.open(list + "?text=essay&sort=code&grade=0&show=problems").sees("Essay &amp; more").does(act{form: list,
			fill: map[string]string{"text": "nothing such"}}).sees("No tasks match these filters.")
		if n := strings.Count(tom.open(list+"?sort=code").text, `<tr id="task-`); n != 3 {
			t.Errorf("%d tasks are listed", n)
		}
		tom.open(w.path(aUnitTask)).follows("Edit task").sees("Files to submit")
	})
}

// Files that are asked for are added, moved and removed without being saved by it, and what no field
// shows of them stays as it is.
func TestFilesThatATaskAsksFor(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("min")
		w.exec(`UPDATE task_definitions SET upload_requirements =
			'[{"key":"file0","name":"One","type":"code","tii_check":false},{"key":"b","name":"Two","type":"image"}]'`)
		tom.open(at).does(act{form: at, press: "up-1"}).does(act{form: at, press: "add"})
		tom.does(act{form: at, press: "Save changes", fill: map[string]string{"task[files][2][name]": "Three"}})
		kept := func() string {
			id := at[strings.LastIndex(at, "/")+1:]
			return w.one(`SELECT upload_requirements FROM task_definitions WHERE id = ` + id)
		}
		if got := kept(); got !=
			`[{"key":"b","name":"Two","type":"image"},{"key":"file0","name":"One","type":"code"},`+
				`{"key":"file1","name":"Three","type":"document"}]` {
			t.Errorf("it asks for %s", got)
		}
		tom.does(act{form: at, press: "remove-1"}).does(act{form: at, press: "Save changes"})
		if got := kept(); strings.Contains(got, "One") || !strings.Contains(got, "Three") {
			t.Errorf("it asks for %s", got)
		}
	})
}

// Two change a task at once: what one of them did not touch stays as the other left it, and a field
// that both changed is told with both values before anything is saved.
func TestTwoChangeATaskAtOnce(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("max")
		sent := tom.open(at).sent()
		w.exec(`UPDATE task_definitions SET name = 'Theirs', weighting = 9, target_date = '2026-03-20', upload_requirements =
			'[{"key":"x","name":"Poster","type":"image"}]' WHERE abbreviation = '2'`)
		sent.Set("task[abbreviation]", "2.1P")
		tom.do(at, sent).status(303)
		if got := w.one(`SELECT name || weighting FROM task_definitions WHERE abbreviation = '2.1P'`); got != "Theirs9" {
			t.Errorf("the task is %s", got)
		}
		sent = tom.open(at).sent()
		w.exec(`UPDATE task_definitions SET name = 'Theirs again', target_grade = 2, target_date = '2026-03-27'
			WHERE abbreviation = '2.1P'`)
		sent.Set("task[name]", "Mine")
		sent.Set("task[target_date]", "2026-04-03")
		tom.do(at, sent).status(409).says("It is now: Theirs again.").says(`value="Mine"`).says("27 Mar 2026").
			says(`value="2026-04-03"`).says(`<option value="2" selected>`)
		if got := w.one(`SELECT name FROM task_definitions WHERE abbreviation = '2.1P'`); got != "Theirs again" {
			t.Errorf("what a colleague wrote was overwritten by %s", got)
		}
	})
}

// A task is deleted with the work for it, and Undo brings all of it back.
func TestATaskIsDeletedAndBroughtBack(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("min")
		tasks := func() string { return w.one(`SELECT count(*) FROM tasks`) }
		before := tasks()
		tom.open(w.path(taskSetup)).follows("Students’ work").open(at + "/delete").sees("with the work of 2 students").
			does(act{form: "/delete"}).sees("Task deleted:").sees("Deleted tasks")
		if tasks() == before {
			t.Error("the work is still there")
		}
		tom.does(act{form: "/restore", press: "Undo"}).sees("Task restored.").sees(fmt.Sprintf(`href="%s"`, at))
		if tasks() != before {
			t.Errorf("%s tasks came back, of %s", tasks(), before)
		}
		tom.do(w.path(taskSetup)+"/restore", url.Values{"deletion": {"4711"}}).status(404).says("Unit settings")
	})
}

// emptyZip is an archive of nothing.
var emptyZip = "PK\x05\x06" + strings.Repeat("\x00", 18)

// A task gets its sheet, resources, template and tests, and a preview shows what a student sees of it and
// sends nothing.
func TestFilesAndPreviewOfATask(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("min")
		w.exec(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Report","type":"document"}]'`)
		tom.open(at).does(act{form: "/sheet", files: map[string]string{"file": pdf}}).sees("Replace")
		tom.does(act{form: "/resources", files: map[string]string{"file": emptyZip}}).
			does(act{form: "/template", files: map[string]string{"file": emptyZip}}).
			does(act{form: "/tests", files: map[string]string{"file": emptyZip}})
		if got := w.one(`SELECT count(*) FROM task_definitions WHERE sheet_hash IS NOT NULL AND resources_hash IS NOT NULL
			AND template_hash IS NOT NULL AND assessment_hash IS NOT NULL`); got != "1" {
			t.Errorf("%s tasks have all files", got)
		}
		for _, name := range []string{"sheet", "resources", "template", "tests", "preview/sheet", "preview/resources"} {
			tom.do(at+"/"+name, nil).status(200)
		}
		tom.parts(at+"/sheet", "text/html", nil, file{field: "file", name: "a.pdf", text: "no PDF"}).status(415).
			says("Files of this task")
		tom.open(at).follows("Preview").sees("Report").sees("Nothing can be sent from here.").
			sees(`<fieldset class="task-preview" disabled>`)
		for _, f := range tom.forms() {
			if strings.Contains(f.action, "preview") {
				t.Errorf("a preview sends a form to %s", f.action)
			}
		}
		tom.follows("Task sheet").sees(at + "/preview/sheet")
		tom.open(at + "/sheet/remove").does(act{form: "/remove"}).sees("None yet")
	})
}

// Tasks move by teaching weeks: one at once with the way back, many after a plan, which moves nothing that
// somebody else moved meanwhile. A copy has all but the name.
func TestTasksMoveByWeeks(t *testing.T) {
	each(t, func(w *world) {
		tom, list, at := w.convening(), w.path(taskSetup), w.setUp("min")
		targets := func() string {
			return w.one(`SELECT min(target_date) || ' ' || max(target_date) FROM task_definitions`)[:10]
		}
		tom.open(list).does(act{form: at + "/move", press: "Move one week later"}).sees("Moved:").sees("Week 3")
		tom.does(act{form: at + "/move", words: "Moved:"}).sees("Week 2")
		both := []string{"Select 1", "Select 2"}
		tom.open(list).does(act{form: "/shift", tick: both, fill: map[string]string{"weeks": "20"}}).
			sees("2 tasks will move").sees("Outside the unit’s dates")
		if got := targets(); got != "2026-03-13" {
			t.Errorf("a plan moved a task to %s", got)
		}
		tom.open(list).does(act{form: "/shift", tick: both, fill: map[string]string{"weeks": "1", "way": "earlier"}})
		var plan url.Values
		for _, f := range tom.forms() {
			if strings.HasSuffix(f.action, "/shift") {
				plan = f.values
			}
		}
		w.exec(`UPDATE task_definitions SET target_date = '2026-03-27' WHERE abbreviation = '2'`)
		tom.do(list+"/shift", plan).status(409).says("Nothing was moved")
		w.exec(`UPDATE task_definitions SET target_date = '2026-03-13' WHERE abbreviation = '2'`)
		tom.do(list+"/shift", plan).status(303)
		if got := targets(); got != "2026-03-06" {
			t.Errorf("the tasks are due on %s", got)
		}
		tom.do(list+"/shift", url.Values{"weeks": {"1"}}).status(422).says("Select at least one task")
		tom.open(list).does(act{form: at + "/duplicate"}).sees(`value="1 copy"`)
		tom.open(list).does(act{form: at + "/duplicate"}).sees(`value="1 copy 2"`)
	})
}

// A sheet of tasks is looked at row by row before it is imported; with a mistake in any row nothing is, nor
// where the unit changed meanwhile. What goes out comes back as it is.
func TestTasksByASheet(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.convening(), w.path(taskSetup)
		out := tom.do(list+"/tasks.csv", nil).status(200).Body.String()
		tom.do(list+"/sheets.zip", nil).status(200)
		heads, _, _ := strings.Cut(out, "\n")
		sends := func(rows string) act {
			return act{form: "/plan", files: map[string]string{"file": heads + "\n" + rows}}
		}
		row := "Three,3.1P,Do it,1,0,false,0,false,50,[],,[],1,Mon,2,Fri,,,\n"
		tom.open(list + "/import").does(sends(row + "Four,4.1P,,x,0,,,,,,,,1,Mon,2,Fri,,,\n")).
			sees("1 row has a mistake").sees("4.1P Four")
		if strings.Contains(tom.text, "Import 1 task") {
			t.Error("a sheet with a mistake can be imported")
		}
		tom.does(sends(row)).sees("1 row will be imported")
		if got := w.one(`SELECT count(*) FROM task_definitions`); got != "2" {
			t.Errorf("a plan made a task: there are %s", got)
		}
		tom.does(act{form: "/import"}).sees("1 task imported.")
		if got := w.one(`SELECT count(*) FROM task_definitions WHERE abbreviation = '3.1P'
			AND target_date = '2026-03-13'`); got != "1" {
			t.Errorf("%s tasks are as the sheet says", got)
		}
		tom.open(list + "/import").does(sends(strings.Replace(row, "Do it", "Else", 1)))
		w.exec(`UPDATE task_definitions SET abbreviation = '9.9P', name = 'Nine' WHERE abbreviation = '3.1P'`)
		tom.does(act{form: "/import"}).sees("The unit changed since you reviewed the sheet")
		tom.do(list+"/import", url.Values{"sheet": {"x"}}).status(400).says("Choose it again")
	})
}

// zipOf is an archive of files: their names, each with its content.
func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := z.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Excel's sheets are read, too.
func TestTasksByAWorkbook(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	tom, list := w.convening(), w.path(taskSetup)
	heads, _, _ := strings.Cut(tom.do(list+"/tasks.csv", nil).status(200).Body.String(), "\n")
	book := excelize.NewFile()
	for i, line := range []string{strings.TrimSpace(heads),
		"Three,3.1P,Do it,1,0,false,0,false,50,[],,[],1,Mon,2,Fri,,,"} {
		for j, cell := range strings.Split(line, ",") {
			at, err := excelize.CoordinatesToCellName(j+1, i+1)
			if err == nil {
				err = book.SetCellStr("Sheet1", at, cell)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	tom.open(list + "/import").does(act{form: "/plan", files: map[string]string{"file": b.String()}}).
		sees("1 row will be imported").sees("3.1P Three").does(act{form: "/import"}).sees("1 task imported.")
}

// The sheets of many tasks come in one archive: what becomes of each file is shown before, and only what was
// shown is done.
func TestTaskSheetsByAnArchive(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.path(taskSetup)+"/sheets"
		has := func() string { return w.one(`SELECT count(*) FROM task_definitions WHERE sheet_hash IS NOT NULL`) }
		sends := func(form string, files ...string) act {
			return act{form: form, files: map[string]string{"file": zipOf(t, files...)}}
		}
		good := []string{"1 First.pdf", pdf, "sheets/2.pdf", pdf, "9.pdf", pdf, "notes.txt", "x"}
		tom.open(w.path(taskSetup)).follows("Task sheets and resources (zip)").
			does(sends("/plan", good...)).sees("2 files will be imported").sees("Becomes the task sheet of 1.").
			sees("No task of this unit has an abbreviation the name begins with.").sees("Left out")
		if has() != "0" {
			t.Error("a plan attached a sheet")
		}
		tom.does(sends("/sheets", "1.pdf", pdf)).sees("Something else would come of this file")
		if has() != "0" {
			t.Error("another file was imported than was shown")
		}
		tom.open(at).does(sends("/plan", good...)).does(sends("/sheets", good...)).sees("2 files imported.")
		if has() != "2" {
			t.Errorf("%s tasks have a sheet", has())
		}
		tom.open(at).does(sends("/plan", good...)).sees("Replaces the one it has.")
		tom.parts(at+"/plan", "text/html", nil).status(400).says("Choose a file")
		tom.parts(at+"/plan", "text/html", nil, file{"file", "a.zip", "no archive"}).status(415).says("zip")
		tom.parts(at, "text/html", nil, file{"file", "a.zip", emptyZip}).status(422).says("Review the file before")
	})
}

// A task says what is wrong with it, and the list shows those alone.
func TestATargetInABreakIsTold(t *testing.T) {
	each(t, func(w *world) {
		tom, list := w.convening(), w.path(taskSetup)
		w.exec(`INSERT INTO teaching_periods (period, year, start_date, end_date, active_until)
			VALUES ('T1', 2026, '2026-03-02T00:00:00.000Z', '2026-06-05T00:00:00.000Z', '2026-07-01T00:00:00.000Z')`)
		w.exec(`INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks)
			SELECT max(id), '2026-03-09', 1 FROM teaching_periods`)
		w.exec(`UPDATE units SET teaching_period_id = (SELECT max(id) FROM teaching_periods)`)
		w.exec(`UPDATE task_definitions SET target_date = '2026-03-20' WHERE abbreviation = '1'`)
		tom.open(list + "?show=breaks").sees("Target in a break").sees(">2<")
		if strings.Contains(tom.text, ">1</bdi>") {
			t.Error("a task whose target is in no break is shown")
		}
		tom.open(list + "?show=task_dates").sees("No tasks match")
	})
}

// The tests of a task are tried out over files of the convenor's own, and what they wrote is shown.
func TestATrialOfTheTestsOfATask(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.setUp("min")
		w.exec(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Program","type":"code"}]'`)
		tom.open(at).does(act{form: "/tests", files: map[string]string{"file": emptyZip}}).follows("Test run").sees("Program")
		tom.parts(at+"/trials", "text/html", nil).status(409).says("Files for the test run") // there is no image
		w.exec(`INSERT INTO overseer_images (name, tag) VALUES ('a', 'a/b:1')`)
		w.exec(`UPDATE units SET overseer_image_id = (SELECT max(id) FROM overseer_images)`)
		tom.open(at + "/trials").does(act{form: "/trials", files: map[string]string{"file0": "package a\n"}}).
			sees("Queued").sees("The tests have not finished yet.")
		w.exec(`UPDATE assessment_trials SET status = 'failed', reason = 'It broke.'`)
		tom.open(tom.at).sees("Failed").sees("It broke.")
		w.tx(func(ctx context.Context, q db.Q) error {
			hash, err := w.reported(ctx, q, `{"output":"Hello <b>","judge_output":"1 of 2"}`)
			if err == nil {
				_, err = db.Exec(ctx, q, `UPDATE assessment_trials SET status = 'done', reason = NULL, report_hash = $1`, hash)
			}
			return err
		})
		tom.open(tom.at).sees("Done").sees("Hello &lt;b&gt;").sees("1 of 2")
		tom.do(at+"/trials/4711", nil).status(404)
	})
}
