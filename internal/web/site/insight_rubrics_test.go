package site_test

import (
	"fmt"
	"html"
	"maps"
	"regexp"
	"strconv"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const rubricsHere = theInsight + "/rubrics"

func init() {
	maps.Copy(pages, map[string][4]int{"GET " + rubricsHere: {303, 403, 200, 403}})
}

// levelled gives the task of the unit a rubric, and ten students of it levels of the two by two of the staff: five by
// tom, five by cora.
func (w *world) levelled() (definition string) {
	w.Helper()
	definition = w.one(`SELECT min(id) FROM task_definitions`)
	w.exec(`INSERT INTO rubrics (task_definition_id, version, current, used, criteria, points, last_key, user_id, at)
		SELECT $1, 1, TRUE, TRUE, $2, 3, 6, min(id), $3 FROM users`, definition, `[{"id":1,"title":"Design <b>","levels":[`+
		`{"id":2,"name":"Good <b>","text":"","points":2},{"id":3,"name":"Bad","text":"","points":0}]},`+
		`{"id":4,"title":"Tests","levels":[{"id":5,"name":"Many","text":"","points":1},{"id":6,"name":"None","text":"",`+
		`"points":0}]}]`, clock.At(w.db.Now().Time))
	for i := range 10 {
		name, by, levels := fmt.Sprint("lev", i), "tom", "[2,5]"
		if i >= 5 {
			by, levels = "cora", "[3]"
		}
		w.exec(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role, created_at,
			updated_at) VALUES ($1, $1, $1, $1, $1, 'Person', 1, $2, $2)`, name, w.db.Now())
		w.exec(`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT d.unit_id, u.id, $3, $3
			FROM task_definitions d, users u WHERE d.id = $1 AND u.username = $2`, definition, name, w.db.Now())
		w.exec(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at, updated_at)
			SELECT p.id, $1, p.unit_id, 'complete', $3, $3 FROM projects p JOIN users u ON u.id = p.user_id
			WHERE u.username = $2`, definition, name, w.db.Now())
		w.exec(`INSERT INTO rubric_marks (task_id, rubric_id, levels, points, present, user_id, at)
			SELECT max(t.id), max(r.id), $1, NULL, TRUE, max(u.id), $3 FROM tasks t, rubrics r, users u
			WHERE u.username = $2`, levels, by, clock.At(w.db.Now().Add(-time.Duration(i)*48*time.Hour)))
	}
	return definition
}

var levelLink = regexp.MustCompile(`<a class="tnum" href="([^"]+)">(\d+)</a>`)

// follows follows each number of a table and of its legends to as many rows, and tells how many there are in all.
func (a *answer) follows(as *world, chart string) (sum int) {
	a.Helper()
	var found [][3]string
	for _, c := range a.cells(chart) {
		if n, err := strconv.Atoi(c.text); err == nil && n > 0 {
			found = append(found, [3]string{c.head + " of " + c.row, c.href, c.text})
		}
	}
	for _, m := range levelLink.FindAllStringSubmatch(a.Body.String(), -1) {
		found = append(found, [3]string{"a level", html.UnescapeString(m[1]), m[2]})
	}
	for _, f := range found {
		n := as.lists(f[1])
		if strconv.Itoa(n) != f[2] {
			a.Errorf("%s in %s is %s, and %s has %d rows", f[0], chart, f[2], f[1], n)
		}
		sum += n
	}
	return sum
}

// Where points are lost stands behind a tab of its own where a task has a rubric; each number leads to its rows, and
// each chart to its sheet.
func TestInsightByRubric(t *testing.T) {
	each(t, func(w *world) {
		w.convened()
		tom, at := w.as("tom"), w.path(rubricsHere)
		tom.do(w.path(theInsight), nil).status(200).lacks(at)
		tom.do(at, nil).status(200).says("No task of this unit has a rubric.")
		definition := w.levelled()
		tom.do(w.path(theInsight), nil).status(200).says(`href="` + at + `"`)
		for _, query := range []string{"", "?task=" + definition, "?task=4711"} {
			page := tom.do(at+query, nil).status(200).says("Design &lt;b&gt;").says("Good &lt;b&gt;").says("Points lost").
				says("50 %")
			if n := page.follows(tom, "rubrics"); n != 2*15 { // each level once, and each criterion
				t.Errorf("%s leads to %d rows", query, n)
			}
			for _, name := range []string{"rubrics", "rubric-weeks"} {
				tom.do(w.path(theInsight)+"/sheets/"+name+query, nil).status(200)
			}
		}
		page := tom.do(at+"?task="+definition, nil)
		if n := page.follows(tom, "rubric-weeks"); n != 2*15 {
			t.Errorf("weeks lead to %d rows", n)
		}
		sum := 0
		for _, c := range page.cells("heat") {
			if c.href != "" {
				sum += tom.lists(c.href)
			}
		}
		if sum != 15 {
			t.Errorf("the weeks lead to %d rows, not 15", sum)
		}
		tom.do(w.path(rowsHere)+"?of=levels&task="+definition+"&criterion=4711", nil).status(404)
		tom.do(w.path(rowsHere)+"?of=levels&task=4711", nil).status(404)
	})
}

// Only convenors see how the staff mark: of others neither the page, nor rows, nor the sheet tell it.
func TestOnlyConvenorsSeeHowTutorsMark(t *testing.T) {
	each(t, func(w *world) {
		w.convened()
		tom, cora, at, definition := w.as("tom"), w.as("cora"), w.path(rubricsHere), w.levelled()
		rows := w.path(rowsHere) + "?of=levels&task=" + definition
		for _, query := range []string{"", "?task=" + definition} {
			tom.do(at+query, nil).status(200).lacks("Agreement between tutors").lacks("<bdi>cora")
			page := cora.do(at+query, nil).status(200).says("Agreement between tutors").says("from 5 marked tasks on")
			page.follows(cora, "rubric-tutors")
		}
		cora.do(at+"?task="+definition, nil).says("Good &lt;b&gt;: 100 %, others 0 %")
		cora.do(rows, nil).status(200).says(">Tutor<").says("<bdi>cora &lt;b&gt;")
		tom.do(rows, nil).status(200).lacks(">Tutor<").lacks("<bdi>cora &lt;b&gt;")
		for _, whose := range []string{"tutor", "others"} {
			tom.do(rows+"&"+whose+"=1", nil).status(403)
		}
		tom.do(w.path(theInsight)+"/sheets/rubric-tutors", nil).status(403)
		cora.do(w.path(theInsight)+"/sheets/rubric-tutors", nil).status(200)
		w.exec(`DELETE FROM rubric_marks WHERE id = (SELECT max(id) FROM rubric_marks)`)
		cora.do(at, nil).status(200).says("Nobody has marked enough to be compared.")
	})
}
