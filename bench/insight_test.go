package bench

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// fillProgress spreads the tasks of the class over the statuses and its students
// over the target grades, and aligns every definition with two of 6 outcomes.
func (c *class) fillProgress() {
	c.Helper()
	c.fillTasks()
	for _, text := range []string{
		`UPDATE projects SET target_grade = id % 4, grade = id % 100, grade_rationale = 'as shown'`,
		`UPDATE tasks SET status = CASE (project_id * 31 + task_definition_id * 17) % 8
			WHEN 0 THEN 'ready_for_feedback' WHEN 1 THEN 'discuss'
			WHEN 2 THEN 'need_help' WHEN 3 THEN 'fix_and_resubmit' WHEN 4 THEN 'working_on_it'
			WHEN 5 THEN 'not_started' ELSE 'complete' END`,
		`INSERT INTO learning_outcomes (id, unit_id, ilo_number, abbreviation, name, description)
			WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6)
			SELECT n, u.id, n, 'ILO' || n, 'Outcome', 'Text' FROM numbers JOIN units u ON u.id = 1`,
		`INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, rating, description)
			SELECT d.id, o.id, 1 + d.id % 5, '' FROM task_definitions d
			JOIN learning_outcomes o ON o.id = 1 + d.id % 6 OR o.id = 1 + (d.id + 2) % 6`,
		`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed)
			SELECT id, created_at, 1001, 'discuss', 'complete', TRUE FROM tasks WHERE status = 'complete'`,
		`ANALYZE`,
		// The service's connections read the figures of ANALYZE when the schema changes, as after a migration.
		`CREATE TABLE analysed (id BIGINT)`, `DROP TABLE analysed`,
	} {
		if _, err := c.plain.Exec(text); err != nil {
			c.Fatalf("%v in %s", err, text)
		}
	}
}

// call is a statement with its arguments.
type call struct {
	text string
	args []any
}

// statements gives the reads of a request, but for those that find the caller and
// their standing, which read the session, and what an export writes to the audit log.
func (c *class) statements(path string) (calls []call) {
	r := c.request(path)
	ctx, _ := db.Watching(r.Context(), func(text string, args []any) { calls = append(calls, call{text, args}) })
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r.WithContext(ctx))
	if w.Code != http.StatusOK {
		c.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	calls = slices.DeleteFunc(calls, func(s call) bool {
		text := strings.TrimSpace(s.text)
		read := strings.HasPrefix(text, "SELECT") || strings.HasPrefix(text, "WITH")
		return !read || strings.Contains(text, " sessions z ")
	})
	if len(calls) == 0 {
		c.Fatalf("%s: nothing was read but the caller", path)
	}
	return calls
}

// bare runs statements and reads their rows, with nothing of ours around.
func (c *class) bare(calls []call) []byte {
	for _, s := range calls {
		var into []any
		c.rows(func(r *sql.Rows) error {
			if into == nil {
				columns, err := r.Columns()
				if err != nil {
					return err
				}
				for range columns {
					into = append(into, new(any))
				}
			}
			return r.Scan(into...)
		}, s.text, s.args...)
	}
	return nil
}

func BenchmarkStatistics(b *testing.B) {
	eachEngine(b, func(b *testing.B, c *class) {
		c.fillProgress()
		for _, path := range []string{
			"/api/units/1/stats/task_completion_stats", "/api/units/1/stats/task_status_pct",
			"/api/units/1/stats/student_target_grade",
			"/api/units/1/learning_alignments/class_stats", "/api/units/1/learning_alignments/class_details",
			"/api/units/1/grades", "/api/csv/units/1/tutor_assessments", "/api/csv/units/1/task_completion",
		} {
			b.Run(path[strings.LastIndex(path, "/")+1:], func(b *testing.B) {
				reads := c.statements(path)
				compare(b, 3, func() []byte { return c.get(path) }, func() []byte { return c.bare(reads) })
			})
		}
	})
}

// BenchmarkFeed polls the calendar of a student in 8 units of 12 tasks each: the
// whole feed, and one that has not changed.
func BenchmarkFeed(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			c := newClass(b, engine)
			c.fillFeed()
			w := c.poll("")
			b.Run("whole", func(b *testing.B) { c.within(5*time.Millisecond, b, "", http.StatusOK) })
			b.Run("unchanged", func(b *testing.B) {
				c.within(5*time.Millisecond, b, w.Header().Get("ETag"),
					http.StatusNotModified)
			})
		})
	}
}

func (c *class) fillFeed() {
	c.Helper()
	units := `WITH RECURSIVE numbers(n) AS (SELECT 11 UNION ALL SELECT n + 1 FROM numbers WHERE n < 18) `
	tasks := `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12) `
	for _, text := range []string{
		`UPDATE projects SET enrolled = FALSE WHERE user_id = 1`,
		`INSERT INTO units (id, code, name, description, start_date, end_date, created_at, updated_at) ` + units +
			`SELECT n, 'SIT' || n, 'Unit', '', u.start_date, u.end_date, u.created_at, u.created_at FROM numbers
				JOIN units u ON u.id = 1`,
		`INSERT INTO projects (id, unit_id, user_id, target_grade, created_at, updated_at) SELECT 5000 + id, id, 1, 3,
			created_at, created_at FROM units WHERE id > 10`,
		`INSERT INTO task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade,
			start_date, target_date) ` + tasks +
			`SELECT 1000 * u.id + n, u.id, 'An exercise with a longer name, number ' || n, n || '.1P', '', 1, 0,
				u.start_date, u.start_date
			FROM numbers JOIN units u ON u.id > 10`,
		`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, status, extensions, created_at, updated_at)
			SELECT 1000000 + id, 5000 + unit_id, id, unit_id, 'complete', id % 2, u.created_at, u.created_at
			FROM (SELECT d.id, d.unit_id, u.created_at FROM task_definitions d JOIN units u ON u.id = d.unit_id
			WHERE d.unit_id > 10) u`,
		`INSERT INTO webcals (user_id, guid, guid_hash, include_start_dates, reminder_time, reminder_unit, updated_at)
			SELECT 1, 'secret', '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b', TRUE, 2, 'd',
			created_at FROM units WHERE id = 1`,
		`ANALYZE`,
	} {
		if _, err := c.plain.Exec(text); err != nil {
			c.Fatalf("%v in %s", err, text)
		}
	}
}

// poll asks for the feed as a calendar program does.
func (c *class) poll(tag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/api/webcal/secret", nil).WithContext(context.Background())
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	return w
}

// polls is how many are measured at a time: calendars poll a service that runs,
// not one that has just started.
const polls = 50

// within fails where the median poll takes longer than most.
func (c *class) within(most time.Duration, b *testing.B, tag string, status int) {
	var times []time.Duration
	for b.Loop() {
		for range polls {
			start := time.Now()
			w := c.poll(tag)
			times = append(times, time.Since(start))
			if w.Code != status {
				b.Fatalf("got %d: %s", w.Code, w.Body)
			}
			b.ReportMetric(float64(strings.Count(w.Body.String(), "BEGIN:VEVENT")), "events")
		}
	}
	slices.Sort(times)
	if times[0] > most { // the fastest, which a busy machine disturbs least
		b.Errorf("no poll took less than %v, more than %v", times[0], most)
	}
	b.ReportMetric(float64(times[len(times)/2])/1e6, "median-ms")
}
