package bench

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

var update = flag.Bool("update", false, "record what is measured")

// cost is what a request takes: statements and allocations, and its time in
// times of the bare work, the same SQL prepared once and run by hand, and the
// encoding of as much.
type cost struct {
	Statements  int64   `json:"statements"`
	Allocations float64 `json:"allocations"`
	TimesBare   float64 `json:"times_bare"`
}

const recorded = "costs.json"

var boundLimit = regexp.MustCompile(`\bLIMIT \$(\d+)`)

// The ten commonest reads and the four commonest writes.
var reads = []string{
	"/api/units", "/api/units/1", "/api/projects?include_inactive=true", "/api/projects/500",
	"/api/students?unit_id=1&limit=100", "/api/units/1/tasks/inbox?limit=30", "/api/units/1/feedback?limit=30",
	"/api/tasks?unit_id=1&user_id=500", "/api/projects/500/task_def_id/1/comments", "/api/users/1001",
}

var writes = map[string]struct {
	request func(c *class, n int) *http.Request
	bare    []string // what must be written at least, with the number as $1
}{
	"POST comment": {func(c *class, n int) *http.Request {
		return c.post("POST", "/api/projects/500/task_def_id/2/comments", fmt.Sprintf(`{"comment":"Number %d"}`, n))
	}, []string{addComment, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT max(id), 1001, '2026-01-01' FROM task_comments WHERE $1 = $1`, addEvent,
		`UPDATE tasks SET new_to_student = new_to_student + 1 WHERE id = 2 AND $1 = $1`}},
	"PUT task": {func(c *class, n int) *http.Request {
		move := []string{"working_on_it", "need_help"}[n%2]
		return c.post("PUT", "/api/projects/500/task_def_id/3", `{"trigger":"`+move+`"}`)
	}, []string{`UPDATE tasks SET status = 'need_help', version = version + 1 WHERE id = 3 AND $1 = $1`,
		`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status)
			SELECT 3, '2026-01-01', 1001, 'need_help', 'need_help' WHERE $1 = $1`, addComment, addEvent,
		`UPDATE projects SET red_pct = 0.1 WHERE id = 500 AND $1 = $1`}},
	"GET comments, one unread": {func(c *class, n int) *http.Request {
		c.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
			VALUES (4, 1, 500, 1001, 'text', 'hello', '2026-01-01T00:00:00.000000Z')`)
		c.exec(`DELETE FROM task_comments WHERE task_id = 4 AND staff_read_at IS NOT NULL`)
		return c.request("/api/projects/500/task_def_id/4/comments")
	}, []string{`SELECT id FROM task_comments WHERE task_id = 4 AND $1 = $1`,
		`INSERT INTO comment_reads (task_comment_id, user_id, read_at)
			SELECT max(id), 1001, '2026-01-01' FROM task_comments WHERE $1 = $1 ON CONFLICT DO NOTHING`,
		`UPDATE tasks SET new_to_staff = 0 WHERE id = 4 AND $1 = $1`}},
	"POST pin": {func(c *class, _ int) *http.Request { return c.post("POST", "/api/tasks/5/pin", `{}`) },
		[]string{`INSERT INTO task_pins (task_id, user_id) SELECT 5, 1001 WHERE $1 = $1 ON CONFLICT DO NOTHING`}},
}

const (
	addComment = `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
		SELECT 2, 1, 1001, 500, 'text', $1, '2026-01-01T00:00:00.000000Z'`
	addEvent = `INSERT INTO events (kind, at, actor_id, user_id, unit_id, project_id, task_id, body)
		SELECT 'comment', '2026-01-01T00:00:00.000000Z', 1001, 500, 1, 500, 2, '{}' WHERE $1 = $1`
)

func (c *class) post(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header = c.request(path).Header
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (c *class) exec(text string, args ...any) {
	c.Helper()
	if _, err := c.plain.Exec(text, args...); err != nil {
		c.Fatalf("%v in %s", err, text)
	}
}

func (c *class) serve(r *http.Request) []byte {
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	if w.Code >= 300 {
		c.Fatalf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// TestCosts compares what requests cost with what is on record. Statements and
// allocations may not grow; the time, measured under LECTERN_TEST_LOAD only, may
// not double. With -update it records them.
func TestCosts(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates, too")
	}
	c := newClass(t, "sqlite")
	c.exec(`PRAGMA synchronous = FULL`)
	timed := os.Getenv("LECTERN_TEST_LOAD") != "" || *update
	got := map[string]cost{}
	for _, path := range reads {
		got["GET "+path] = c.read(path, timed)
	}
	got["GET /api/units/1, kept"] = c.read("/api/units/1", timed, "Cache-Control")
	for name, w := range writes {
		n := 0
		request := func() *http.Request { n++; return w.request(c, n) }
		got[name] = c.cost(request, timed, c.transaction(w.bare))
	}
	if *update {
		save(t, recorded, got)
		document(t, "costs", tabled(got))
		return
	}
	want := load[map[string]cost](t, recorded)
	for name, g := range got {
		w, known := want[name]
		t.Logf("%-50s %3d statements %6.0f allocations %5.2f times bare", name, g.Statements, g.Allocations,
			g.TimesBare)
		if !known || g.Statements > w.Statements || g.Allocations > w.Allocations*1.02+3 ||
			timed && g.TimesBare > 2*max(w.TimesBare, 1) {
			t.Errorf("%s costs %+v, on record is %+v", name, g, w)
		}
	}
}

func tabled(costs map[string]cost) string {
	var b strings.Builder
	b.WriteString("| Request | statements | allocations | times bare |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		c := costs[name]
		fmt.Fprintf(&b, "| `%s` | %d | %.0f | %.2f |\n", name, c.Statements, c.Allocations, c.TimesBare)
	}
	return b.String()
}

// read measures a read, without some of the headers, against its bare work.
func (c *class) read(path string, timed bool, without ...string) cost {
	request := func() *http.Request {
		r := c.request(path)
		for _, name := range without {
			r.Header.Del(name)
		}
		return r
	}
	bare := c.bareOf(path)
	return c.cost(request, timed, func(int) { bare() })
}

// bareOf gives the bare work of a read: the statements that put its answer together, run
// by hand, and the encoding of a value of the same form.
func (c *class) bareOf(path string) func() {
	var calls []call
	ctx, _ := db.Watching(c.Context(), func(text string, args []any) { calls = append(calls, call{text, args}) })
	body := c.serve(c.request(path).WithContext(ctx))
	value := typed(body)
	stmts := make([]*sql.Stmt, len(calls))
	for i, call := range calls {
		var err error
		// As package db does, or SQLite would plan it each time.
		text := boundLimit.ReplaceAllString(call.text, "LIMIT CAST($$$1 AS BIGINT)")
		if stmts[i], err = c.plain.Prepare(text); err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { stmts[i].Close() })
	}
	return func() {
		for i, s := range stmts {
			c.drain(s, calls[i].args)
		}
		c.json(value)
	}
}

func (c *class) drain(s *sql.Stmt, args []any) {
	rows, err := s.Query(args...)
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	cells := make([]any, len(names))
	at := make([]any, len(names))
	for i := range cells {
		at[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			c.Fatal(err)
		}
	}
}

// transaction runs statements, prepared once, and commits them.
func (c *class) transaction(texts []string) func(n int) {
	stmts := make([]*sql.Stmt, len(texts))
	for i, text := range texts {
		var err error
		if stmts[i], err = c.plain.Prepare(text); err != nil {
			c.Fatalf("%v in %s", err, text)
		}
		c.Cleanup(func() { stmts[i].Close() })
	}
	return func(n int) {
		tx, err := c.plain.Begin()
		if err != nil {
			c.Fatal(err)
		}
		for _, s := range stmts {
			if _, err := tx.Stmt(s).Exec(fmt.Sprint("Bare ", n)); err != nil {
				c.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			c.Fatal(err)
		}
	}
}

// cost measures served requests and bare work, in nine rounds by turns.
func (c *class) cost(request func() *http.Request, timed bool, bare func(n int)) cost {
	c.Helper()
	c.serve(request())
	ctx, counter := db.Counting(c.Context(), nil)
	c.serve(request().WithContext(ctx))
	out := cost{Statements: counter.N()}
	out.Allocations = testing.AllocsPerRun(30, func() { c.serve(request()) }) -
		testing.AllocsPerRun(30, func() { request() })
	if !timed {
		return out
	}
	var ratios []float64
	for round := range 9 {
		served, plain := time.Duration(0), time.Duration(0)
		for i := range 20 {
			r := request()
			start := time.Now()
			c.serve(r)
			served += time.Since(start)
			start = time.Now()
			bare(round*20 + i)
			plain += time.Since(start)
		}
		ratios = append(ratios, float64(served)/float64(plain))
	}
	slices.Sort(ratios)
	out.TimesBare = float64(int(ratios[4]*100)) / 100
	return out
}

// typed gives the value of some JSON as Go structs of its form, which encode as
// fast as those of the service.
func typed(body []byte) any {
	var loose any
	if err := json.Unmarshal(body, &loose); err != nil {
		panic(err)
	}
	v := reflect.New(shape(loose))
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(v.Interface()); err != nil {
		panic(err)
	}
	return v.Interface()
}

func shape(loose any) reflect.Type {
	switch v := loose.(type) {
	case map[string]any:
		var fields []reflect.StructField
		for name, member := range v {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", len(fields)), Type: shape(member),
				Tag: reflect.StructTag(`json:"` + name + `"`)})
		}
		return reflect.StructOf(fields)
	case []any:
		if len(v) == 0 {
			return reflect.TypeFor[[]int]()
		}
		return reflect.SliceOf(shape(v[0]))
	case nil:
		return reflect.TypeFor[*json.RawMessage]()
	}
	return reflect.TypeOf(loose)
}

func save(t *testing.T, name string, v any) {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(name, append(b, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load[T any](t *testing.T, name string) (v T) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// raced tells that the race detector slows everything down.
var raced bool
