package site_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/status"
)

const (
	theInsight = "/units/{id}/insight"
	atRiskHere = theInsight + "/risk"
	rowsHere   = theInsight + "/rows"
)

func init() {
	maps.Copy(pages, map[string][4]int{
		"GET " + theInsight:                    {303, 403, 200, 403},
		"GET " + theInsight + "/progress":      {303, 403, 200, 403},
		"GET " + rowsHere:                      {303, 403, 200, 403},
		"GET " + theInsight + "/sheets/{name}": {303, 403, 200, 403},
		"GET " + atRiskHere:                    {303, 403, 200, 403},
		"POST " + atRiskHere:                   {401, 403, 403, 403}, // a tutor sets no thresholds
	})
}

// Convenors see everything; a tutor sees how the students stand, but not how soon a colleague marks.
func TestInsightOfAUnit(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom, path := w.as("tom"), w.path(theInsight)
		desk := tom.do(fmt.Sprintf("%s?at=%d", w.path(aDesk), ids[0]), nil)
		tom.do(w.onTask(ids[0], "verdict"), desk.marks("redo", "Again.")).status(303)
		tom.do(path, nil).status(200).says("Where students are").says("Students at risk").lacks("Median days to feedback").
			lacks("heat-table")
		tom.do(path+"/sheets/turnaround", nil).status(403)
		tom.do(path+"/sheets/nothing", nil).status(404)
		cora := w.convenor()
		cora.do(path, nil).status(200).says("Median days to feedback").says(`<bdi>tom &lt;b&gt;Person&lt;/b&gt;</bdi>`).
			says(path + "/sheets/turnaround").says("1 to fix" /* never by colour alone */)
		for _, name := range insight.Tables {
			if got := cora.do(path+"/sheets/"+name, nil).status(200).Header().Get("Content-Type"); !strings.HasPrefix(got,
				"text/csv") {
				t.Errorf("%s is %s", name, got)
			}
		}
		cora.do(path+"/progress", nil).status(200).says("Work left").says(`class="chart">`).says("Show as table")
		cora.do(path+"?tutorial=4711&by=nonsense", nil).status(200).lacks("All tutorials") // it has none
		w.exec(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time, meeting_location)
			SELECT max(id), 'LA1', 'Monday', '10:00', 'Room' FROM units`)
		cora.do(path+"?tutorial=4711&by=nonsense", nil).status(200).says("All tutorials").says("LA1")
		w.as("ann").do(path, nil).status(403)
	})
}

// Thresholds are shown to all staff and changed by convenors; what a colleague changed meanwhile is told.
func TestThresholdsOfRiskOnAPage(t *testing.T) {
	each(t, func(w *world) {
		cora, path := w.convened(), w.path(atRiskHere)
		w.as("tom").do(path, nil).status(200).says("3 overdue tasks or more").says("Behind plan by 20 % of all work").
			says("Away 14 days or more").says("3 failed tries or more").lacks("Change thresholds")
		form := cora.open(path).editing("unit[risk_away_days]")
		bad := maps.Clone(form)
		bad.Set("unit[risk_away_days]", "soon")
		cora.do(path, bad).status(422).says("Must be a whole number").says(`value="soon"`)
		bad.Set("unit[risk_away_days]", "999")
		cora.do(path, bad).status(400).says("from 1 to 365").says("Check the marked fields").lacks("risk_away_days must")
		w.exec(`UPDATE units SET risk_away_days = 9, risk_failed_tries = 5`)
		form.Set("unit[risk_away_days]", "21")
		cora.do(path, form).status(409).says("it is 9").says(`value="21"`)
		form = cora.open(path).editing("unit[risk_away_days]")
		form.Set("unit[risk_away_days]", "21")
		form.Set("unit[risk_overdue_tasks]", "")
		cora.do(path, form).leadsTo(path)
		cora.open(path).sees("Away 21 days or more").sees("5 failed tries or more")
		cora.last.lacks("overdue tasks or more")
	})
}

// A convenor finds who falls behind, and writes to those who are ticked, or to all of them; a tutor is led to the
// student, and sees nobody of another's tutorials.
func TestFromRiskToTheStudents(t *testing.T) {
	each(t, func(w *world) {
		cora, path := w.convened(), w.path(atRiskHere)
		w.exec(`UPDATE tasks SET status = 'working_on_it'`)
		w.exec(`UPDATE projects SET created_at = $1`, clock.At(w.db.Now().Add(-30*24*time.Hour)))
		bea := w.one(`SELECT p.id FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username = 'bea'`)
		cora.open(path).sees("2 students at risk").sees("Away 30 days").sees(`/students/` + bea + `"`)
		cora.does(act{form: "/announcements/new", words: "", tick: []string{"bea"}}).sees("New announcement").
			sees(`id="s` + bea + `"`)
		cora.open(path).does(act{form: "/announcements/new", words: "Write to all 2 students"}).sees("New announcement").
			sees("ann &lt;b&gt;").sees("bea &lt;b&gt;")
		cora.open(path + "?reason=overdue").sees("No student matches.")
		w.as("tom").do(path, nil).status(200).says("Nobody is at risk.").lacks("announcements/new")
	})
}

// model is a random unit as it was made.
type model struct {
	grades  []int                   // of the tasks
	targets []int                   // of the students
	classes [][]int                 // of each student, the places of the tutorials
	work    []map[int]status.Status // of each student, by task; those nobody began are not there
	started clock.Date              // the unit
	due     []int                   // of the tasks, in days since
	handed  []map[int]int           // of each student, by task, when it was handed in
	passed  []map[int]int           // and when it was complete
	ratings []map[int]int           // of each outcome, how much the tasks serve it
}

// maker puts rows into the database of a random unit.
type maker struct {
	*world
	ctx                             context.Context
	q                               db.Q
	r                               *rand.Rand
	unit                            int64
	streams, tutorials, definitions []int64 // a tutorial is in the stream at its place
}

func (k *maker) put(text string, args ...any) int64 {
	k.Helper()
	id, err := db.One[int64](k.ctx, k.q, text+` RETURNING id`, args...)
	if err != nil {
		k.Fatalf("%s: %v", text, err)
	}
	return *id
}

// randomUnit fills the unit with students, tutorials, tasks and work, some of it by students who do not aim for it.
func (w *world) randomUnit(r *rand.Rand, unit int64) (m model) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, table := range []string{"tasks", "tutorial_enrolments", "tutorials", "task_definitions", "tutorial_streams",
			"activity_types", "projects", "learning_outcomes", "users WHERE username LIKE 'random%'"} {
			if _, err := db.Exec(ctx, q, `DELETE FROM `+table); err != nil {
				return err
			}
		}
		k := &maker{world: w, ctx: ctx, q: q, r: r, unit: unit}
		k.classes()
		m.started = clock.Day(q.Now().Time).AddDays(-sofar)
		if _, err := db.Exec(ctx, q, `UPDATE units SET start_date = $1, end_date = $2 WHERE id = $3`, m.started,
			m.started.AddDays(sofar+30), unit); err != nil {
			return err
		}
		for i := range r.IntN(5) {
			k.task(&m, i)
		}
		for i := range r.IntN(3) {
			k.outcome(&m, i)
		}
		for i := range r.IntN(12) {
			k.student(&m, i)
		}
		return stats.Recompute(ctx, q, unit)
	})
	return m
}

// classes adds tutorials, each in a stream of its own, so that students may be in several.
func (k *maker) classes() {
	k.Helper()
	kind := k.put(`INSERT INTO activity_types (name, abbreviation) VALUES ('Random', 'rnd')`)
	for i := range k.r.IntN(4) {
		k.streams = append(k.streams, k.put(`INSERT INTO tutorial_streams (unit_id, name, abbreviation, activity_type_id)
			VALUES ($1, $2, $2, $3)`, k.unit, fmt.Sprint("S", i), kind))
		k.tutorials = append(k.tutorials, k.put(`INSERT INTO tutorials (unit_id, abbreviation, meeting_day, meeting_time,
			meeting_location, tutorial_stream_id) VALUES ($1, $2, 'Monday', '9:00', 'X', $3)`, k.unit, fmt.Sprint("T", i),
			k.streams[i]))
	}
}

// student adds a student with their tutorials and their work.
func (k *maker) student(m *model, i int) {
	k.Helper()
	user := k.put(`INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role, created_at,
		updated_at) VALUES ($1, $1, $1, $1, 'R', 'R', 1, $2, $2)`, fmt.Sprint("random", i), k.q.Now())
	m.targets, m.work, m.classes = append(m.targets, k.r.IntN(4)), append(m.work, map[int]status.Status{}),
		append(m.classes, nil)
	m.handed, m.passed = append(m.handed, map[int]int{}), append(m.passed, map[int]int{})
	project := k.put(`INSERT INTO projects (unit_id, user_id, target_grade, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $4)`, k.unit, user, m.targets[i], k.q.Now())
	for n, t := range k.tutorials {
		if k.r.IntN(2) == 0 {
			m.classes[i] = append(m.classes[i], n)
			k.put(`INSERT INTO tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id) VALUES ($1, $2, $3)`, project, t,
				k.streams[n])
		}
	}
	for n, d := range k.definitions {
		if k.r.IntN(3) == 0 {
			continue
		}
		m.work[i][n] = status.All[k.r.IntN(len(status.All))]
		handed, passed := k.days(m, i, n)
		k.put(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, completion_date,
			created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`, project, d, k.unit, m.work[i][n], handed, passed,
			k.q.Now())
	}
}

// at is where a student stands with a task, and whether they aim for it.
func (m *model) at(student, task int) (status.Status, bool) {
	st, begun := m.work[student][task]
	if !begun {
		st = status.NotStarted
	}
	return st, m.grades[task] <= m.targets[student]
}

// numbers reads the whole numbers of a table of a page: the cells below the heads, by the first of their row.
func (a *answer) numbers(chart string) map[string]map[string]int {
	a.Helper()
	out := map[string]map[string]int{}
	for _, c := range a.cells(chart) {
		if out[c.row] == nil {
			out[c.row] = map[string]int{}
		}
		if n, err := strconv.Atoi(c.text); err == nil {
			out[c.row][c.head] = n
		}
	}
	return out
}

func cellText(n *html.Node) (text string) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text += d.Data
		}
	}
	return text
}

// On random units the charts agree with the statistics of the API to the last count, and both with what was put in; and
// what pages count by status comes to the five shares of the specification, where Discuss and Demonstrate are green and
// Need Help is orange.
func TestChartsAgreeWithTheStatistics(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		tom, at := w.as("tom"), w.path(theInsight)
		unit, err := strconv.ParseInt(w.one(`SELECT max(id) FROM units`), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(8) {
			m := w.randomUnit(rand.New(rand.NewPCG(seed, 33)), unit)
			w.statusesAgree(tom, at, &m, unit)
			w.sharesAgree(&m, unit)
			w.targetsAgree(tom, at, &m, unit)
			w.burndownAgrees(tom, at, &m)
			w.outcomesAgree(tom, at, &m, unit)
			if w.Failed() {
				w.Fatalf("with seed %d: %+v", seed, m)
			}
		}
	})
}

// idsOf lists the ids of a table in the order in which they were made.
func (w *world) idsOf(table string) []int64 {
	w.Helper()
	ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM `+table+` ORDER BY id`)
	if err != nil {
		w.Fatal(err)
	}
	return ids
}

// statusesAgree compares the counts by task, for all and for each tutorial, and by tutorial.
func (w *world) statusesAgree(tom *world, at string, m *model, unit int64) {
	w.Helper()
	api, err := insight.StatusesOf(w.Context(), w.db.Pool(), unit)
	if err != nil {
		w.Fatal(err)
	}
	definitions, tutorials := w.idsOf("task_definitions"), w.idsOf("tutorials")
	for class := -1; class < len(tutorials); class++ { // -1: all
		query := ""
		if class >= 0 {
			query = fmt.Sprint("?tutorial=", tutorials[class])
		}
		page := tom.do(at+query, nil).status(200)
		shown := page.numbers("statuses")
		page.leadToTheirRows(tom, "statuses")
		for task := range m.grades {
			aiming, all := m.count(task, class)
			for _, st := range status.All {
				if got := shown[fmt.Sprintf("R%d R%d", task, task)][word(st)]; int64(got) != aiming[st] {
					w.Errorf("task %d%s: %d at %s, not %d", task, query, got, st, aiming[st])
				}
			}
			if class < 0 {
				continue
			}
			for _, c := range api[definitions[task]][tutorials[class]] {
				if c.Num != all[c.Status] {
					w.Errorf("the API has %d of task %d at %s, not %d", c.Num, task, c.Status, all[c.Status])
				}
				delete(all, c.Status)
			}
			if len(all) > 0 {
				w.Errorf("the API has nothing of %v", all)
			}
		}
	}
	w.tutorialsAgree(tom, at, m, len(tutorials))
}

// count tells how many students of a tutorial, or of all, stand where with a task: of those who aim for it, and of
// whoever has done something, as the API counts.
func (m *model) count(task, class int) (aiming, all map[status.Status]int64) {
	aiming, all = map[status.Status]int64{}, map[status.Status]int64{}
	for student := range m.targets {
		if class >= 0 && !slices.Contains(m.classes[student], class) {
			continue
		}
		st, asked := m.at(student, task)
		if asked {
			aiming[st]++
		}
		if asked || st != status.NotStarted {
			all[st]++
		}
	}
	return aiming, all
}

func (w *world) tutorialsAgree(tom *world, at string, m *model, tutorials int) {
	w.Helper()
	page := tom.do(at+"?by=tutorial", nil).status(200)
	shown := page.numbers("statuses")
	page.leadToTheirRows(tom, "statuses")
	for class := -1; class < tutorials; class++ { // -1: without one
		name, want := "No tutorial", map[status.Status]int{}
		if class >= 0 {
			name = fmt.Sprint("T", class)
		}
		for student := range m.targets {
			if class < 0 && len(m.classes[student]) > 0 || class >= 0 && !slices.Contains(m.classes[student], class) {
				continue
			}
			for task := range m.grades {
				if st, asked := m.at(student, task); asked {
					want[st]++
				}
			}
		}
		for _, st := range status.All {
			if got := shown[name][word(st)]; got != want[st] {
				w.Errorf("%s: %d at %s, not %d", name, got, st, want[st])
			}
		}
	}
}

// word is a status as pages say it.
func word(st status.Status) string {
	name := st.Name()
	return name[:1] + strings.ToLower(name[1:])
}

// sharesAgree counts by status what each student aims for, and puts the colours of the specification in.
func (w *world) sharesAgree(m *model, unit int64) {
	w.Helper()
	is, err := stats.Of(w.Context(), w.db.Pool(), unit)
	if err != nil {
		w.Fatal(err)
	}
	for student, id := range w.idsOf("projects") {
		counts, total := map[status.Status]int{}, 0
		green, orange := 0, 0
		for task := range m.grades {
			st, asked := m.at(student, task)
			if !asked {
				continue
			}
			total++
			counts[st]++
			switch st {
			case status.Complete, status.Discuss, status.Demonstrate:
				green++
			case status.NeedHelp, status.FixAndResubmit, status.Redo:
				orange++
			}
		}
		if want := progress.Of(counts, total); is[id] != want {
			w.Errorf("student %d: %v, not %v", student, is[id], want)
		}
		if total > 0 && (off(is[id].Green, green, total) || off(is[id].Orange, orange, total)) {
			w.Errorf("student %d: %d green and %d orange of %d, but %v", student, green, orange, total, is[id])
		}
	}
}

// off tells whether a share is not that of a number of a total, to a hundredth.
func off(share float64, n, total int) bool {
	d := share - float64(n)/float64(total)
	return d > 0.0101 || d < -0.0101
}
