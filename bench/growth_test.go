package bench

import (
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work"
)

// grow gives every student of a class twenty tasks, each with n comments, n rows
// of history and n events. Of the comments the staff have yet to read a tenth.
func (c *class) grow(n int) {
	c.Helper()
	numbers := fmt.Sprintf(`(WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < %d)
		SELECT n FROM k)`, n)
	for _, text := range []string{
		`DELETE FROM tasks`,
		`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at,
			updated_at)
			SELECT 100 * p.id + d.id, p.id, d.id, p.unit_id, CASE (p.id * 31 + d.id * 17) % 100 WHEN 0 THEN
			'ready_for_feedback' WHEN 1 THEN 'need_help' ELSE 'complete' END, p.created_at, p.created_at, p.created_at
			FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id WHERE d.id <= 20 AND p.id > 800`,
		`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
			SELECT t.id, t.unit_id, t.project_id, 1001, 'text', 'hello', t.created_at,
			CASE WHEN t.id % 10 = 0 THEN NULL ELSE t.created_at END FROM tasks t, ` + numbers,
		`INSERT INTO comment_reads (task_comment_id, user_id, read_at) SELECT id, user_id, created_at
			FROM task_comments`,
		`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status)
			SELECT t.id, t.created_at, 1001, 'need_help', 'complete' FROM tasks t, ` + numbers,
		`INSERT INTO events (kind, at, user_id, unit_id, project_id, task_id, body)
			SELECT 'comment', t.created_at, t.project_id, t.unit_id, t.project_id, t.id, '{}' FROM tasks t, ` + numbers,
		`UPDATE events SET seq = id`,
	} {
		c.exec(text)
	}
	if err := work.CheckNews(c.Context(), c.db); !errors.Is(err, work.ErrNews) {
		c.Fatal(err)
	}
}

// lists are the endpoints of the class that answer with a list, or with a record
// that holds some, whose cost may only follow from what they show.
func (c *class) lists() (paths []string) {
	values := strings.NewReplacer("{unit_id}", "1", "{project_id}", "900", "{task_definition_id}", "5",
		"/units/{id}", "/units/1", "/projects/{id}", "/projects/900", "{id}", "1")
	for _, i := range c.server.Routes() {
		path := values.Replace(i.Path)
		if i.Method != "GET" || strings.Contains(path, "{") || path == "/api/events" {
			continue
		}
		for _, query := range []string{"", "?unit_id=1"} {
			w := httptest.NewRecorder()
			c.server.ServeHTTP(w, c.request(path+query))
			if w.Code == 200 && (strings.HasPrefix(w.Body.String(), "[") || path == "/api/units/1" ||
				path == "/api/projects/900") {
				paths = append(paths, path+query)
				break
			}
		}
	}
	return paths
}

// mustNotGrow may not cost more than half as much again when the comments, the
// history and the events of the unit are ten times as many.
var mustNotGrow = []string{"/api/units/1", "/api/projects/900", "/api/units/1/tasks/inbox", "/api/students?unit_id=1"}

// mostBare is how many times its bare work a list may take.
const mostBare = 3

// TestListCosts asks every list of a unit, and of one where ten times as much was said,
// by turns, and holds each against its bare work. With -update it writes the table in
// docs/performance.md.
func TestListCosts(t *testing.T) {
	if !*update {
		dbtest.Load(t)
	}
	small, large := newClass(t, "sqlite"), newClass(t, "sqlite")
	small.grow(2)
	large.grow(20)
	var table strings.Builder
	table.WriteString("| List | 8,000 comments, ms | 80,000 comments, ms | times | times bare |\n|---|---|---|---|---|\n")
	for _, path := range small.lists() {
		if strings.Contains(path, "/comments") {
			continue // shows the comments themselves
		}
		before, after := turns(func() { small.get(path) }, func() { large.get(path) })
		ratio := float64(after) / float64(before)
		bare := small.timesBare(path)
		fmt.Fprintf(&table, "| `GET %s` | %.2f | %.2f | %.2f | %.2f |\n", path, ms(before), ms(after), ratio, bare)
		if slices.Contains(mustNotGrow, path) && ratio > 1.5 {
			t.Errorf("%s takes %v, and %v when ten times as much was said", path, before, after)
		}
		if bare > mostBare {
			t.Errorf("%s takes %.2f times its bare work", path, bare)
		}
	}
	t.Log("\n" + table.String())
	if *update {
		document(t, "lists", table.String())
	}
}

// timesBare tells how many times its bare work a list takes: the least of three tries
// when it is too many, as a busy machine adds to whoever waits for more than the database.
func (c *class) timesBare(path string) float64 {
	plain, least := c.bareOf(path), math.Inf(1)
	for try := 0; try < 3 && least > mostBare; try++ {
		served, bare := turns(func() { c.get(path) }, plain)
		least = min(least, float64(served)/float64(bare))
	}
	return least
}

// turns gives the medians of two things done by turns.
func turns(a, b func()) (time.Duration, time.Duration) {
	if dbtest.Full() {
		return turnsOf(101, a, b)
	}
	return turnsOf(31, a, b)
}

// turnsOf does so at most as often.
func turnsOf(most int, a, b func()) (time.Duration, time.Duration) {
	var as, bs []time.Duration
	for start := time.Now(); len(as) < 9 || len(as) < most && time.Since(start) < time.Second; {
		for _, x := range []struct {
			f   func()
			all *[]time.Duration
		}{{a, &as}, {b, &bs}} {
			start := time.Now()
			x.f()
			*x.all = append(*x.all, time.Since(start))
		}
	}
	slices.Sort(as)
	slices.Sort(bs)
	return as[len(as)/2], bs[len(bs)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// document puts a table between its marks in docs/performance.md.
func document(t *testing.T, name, table string) {
	t.Helper()
	const path = "../docs/performance.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, begun := strings.Cut(string(b), from)
	_, tail, ended := strings.Cut(rest, to)
	if !begun || !ended {
		t.Fatalf("%s has no place for %s", path, name)
	}
	if err := os.WriteFile(path, []byte(head+from+table+to+tail), 0o600); err != nil {
		t.Fatal(err)
	}
}
