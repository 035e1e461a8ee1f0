// Package worktest makes units full of students and tasks for tests.
package worktest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// Crowd is a unit and its people: students are 1 to n, and after them come two tutors.
type Crowd struct {
	testing.TB
	*db.DB
	Students, Definitions int64
}

// Unit is the number of the unit.
const Unit = 1

// Walked are the tables that grow, walked from end to end: by name on
// PostgreSQL, by alias on SQLite.
var Walked = regexp.MustCompile(`Seq Scan on (tasks|task_comments|comment_reads|task_pins|tutorial_enrolments)|SCAN (t|tasks|c|task_comments|r|comment_reads|b|task_pins|p|projects|x|e)\b`)

// New makes a unit with students, who all have the same tutor, and
// definitions, each for pass, credit, distinction or high distinction in turn.
func New(t testing.TB, d *db.DB, students, definitions int64) *Crowd {
	t.Helper()
	c := &Crowd{TB: t, DB: d, Students: students, Definitions: definitions}
	today := clock.Day(d.Now().Time)
	c.Set(`INSERT INTO users (id, username, username_key, email, email_key, first_name, last_name, nickname, role,
		created_at, updated_at)`+
		Numbers(students+2)+`SELECT n, 'u' || n, 'u' || n, 'u' || n, 'u' || n, 'U', 'U', 'u', 2, $1, $1 FROM numbers`,
		d.Now())
	c.Set(`INSERT INTO units (id, code, name, description, start_date, end_date, created_at, updated_at)
		VALUES ($1, 'A', 'A', '', $2, $3, $4, $4)`, Unit, today.AddDays(-70), today.AddDays(70), d.Now())
	c.Set(`INSERT INTO unit_roles (id, unit_id, user_id, role, created_at, updated_at)`+Numbers(2)+
		`SELECT n, CAST($1 AS BIGINT), n + $3, 2, $2, $2 FROM numbers`, Unit, d.Now(), students)
	c.Set(`INSERT INTO tutorials (id, unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location)
		VALUES (1, $1, 1, 'T', 'M', '9', 'H')`, Unit)
	c.Set(`INSERT INTO projects (id, unit_id, user_id, target_grade, created_at, updated_at)`+Numbers(students)+
		`SELECT n, CAST($1 AS BIGINT), n, n % 4, $2, $2 FROM numbers`, Unit, d.Now())
	c.Set(`INSERT INTO tutorial_enrolments (project_id, tutorial_id) SELECT id, 1 FROM projects`)
	c.Set(`INSERT INTO task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade,
		start_date, target_date, due_date)`+
		Numbers(definitions)+`SELECT n, CAST($1 AS BIGINT), 'D' || n, 'D' || n, '', 1, n % 4, $2, $3, $4 FROM numbers`,
		Unit, today.AddDays(-60), today.AddDays(7), today.AddDays(28))
	return c
}

// Numbers is a common table of the numbers from 1 to n.
func Numbers(n int64) string {
	return fmt.Sprintf(` WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1
		FROM numbers WHERE n < %d) `, n)
}

// Set runs a statement in a transaction of its own.
func (c *Crowd) Set(text string, args ...any) {
	c.Helper()
	if err := c.Tx(context.Background(), func(q db.Q) error {
		_, err := db.Exec(context.Background(), q, text,
			args...)
		return err
	}); err != nil {
		c.Fatalf("%v in %s", err, text)
	}
}

// Number gives the only value of a query.
func (c *Crowd) Number(text string, args ...any) int64 {
	c.Helper()
	n, err := db.One[int64](context.Background(), c.Pool(), text, args...)
	if err != nil {
		c.Fatalf("%v in %s", err, text)
	}
	return *n
}

// FillInbox gives every student a task for every definition. Of a hundred, two
// are ready for feedback and one needs help; one in three has a comment, of
// which one in twenty is new; the first tutor has pinned ten.
func (c *Crowd) FillInbox() {
	c.Helper()
	c.Set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, created_at, updated_at)
		SELECT p.id, d.id, p.unit_id, CASE (p.id * 31 + d.id * 17) % 100 WHEN 0 THEN 'ready_for_feedback'
		WHEN 1 THEN 'ready_for_feedback'
			WHEN 2 THEN 'need_help' WHEN 3 THEN 'redo' WHEN 4 THEN 'working_on_it' ELSE 'complete' END, $1, $1, $1
		FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`, c.Now())
	c.Set(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
		SELECT t.id, t.unit_id, t.project_id, $1, 'text', 'hello', t.created_at, CASE WHEN t.id % 60 = 0 THEN NULL
		ELSE t.created_at END
		FROM tasks t WHERE t.id % 3 = 0`, c.Students+1)
	c.Set(`INSERT INTO comment_reads (task_comment_id, user_id, read_at) SELECT id, user_id, created_at
		FROM task_comments`)
	c.Set(`INSERT INTO task_pins (task_id, user_id) SELECT id, $1 FROM tasks ORDER BY id LIMIT 10`, c.Students+1)
	if c.Postgres() {
		c.Set(`ANALYZE`)
	}
}

// Statements gives the texts of what f runs.
func (c *Crowd) Statements(f func(ctx context.Context, q db.Q) error) (texts []string) {
	c.Helper()
	ctx, _ := db.Counting(context.Background(), func(text string) { texts = append(texts, text) })
	if err := c.Tx(ctx, func(q db.Q) error { return f(ctx, q) }); err != nil {
		c.Fatal(err)
	}
	return texts
}

// Plans tells how the engine runs what f runs, statement by statement, as Plan does.
func (c *Crowd) Plans(f func(ctx context.Context, q db.Q) error) (texts, plans []string) {
	c.Helper()
	ctx, _ := db.Watching(context.Background(), func(text string, args []any) {
		for i := len(args); i > 0; i-- {
			text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), literal(args[i-1]))
		}
		texts = append(texts, text)
	})
	if err := c.Tx(ctx, func(q db.Q) error { return f(ctx, q) }); err != nil {
		c.Fatal(err)
	}
	for _, text := range texts {
		plans = append(plans, dbtest.Plan(c, c.DB, text))
	}
	return texts, plans
}

func literal(v any) string {
	switch v := v.(type) {
	case string, clock.Time:
		return "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
	default:
		return fmt.Sprint(v)
	}
}

// Plan tells how the engine runs a statement with these numbers as arguments.
// PostgreSQL would rather walk a table of which the unit is the whole: it is
// forbidden to, and would still do it where no index serves.
func (c *Crowd) Plan(text string, args ...int64) string {
	c.Helper()
	for i := len(args); i > 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), fmt.Sprint(args[i-1]))
	}
	return dbtest.Plan(c, c.DB, text)
}
