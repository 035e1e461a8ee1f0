package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
)

// sections gives the list of what is to do by its headings: the abbreviations of the tasks under
// each, and those that are folded under "closed".
func (a *answer) sections() map[string]string {
	a.Helper()
	_, list, _ := strings.Cut(a.Body.String(), `id="todo"`)
	list, _, _ = strings.Cut(list, `</section>`)
	out := map[string]string{}
	name := regexp.MustCompile(`class="title" href="[^"]*"><bdi>(\S+) `)
	for _, part := range regexp.MustCompile(`<h3 class="group">|<details class="closed">\s*<summary>`).Split(list, -1)[1:] {
		head, rest, _ := strings.Cut(part, "<")
		var names []string
		for _, m := range name.FindAllStringSubmatch(rest, -1) {
			names = append(names, m[1])
		}
		out[head] = strings.Join(names, " ")
	}
	return out
}

// Home is what is to do over all units, by what makes it urgent; what is closed is folded and is
// never what is next.
func TestHomeIsWhatIsToDo(t *testing.T) {
	each(t, func(w *world) {
		w.term()
		w.exec(`UPDATE units SET time_zone = 'UTC'`)
		today := clock.Day(w.db.Now().Time)
		w.exec(`DELETE FROM tasks`)
		w.exec(`DELETE FROM task_definitions WHERE abbreviation > 'T09' AND abbreviation LIKE 'T%'`)
		w.exec(`UPDATE task_definitions SET target_grade = 0, target_date = $1, due_date = $1, start_date = $2`,
			today.AddDays(60), today.AddDays(30))
		set := func(abbreviation, st string, target, deadline int) {
			t.Helper()
			w.exec(`UPDATE task_definitions SET start_date = '2020-01-01', target_date = $1, due_date = $2
				WHERE abbreviation = $3`, today.AddDays(target), today.AddDays(deadline), abbreviation)
			w.exec(`INSERT INTO tasks (unit_id, project_id, task_definition_id, status, submission_date, created_at, updated_at)
				SELECT p.unit_id, p.id, d.id, $1, $2, $2, $2 FROM projects p JOIN users u ON u.id = p.user_id
				AND u.username = 'ann' JOIN task_definitions d ON d.unit_id = p.unit_id AND d.abbreviation = $3`, st,
				w.db.Now(), abbreviation)
			if st == "working_on_it" {
				w.exec(`UPDATE tasks SET submission_date = NULL WHERE status = 'working_on_it'`)
			}
		}
		set("T00", "working_on_it", -9, -2)
		set("T01", "working_on_it", -2, 9)
		set("T02", "working_on_it", 0, 9)
		set("T03", "fix_and_resubmit", 40, 50)
		set("T04", "discuss", -30, -20)
		set("T05", "complete", -30, -20)
		set("T06", "ready_for_feedback", 20, 30)
		set("T07", "fix_and_resubmit", -5, 9)
		ann := w.as("ann")
		home := ann.do("/home", nil).status(200)
		want := map[string]string{"Late, still accepted": "T07 T01", "Due today": "T02", "Needs your answer": "T04 T03",
			"1 closed task": "T00"}
		if got := home.sections(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the list is %v, want %v", got, want)
		}
		home.says("Late submissions until").says(`<span class="muted">Next:</span> <bdi>T07`).says("1 of 11 complete").
			says(`#talk">Read feedback<span`).says(`#submit">Submit<span`)
		if late := strings.Count(home.Body.String(), `data-late="Overdue"`); late != 3 {
			t.Errorf("overdue is said of %d tasks, want those that are late and the closed one", late)
		}
		// A comment on what waits wants an answer, and stands beside with its words.
		w.as("tom").do(fmt.Sprintf("/projects/%s/tasks/%s/comments", w.ids()[0],
			w.one(`SELECT id FROM task_definitions WHERE abbreviation = 'T06'`)), url.Values{"comment": {"Which <file>?"}}).status(303)
		home = ann.do("/home", nil).says("Which &lt;file&gt;?").says("#comment-").says("1 new comment").says("Reply<span")
		if got := home.sections()["Needs your answer"]; got != "T04 T06 T03" {
			t.Errorf("to answer are %s", got)
		}
		ann.sound("/home", home)
	})
}

// Where nothing is to do this week, home says what comes next; without tasks it says so.
func TestHomeSaysWhatComesNext(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann := w.as("ann")
		w.dated(40, 50)
		if got := ann.do("/home", nil).status(200).sections()["Coming up"]; got == "" {
			t.Error("nothing comes up")
		}
		w.exec(`UPDATE tasks SET status = 'complete'`)
		w.exec(`DELETE FROM task_definitions WHERE id NOT IN (SELECT task_definition_id FROM tasks)`)
		ann.do("/home", nil).status(200).says("Nothing to do right now.").lacks("Coming up")
	})
}

// What a page calls complete is what the API calls so.
func TestHomeCountsWhatTheAPICounts(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.term()
	ann := w.as("ann")
	var complete, all int
	for _, row := range strings.Split(w.one(`SELECT sum(CASE WHEN t.status = 'complete' THEN 1 ELSE 0 END) || ' ' || count(*)
		FROM projects p JOIN users u ON u.id = p.user_id AND u.username = 'ann'
		JOIN task_definitions d ON d.unit_id = p.unit_id AND d.target_grade <= p.target_grade
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id`), "\n") {
		if _, err := fmt.Sscan(row, &complete, &all); err != nil {
			t.Fatal(err)
		}
	}
	ann.do("/home", nil).status(200).says(fmt.Sprintf("%d of %d complete", complete, all))
}

// The classes of this week stand on home.
func TestHomeHasTheClassesOfThisWeek(t *testing.T) {
	each(t, func(w *world) {
		w.term()
		w.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
			SELECT unit_id, 'LA9', $1, '10:30', 'EN <305>' FROM projects WHERE id = $2`,
			w.db.Now().Weekday().String(), number(w, w.ids()[0]))
		w.exec(`INSERT INTO tutorial_enrolments (project_id, tutorial_id) SELECT $1, max(id) FROM tutorials`, number(w, w.ids()[0]))
		w.as("ann").do("/home", nil).status(200).says("Tutorial LA9").says("10:30").says("EN &lt;305&gt;")
	})
}
