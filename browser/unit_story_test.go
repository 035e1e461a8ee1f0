package browser

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// convenor is somebody who sets a unit up by its pages, and whose actions are counted: a click, a key
// command, a choice of a file or in a list, a field that is filled in, a form that is sent.
type convenor struct {
	*tab
	unit string // the path of the unit
	acts int
}

// setsUp begins a blank unit in the period that runs.
func setsUp(t *testing.T, s *service, code, name string) *convenor {
	t.Helper()
	c := &convenor{tab: open(t, s, wide)}
	c.signIn("aconvenor")
	c.goes("main a[href='/units/new']")
	c.goes("main a[href$='blank=true']")
	c.types("#code", code)
	c.types("#name", name)
	c.acts++ // the next one is offered
	eval[bool](c.tab, "document.querySelector('#teaching_period_id').value = '2', true")
	c.goes("main form .btn.primary")
	c.awaitText("Checklist")
	c.unit = eval[string](c.tab, "location.pathname")
	return c
}

// atMost tells how many actions it took, and fails where they are more than that.
func (c *convenor) atMost(most int, what string) {
	c.Helper()
	c.Logf("%s took %d actions of %d", what, c.acts, most)
	if c.acts > most {
		c.Errorf("%s took %d actions, more than %d", what, c.acts, most)
	}
	c.acts = 0
}

func (c *convenor) goes(selector string)        { c.Helper(); c.acts++; c.follow(selector) }
func (c *convenor) clicks(selector string)      { c.Helper(); c.acts++; c.press(selector) }
func (c *convenor) types(selector, text string) { c.Helper(); c.acts++; c.fill(selector, text) }

// picks chooses what a list says, or begins with.
func (c *convenor) picks(selector, words string) {
	c.Helper()
	c.acts++
	c.await("document.querySelector(" + quote(selector) + ")")
	if !eval[bool](c.tab, `((list, words) => {
		const option = [...list.options].find((o) => o.text.trim().startsWith(words));
		if (!option) return false;
		list.value = option.value;
		list.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})(document.querySelector(`+quote(selector)+`), `+quote(words)+`)`) {
		c.Fatalf("%s: %s has no %q", c.where(), selector, words)
	}
}

// dates sets a field of a date to some days after the first of the unit.
func (c *convenor) dates(selector, first string, days int) {
	c.Helper()
	c.acts++
	eval[bool](c.tab, fmt.Sprintf("document.querySelector(%s).valueAsNumber = Date.parse(%s) + %d * 864e5, true",
		quote(selector), quote(first), days))
}

// sheet sends a sheet from a page of the settings, reads its plan and has it carried out.
func (c *convenor) sheet(page, importer, name, content, planned, done string) {
	c.Helper()
	c.goes("nav.tabs a[href$='/settings" + page + "']")
	if c.has(".actions details a[href$='" + importer + "']") {
		c.clicks(".actions details:has(a[href$='" + importer + "']) summary")
	}
	c.goes(".actions a[href$='" + importer + "']")
	c.choose("#file", c.file(name, []byte(content)))
	c.acts++
	c.goes("main form .btn.primary")
	c.awaitText(planned)
	c.goes("main form .btn.primary")
	c.awaitText(done)
	c.goes("main a.btn.primary") // back to the list
}

// bothDatabases runs a story on the demo of each.
func bothDatabases(t *testing.T, f func(t *testing.T, s *service)) {
	needed(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		if engine == "sqlite" {
			f(t, serve(t))
			return
		}
		path, err := program()
		if err != nil {
			t.Fatal(err)
		}
		address := dbtest.Bare(t, engine)
		s, stop, err := run(path, filepath.Join(t.TempDir(), "data"), "--database-url", address)
		t.Cleanup(stop)
		if err != nil {
			t.Fatal(err)
		}
		s.database = address
		f(t, s)
	})
}

// A convenor sets up a unit of 12 tasks, 15 tutorials, 6 staff and 300 students from three sheets by
// the pages alone, and goes on working with it: a date moves, two groups change, a task is deleted and
// brought back, a student is withdrawn and enrolled again, and the unit is rolled over.
func TestAUnitFromNothing(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		c := setsUp(t, s, "SIT300", "Systems")
		c.goes(".side a[href='" + c.unit + "/settings']")
		c.sheet("/staff", "/import", "tutorials.csv", tutorialSheet(), "15 rows will be imported", "15 tutorials imported")
		c.sheet("/tasks", "/import", "tasks.csv", taskSheet(), "12 rows will be imported", "12 tasks imported")
		c.sheet("/students", "/import", "students.csv", studentSheet(), "Nothing is changed yet", "300")
		c.goes(".side a[href='" + c.unit + "']")
		c.atMost(60, "a unit from three sheets")
		c.holds(12, 15, 6, 300)
		c.moves()
		c.groups()
		c.deletes()
		c.withdraws()
		c.rollsOver()
	})
}

// A small one needs no sheet: every tutorial, task, person of the staff and student is added by hand.
func TestASmallUnitFromNothing(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		c := setsUp(t, s, "SIT003", "Small systems")
		c.goes(".side a[href='" + c.unit + "/settings']")
		first := eval[string](c.tab, "document.querySelector('#start_date').value")
		c.goes("nav.tabs a[href$='/settings/staff']")
		c.types("#find-staff", "clif")
		c.await("document.querySelector('#found form')")
		c.goes("#found form button[value=Tutor]")
		for i := range 2 {
			c.goes(".actions a[href$='/tutorials/new']")
			c.types("#abbreviation", fmt.Sprintf("Lab%d", i+1))
			c.picks("#tutor_id", []string{"Ana", "Cliff"}[i])
			c.picks("#meeting_day", "Monday")
			c.types("#meeting_time", "10:00")
			c.types("#meeting_location", "EN 101")
			c.goes(".drawer footer .btn.primary")
		}
		c.goes("nav.tabs a[href$='/settings/tasks']")
		for i := range 3 {
			c.goes(".actions a[href$='/tasks/new']")
			c.types("#abbreviation", fmt.Sprintf("%d.1P", i+1))
			c.types("#name", fmt.Sprintf("Task %d", i+1))
			c.dates("#start_date", first, 7*i)
			c.dates("#target_date", first, 7*i+11)
			c.goes(".drawer button[value=add]")
			c.types("#file-0-name", "Report")
			c.goes(".drawer footer .btn.primary")
			c.awaitText(fmt.Sprintf("%d.1P", i+1))
		}
		c.goes("nav.tabs a[href$='/settings/students']")
		c.goes(".actions a[href$='/students/new']")
		for i := range 5 {
			c.types("#student", fmt.Sprintf("student_%d", i+1))
			c.picks("select[name=tutorials]", fmt.Sprintf("Lab%d", i%2+1))
			c.goes("main form button[name=more]")
		}
		c.goes(".side a[href='" + c.unit + "']")
		c.atMost(120, "a small unit by hand")
		c.holds(3, 2, 2, 5)
	})
}

// holds asks the API, as a program of the convenor's would, how much the unit has.
func (c *convenor) holds(tasks, tutorials, staff, students int) {
	c.Helper()
	var unit struct {
		Tasks     []struct{} `json:"task_definitions"`
		Tutorials []struct{} `json:"tutorials"`
		Staff     []struct{} `json:"staff"`
	}
	var enrolled []struct{}
	c.at.call(c.T, "aconvenor", "GET", "/api"+c.unit, nil, &unit)
	c.at.call(c.T, "aconvenor", "GET", "/api/students?unit_id="+path.Base(c.unit), nil, &enrolled)
	got := []int{len(unit.Tasks), len(unit.Tutorials), len(unit.Staff), len(enrolled)}
	if want := []int{tasks, tutorials, staff, students}; !slices.Equal(got, want) {
		c.Errorf("the unit has %v tasks, tutorials, staff and students, not %v", got, want)
	}
}

// moves sees what a change of the dates moves, and has it done.
func (c *convenor) moves() {
	c.Helper()
	c.visit(c.unit + "/settings")
	eval[bool](c.tab, `document.getElementById('start_date').valueAsNumber += 7 * 864e5, true`)
	c.goes(".apply-bar .btn.primary")
	c.awaitText("Review what moves")
	c.goes(".apply-bar .btn.primary")
	c.awaitText("Settings saved.")
}

// groups makes a set with two groups, puts somebody into each and lets one change places.
func (c *convenor) groups() {
	c.Helper()
	c.goes("nav.tabs a[href$='/settings/groups']")
	c.goes("main a[href$='/groups/new']")
	c.types("#name", "Teams")
	c.goes(".drawer footer .btn.primary")
	for _, name := range []string{"Red", "Blue"} {
		c.goes(".actions a[href$='groups/new']")
		c.types("#name", name)
		c.goes(".drawer footer .btn.primary")
		c.awaitText(name)
	}
	into := func(from, group string) {
		c.clicks(from + " a[data-asks]")
		c.await("document.querySelector('dialog[open] select')")
		c.picks("dialog[open] select", group)
		c.goes("dialog[open] button.primary")
		c.awaitText("moved to")
	}
	into(".pool", "Red")
	into(".group li", "Blue")
}

// deletes deletes a task and brings it back.
func (c *convenor) deletes() {
	c.Helper()
	c.goes("nav.tabs a[href$='/settings/tasks']")
	before := eval[int](c.tab, "document.querySelectorAll('.task-table tr[id]').length")
	c.clicks(".task-table tr[id] [popovertarget]")
	c.clicks(".task-table tr[id] [popover] a[data-asks]")
	c.goes("dialog[open] form button")
	c.awaitText("Task deleted:")
	c.goes(".toast button")
	c.awaitText("Task restored.")
	if after := eval[int](c.tab, "document.querySelectorAll('.task-table tr[id]').length"); after != before {
		c.Errorf("there are %d tasks, of %d", after, before)
	}
}

// withdraws withdraws a student and enrols them again.
func (c *convenor) withdraws() {
	c.Helper()
	c.goes("nav.tabs a[href$='/settings/students']")
	c.goes(".student-table tbody button[name=enrolled][value=false]")
	c.await("document.querySelector('.toast button')")
	c.holds(12, 15, 6, 299)
	c.goes(".toast button")
	c.holds(12, 15, 6, 300)
}

// rollsOver copies the unit into the next period after its plan.
func (c *convenor) rollsOver() {
	c.Helper()
	c.visit(c.unit + "/rollover")
	c.goes("main form .btn.primary")
	c.awaitText("Nothing is created yet.")
	c.goes(".apply-bar .btn.primary")
	c.awaitText("Checklist")
	if c.unit == eval[string](c.tab, "location.pathname") {
		c.Error("the rollover leads to the unit that was there")
	}
	c.unit = eval[string](c.tab, "location.pathname")
	c.holds(12, 0, 1, 0) // staff, tutorials and students are those of a term
}

// tutorialSheet has 15 tutorials of six people.
func tutorialSheet() string {
	var b strings.Builder
	b.WriteString("abbreviation,tutorial_stream,activity_type,tutor,meeting_day,meeting_time," +
		"meeting_location,capacity,campus\n")
	tutors := []string{"aconvenor", "atutor", "cliff", "angusmorton", "tutor_1", "tutor_2"}
	for i := range 15 {
		fmt.Fprintf(&b, "Lab%02d,,,%s,Monday,%02d:00,EN %d,20,\n", i+1, tutors[i%len(tutors)], 8+i%9, 100+i)
	}
	return b.String()
}

// taskSheet has 12 tasks, one a week.
func taskSheet() string {
	var b strings.Builder
	b.WriteString("name,abbreviation,description,weighting,target_grade,restrict_status_updates,max_quality_pts," +
		"is_graded," +
		"plagiarism_warn_pct,plagiarism_checks,group_set,upload_requirements,start_week,start_day,target_week,target_day," +
		"due_week,due_day,tutorial_stream\n")
	for i := range 12 {
		fmt.Fprintf(&b, `Task %d,%d.1P,Do it,1,%d,false,0,false,50,[],,"[{""key"":""file0"",""name"":""Report"",`+
			`""type"":""document""}]",%d,Mon,%d,Fri,,,`+"\n", i+1, i+1, i%4, i%10+1, i%10+2)
	}
	return b.String()
}

// studentSheet has 300 students in these tutorials.
func studentSheet() string {
	var b strings.Builder
	b.WriteString("unit_code,campus,username,student_id,preferred_name,first_name,last_name,email,tutorial\n")
	for i := range 300 {
		fmt.Fprintf(&b, "SIT300,,novel_%d,9%05d,,First%d,Last%d,novel_%d@example.edu,Lab%02d\n", i, i, i, i, i, i%15+1)
	}
	return b.String()
}
