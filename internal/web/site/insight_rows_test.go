package site_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// sofar is how many days ago random units began.
const sofar = 40

// task adds a task to a random unit.
func (k *maker) task(m *model, i int) {
	k.Helper()
	m.grades, m.due = append(m.grades, k.r.IntN(4)), append(m.due, k.r.IntN(sofar+20))
	var stream any // whose tutors mark the task
	if n := k.r.IntN(len(k.streams) + 1); n < len(k.streams) {
		stream = k.streams[n]
	}
	k.definitions = append(k.definitions, k.put(`INSERT INTO task_definitions (unit_id, name, abbreviation, description,
		weighting, target_grade, start_date, target_date, tutorial_stream_id)
		VALUES ($1, $2, $2, '', 1, $3, '2026-01-01', $4, $5)`, k.unit, fmt.Sprint("R", i), m.grades[i],
		m.started.AddDays(m.due[i]), stream))
}

// outcome adds a learning outcome that some of the tasks serve.
func (k *maker) outcome(m *model, i int) {
	k.Helper()
	id := k.put(`INSERT INTO learning_outcomes (unit_id, ilo_number, abbreviation, name, description)
		VALUES ($1, $2, $3, $3, '')`, k.unit, i+1, fmt.Sprint("O", i))
	m.ratings = append(m.ratings, map[int]int{})
	for n, d := range k.definitions {
		if k.r.IntN(2) == 0 {
			m.ratings[i][n] = 1 + k.r.IntN(5)
			k.put(`INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, rating, description)
				VALUES ($1, $2, $3, '')`, d, id, m.ratings[i][n])
		}
	}
}

// days are when a student handed a task in and it was complete, where that is known.
func (k *maker) days(m *model, student, task int) (handed *clock.Time, passed *clock.Date) {
	if k.r.IntN(4) > 0 {
		m.handed[student][task] = k.r.IntN(sofar + 1)
		handed = new(clock.At(m.started.AddDays(m.handed[student][task]).Add(time.Hour)))
	}
	if m.work[student][task] == status.Complete && k.r.IntN(4) > 0 {
		m.passed[student][task] = k.r.IntN(sofar + 1)
		passed = new(m.started.AddDays(m.passed[student][task]))
	}
	return handed, passed
}

// left tells how many of the tasks asked of a class a line of the burndown has left after some days, and of how many.
func (m *model) left(class int, line insight.Line, day int) (left, all int) {
	for student := range m.targets {
		if class >= 0 && !slices.Contains(m.classes[student], class) {
			continue
		}
		for task := range m.grades {
			st, asked := m.at(student, task)
			if !asked {
				continue
			}
			all++
			passed, known := m.passed[student][task]
			if !known {
				passed = sofar // of what is complete: when it was changed last
			}
			handed, known := m.handed[student][task]
			switch {
			case line == insight.Planned && m.due[task] <= day:
			case line == insight.Done && st == status.Complete && passed <= day:
			case line == insight.HandedIn && known && status.ReadyOrComplete.Has(st) && handed <= day:
			case line == insight.HandedIn && !known && st == status.Complete && passed <= day:
			default:
				left++
			}
		}
	}
	return left, all
}

// points are what the students who have any work have towards an outcome, in any order.
func (m *model) points(outcome int) (out []float64) {
	for student := range m.targets {
		sum := 0.0
		for task, st := range m.work[student] {
			sum += float64(m.ratings[outcome][task]) * st.Weight() * grade.Grade(m.grades[task]).Weight()
		}
		if len(m.work[student]) > 0 {
			out = append(out, math.Round(10*sum)/10) // points are tenths
		}
	}
	return out
}

// cell is one of a table of a page.
type cell struct{ row, head, text, href string }

// cells reads a table of a page below its heads.
func (a *answer) cells(chart string) (out []cell) {
	a.Helper()
	doc, err := html.Parse(strings.NewReader(a.Body.String()))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		if attributes(n)["data-chart"] != chart {
			continue
		}
		var heads []cell
		for tr := range n.Descendants() {
			if tr.Data != "tr" {
				continue
			}
			row := cellsOf(tr)
			if heads == nil {
				heads = row
				continue
			}
			for i, c := range row[1:] {
				out = append(out, cell{row[0].text, heads[i+1].text, c.text, c.href})
			}
		}
	}
	return out
}

// cellsOf reads the cells of a row, each with the first address that it leads to.
func cellsOf(tr *html.Node) (out []cell) {
	for c := range tr.ChildNodes() {
		if c.Data != "th" && c.Data != "td" {
			continue
		}
		one := cell{text: strings.TrimSpace(cellText(c))}
		for d := range c.Descendants() {
			if d.Data == "a" && one.href == "" {
				one.href = attributes(d)["href"]
			}
		}
		out = append(out, one)
	}
	return out
}

// lists tells how many rows the list at an address has, and fails unless it says so.
func (w *world) lists(href string) int {
	w.Helper()
	page := w.do(href, nil).status(200)
	doc, err := html.Parse(strings.NewReader(page.Body.String()))
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for tr := range doc.Descendants() {
		if tr.Data != "tr" || tr.Parent.Data != "tbody" {
			continue
		}
		if strings.HasPrefix(attributes(tr.Parent.Parent)["class"], "people") {
			n++
		}
	}
	for _, what := range []string{"task", "student"} {
		if n != 1 {
			what += "s"
		}
		text := fmt.Sprintf("%d %s", n, what)
		if strings.Contains(page.Body.String(), "<span>"+text+"</span>") ||
			strings.Contains(page.Body.String(), "<bdi>"+text+"</bdi>") {
			return n
		}
	}
	w.Errorf("%s has %d rows, and does not say so: %s", href, n, page.Body)
	return n
}

// leadToTheirRows follows each number of a chart: the list it leads to has as many rows. Only 0 leads nowhere.
func (a *answer) leadToTheirRows(tom *world, chart string) {
	a.Helper()
	for _, c := range a.cells(chart) {
		switch {
		case c.text == "" || c.text == "0" && c.href == "":
		case c.href == "":
			a.Errorf("%s of %s in %s leads nowhere", c.head, c.row, chart)
		default:
			if n := tom.lists(c.href); fmt.Sprint(n) != c.text {
				a.Errorf("%s of %s is %s, and %s has %d rows", c.head, c.row, c.text, c.href, n)
			}
		}
	}
}

// targetsAgree compares what students aim for with the model, and of each tutorial with the statistics of the API.
func (w *world) targetsAgree(tom *world, at string, m *model, unit int64) {
	w.Helper()
	api, err := insight.TargetsOf(w.Context(), w.db.Pool(), unit)
	if err != nil {
		w.Fatal(err)
	}
	for class, id := range append([]int64{0}, w.idsOf("tutorials")...) { // 0: all
		query, want := "", map[grade.Grade]int{}
		if id == 0 {
			for _, g := range m.targets {
				want[grade.Grade(g)]++
			}
		} else {
			query = fmt.Sprint("?tutorial=", id)
			for _, c := range api {
				if c.TutorialID != nil && *c.TutorialID == id {
					want[c.Grade] += int(c.Num)
				}
			}
		}
		page := tom.do(at+query, nil).status(200)
		page.leadToTheirRows(tom, "targets")
		shown := page.numbers("targets")
		for _, g := range grade.Targets {
			if got := shown[g.Name()]["Students"]; got != want[g] {
				w.Errorf("%d of class %d aim for %s, not %d: %v", got, class, g.Name(), want[g], shown)
			}
		}
	}
}

// burndownAgrees follows each point of the burndown of everybody, and of a tutorial.
func (w *world) burndownAgrees(tom *world, at string, m *model) {
	w.Helper()
	tutorials := w.idsOf("tutorials")
	for class := -1; class < min(len(tutorials), 1); class++ {
		query := ""
		if class >= 0 {
			query = fmt.Sprint("?tutorial=", tutorials[class])
		}
		for _, c := range tom.do(at+"/progress"+query, nil).status(200).cells("burndown") {
			if c.text == "" || c.head == "At this pace" {
				continue
			}
			u, err := url.Parse(c.href)
			if err != nil {
				w.Fatal(err)
			}
			day, err := clock.ParseDate(u.Query().Get("day"))
			if err != nil {
				w.Fatalf("%s of %s leads to %s: %v", c.head, c.row, c.href, err)
			}
			left, all := m.left(class, insight.Line(u.Query().Get("line")), day.DaysSince(m.started))
			if text := fmt.Sprintf("%.0f %%", 100*float64(left)/float64(all)); text != c.text {
				w.Errorf("%s of %s is %s, not %s", c.head, c.row, c.text, text)
			}
			if n := tom.lists(c.href); n != left {
				w.Errorf("%s of %s leads to %d rows, not %d", c.head, c.row, n, left)
			}
			tom.do(c.href, nil).says("<bdi>" + c.text + " of all work</bdi>")
		}
	}
}

// outcomesAgree compares the points towards outcomes with the model and the statistics of the API, and follows each to
// the students.
func (w *world) outcomesAgree(tom *world, at string, m *model, unit int64) {
	w.Helper()
	api, err := insight.ClassStats(w.Context(), w.db.Pool(), unit)
	if err != nil {
		w.Fatal(err)
	}
	ids := w.idsOf("learning_outcomes")
	shown := map[string]string{}
	for _, c := range tom.do(at+"/progress", nil).status(200).cells("outcomes") {
		shown[c.row+" "+c.head] = c.text
	}
	for i, id := range ids {
		points := m.points(i)
		five := progress.FiveOf(points)
		if api[id] != five {
			w.Errorf("the API has %v for outcome %d, not %v", api[id], i, five)
		}
		name := fmt.Sprintf("O%d O%d ", i, i)
		for head, want := range map[string]float64{"Fewest": five.Min, "30th percentile": five.Lower, "Median": five.Median,
			"80th percentile": five.Upper, "Most": five.Max} {
			if got := shown[name+head]; got != fmt.Sprintf("%.1f", want) {
				w.Errorf("%s%s is %q, not %v", name, head, got, want)
			}
		}
		href := fmt.Sprintf("%s/rows?of=outcome&outcome=%d", at, id)
		if n := tom.lists(href); n != len(points) {
			w.Errorf("%s has %d rows, not %d", href, n, len(points))
		}
		slices.Sort(points)
		for n, c := range tom.do(href, nil).cells("rows") {
			if want := fmt.Sprintf("%.1f", points[n]); c.text != want {
				w.Errorf("row %d of outcome %d has %s, not %s", n, i, c.text, want)
			}
		}
	}
}

// What each tutor marked in each week leads convenors to exactly those marks, and the figures on top to all of them.
func TestTurnaroundLeadsToItsMarks(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		cora, path := w.convenor(), w.path(theInsight)
		now := w.db.Now()
		for i, id := range w.idsOf("tasks") {
			for back := range 3 {
				by := []string{"tom", "cora"}[(i+back)%2]
				at := now.Add(-time.Duration(back*8*24+i*30) * time.Hour)
				w.exec(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed, submitted_at)
					SELECT $1, $2, id, 'ready_for_feedback', 'redo', TRUE, $3 FROM users WHERE username = $4`, id, clock.At(at),
					clock.At(at.Add(-time.Duration(i+1)*time.Hour)), by)
			}
			w.exec(`UPDATE tasks SET assessment_date = $1 WHERE id = $2`, clock.At(now.Time), id)
		}
		page := cora.do(path, nil).status(200)
		sum := 0
		for _, c := range page.cells("heat") {
			if c.href == "" {
				continue
			}
			n := cora.lists(c.href)
			sum += n
			for _, r := range cora.do(c.href, nil).status(200).cells("rows") {
				if r.head == "Tutor" && r.text != c.row {
					t.Errorf("%s has what %s marked", c.href, r.text)
				}
			}
			if n == 0 || w.marks(c.href) != n {
				t.Errorf("%s has %d marks, not %d", c.href, n, w.marks(c.href))
			}
		}
		all, err := db.One[int](t.Context(), w.db.Pool(), `SELECT count(*) FROM task_history WHERE assessed AND at >= $1`,
			clock.At(now.Add(-28*24*time.Hour)))
		if err != nil || sum != *all || sum == 0 {
			t.Errorf("the weeks come to %d marks, not %d: %v", sum, *all, err)
		}
		if n := cora.lists(path + "/rows?of=marks"); n != sum {
			t.Errorf("%d marks in all, not %d", n, sum)
		}
		page.says(fmt.Sprintf("of %d", sum))
		tom := w.as("tom")
		tom.do(path+"/rows?of=marks", nil).status(403)
		tom.do(path, nil).status(200).lacks("of=marks")
		tom.do(path+"/rows?of=outcome&outcome=4711", nil).status(404)
		tom.do(path+"/rows?of=left&line=nonsense&day=never&status=none&page=-3", nil).status(200).says("Tasks of students")
		w.as("ann").do(path+"/rows", nil).status(403)
	})
}

// marks counts what an address of marks asks for.
func (w *world) marks(href string) int {
	w.Helper()
	u, err := url.Parse(href)
	if err != nil {
		w.Fatal(err)
	}
	moment := func(name string) clock.Time {
		t, err := time.Parse(time.RFC3339Nano, u.Query().Get(name))
		if err != nil {
			return clock.At(w.db.Now().Add(time.Hour))
		}
		return clock.At(t)
	}
	tutor, err := strconv.ParseInt(u.Query().Get("tutor"), 10, 64)
	if err != nil {
		w.Fatal(err)
	}
	n, err := db.One[int](w.Context(), w.db.Pool(), `SELECT count(*) FROM task_history WHERE assessed AND at >= $1
		AND at < $2 AND actor_id = $3`, moment("from"), moment("until"), tutor)
	if err != nil {
		w.Fatal(err)
	}
	return *n
}
