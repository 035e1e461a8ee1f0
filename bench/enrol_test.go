package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	_ "modernc.org/sqlite"             // registers the driver

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/api"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// A class is a unit of 1,000 students in 10 tutorials of one stream, with 60
// tasks that one of them has all begun, the service in
// front of it and a plain connection behind.
type class struct {
	testing.TB
	server *api.Server
	db     *db.DB
	plain  *sql.DB
	token  string
}

const (
	classUnit     = 1
	classStudents = 1000
	classProject  = 500
	classTasks    = 60
)

func newClass(b testing.TB, engine string) *class {
	b.Helper()
	addr := dbtest.Address(b, engine)
	d, err := db.Open(addr, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[engine]
	plain, err := sql.Open(driver, addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { plain.Close(); d.Close() })
	c := &class{TB: b, db: d, plain: plain}
	start := time.Now()
	// A benchmark exports more often than one person may: each second counts as an hour.
	allowances := func() time.Time { return start.Add(time.Since(start) * 3600) }
	c.server = api.New(api.Config{Usecases: usecase.New(usecase.Config{DB: d}),
		Config: endpoint.Config{DB: d, Spool: b.TempDir(), Now: allowances,
			HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.DiscardHandler)})}})
	if err := d.Tx(b.Context(), func(q db.Q) error { return c.seed(b.Context(), q) }); err != nil {
		b.Fatal(err)
	}
	return c
}

func (c *class) seed(ctx context.Context, q db.Q) error {
	now, day := q.Now(), clock.Day(q.Now().Time)
	insert := func(into string, n int, row func(i int) []any) {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = row(i + 1)
		}
		if err := db.Insert(ctx, q, into, "", rows); err != nil {
			c.Fatal(err)
		}
	}
	insert("users (id, username, username_key, email, email_key, student_id, first_name, last_name, nickname, role, "+
		"created_at, updated_at)", classStudents+1, func(i int) []any {
		name := fmt.Sprintf("student_%d", i)
		return []any{i, name, name, name + "@example.edu", name + "@example.edu", fmt.Sprint(100000 + i),
			fmt.Sprintf("First%d", i*7919%1000), "Last", "Nick", 1, now, now}
	})
	insert("units (id, code, name, description, start_date, end_date, created_at, updated_at)", 1, func(i int) []any {
		return []any{i, "SIT102", "Unit", "About", day, day, now, now}
	})
	insert("unit_roles (id, unit_id, user_id, role, created_at, updated_at)", 1, func(int) []any {
		return []any{1, classUnit, classStudents + 1, 2, now, now}
	})
	insert("activity_types (id, name, abbreviation)", 1, func(i int) []any { return []any{i, "Practical", "prac"} })
	insert("tutorial_streams (id, unit_id, name, abbreviation, activity_type_id)", 1, func(i int) []any {
		return []any{i, classUnit, "Practical 1", "prac 1", 1}
	})
	insert("tutorials (id, unit_id, unit_role_id, tutorial_stream_id, abbreviation, meeting_day, meeting_time, "+
		"meeting_location)", 10, func(i int) []any {
		return []any{i, classUnit, 1, 1, fmt.Sprint("LA", i), "Monday", "10:00", "Here"}
	})
	insert("projects (id, unit_id, user_id, created_at, updated_at)", classStudents,
		func(i int) []any { return []any{i, classUnit, i, now, now} })
	insert("tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)", classStudents,
		func(i int) []any { return []any{i, i%10 + 1, 1} })
	insert("task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade, start_date, "+
		"target_date, tutorial_stream_id)", classTasks, func(i int) []any {
		return []any{i, classUnit, fmt.Sprint("Task ", i), fmt.Sprint("T", i), "Do it", 4, i % 4, day, day, 1}
	})
	insert("tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at, updated_at)",
		classTasks, func(i int) []any {
			return []any{i, classProject, i, classUnit, "ready_for_feedback", now, now, now}
		})
	var err error
	c.token, err = ident.Start(ctx, q, &ident.User{ID: classStudents + 1, Role: policy.Tutor}, true)
	return err
}

// request is one the unit's tutor makes.
func (c *class) request(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Username", fmt.Sprintf("student_%d", classStudents+1))
	r.Header.Set("Auth_Token", c.token)
	r.Header.Set("Cache-Control", "no-cache") // what is measured is put together
	return r
}

// get asks the service as the unit's tutor.
func (c *class) get(path string) []byte {
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, c.request(path))
	if w.Code != 200 {
		c.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// rows runs a plain query and hands each row to scan.
func (c *class) rows(scan func(*sql.Rows) error, text string, args ...any) {
	rows, err := c.plain.Query(text, args...)
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			c.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		c.Fatal(err)
	}
}

// json encodes as the standard library does.
func (c *class) json(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		c.Fatal(err)
	}
	return b
}

// compare measures served against bare in turns and takes the fastest of each,
// which a busy machine disturbs least. It refuses more than most times the bare
// work. Both must answer as much.
func compare(b *testing.B, most float64, served, bare func() []byte) {
	if s, p := len(served()), len(bare()); s < p {
		b.Fatalf("served %d bytes, but %d bare", s, p)
	}
	for b.Loop() {
		s, p := time.Hour, time.Hour
		for start, i := time.Now(), 0; i < 9 || i < 3000 && time.Since(start) < time.Second; i++ {
			s, p = min(s, took(served)), min(p, took(bare))
		}
		ratio := float64(s) / float64(p)
		b.ReportMetric(float64(s)/1e6, "served-ms")
		b.ReportMetric(float64(p)/1e6, "bare-ms")
		b.ReportMetric(ratio, "times-bare")
		if ratio > most {
			b.Errorf("served in %v, bare in %v: %.1f times", s, p, ratio)
		}
	}
}

func took(f func() []byte) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func eachEngine(b *testing.B, f func(b *testing.B, c *class)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) { f(b, newClass(b, engine)) })
	}
}

func BenchmarkStudents(b *testing.B) {
	eachEngine(b, func(b *testing.B, c *class) {
		compare(b, 3, func() []byte { return c.get(fmt.Sprintf("/api/students?unit_id=%d", classUnit)) }, c.students)
	})
}

// students is the list of students by hand.
func (c *class) students() []byte {
	list := make([]enrol.StudentEntry, 0, classStudents)
	c.rows(func(r *sql.Rows) error {
		var e enrol.StudentEntry
		err := r.Scan(&e.ID, &e.Enrolled, &e.CampusID, &e.TargetGrade, &e.SubmittedGrade, &e.CompilePortfolio,
			&e.PersonID, &e.StudentID, &e.Username,
			&e.Email, &e.FirstName, &e.LastName, &e.Nickname, &e.Grade, &e.GradeRationale, &e.HasPortfolio, &e.Red,
			&e.Grey, &e.Orange, &e.Blue, &e.Green, &e.OrderScale)
		list = append(list, e)
		return err
	}, `SELECT p.id, p.enrolled, p.campus_id, p.target_grade, p.submitted_grade, p.compile_portfolio, s.id,
		s.student_id, s.username,
			s.email, s.first_name, s.last_name, s.nickname, p.grade, p.grade_rationale, p.portfolio_hash IS NOT NULL,
			p.red_pct, p.grey_pct, p.orange_pct, p.blue_pct, p.green_pct, p.order_scale
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled
		ORDER BY s.first_name, s.last_name, p.id`, classUnit)
	held := map[int64][]enrol.StreamEnrolment{}
	c.rows(func(r *sql.Rows) error {
		var project int64
		var s enrol.StreamEnrolment
		err := r.Scan(&project, &s.StreamAbbr, &s.TutorialID)
		held[project] = append(held[project], s)
		return err
	}, `SELECT e.project_id, s.abbreviation, e.tutorial_id FROM projects p
		JOIN tutorial_enrolments e ON e.project_id = p.id
		JOIN tutorial_streams s ON s.id = e.tutorial_stream_id WHERE p.unit_id = $1`, classUnit)
	for i := range list {
		list[i].Enrolments = held[list[i].ID]
	}
	return c.json(list)
}

func BenchmarkProject(b *testing.B) {
	eachEngine(b, func(b *testing.B, c *class) {
		compare(b, 3, func() []byte { return c.get(fmt.Sprintf("/api/projects/%d", classProject)) }, c.project)
	})
}

// project is a project by hand.
func (c *class) project() []byte {
	var out struct {
		enrol.ProjectDetail
		Enrolments []enrol.Enrolment   `json:"tutorial_enrolments"`
		Groups     []enrol.Group       `json:"groups"`
		Tasks      []work.ProjectTask  `json:"tasks"`
		Alignments []taskdef.Alignment `json:"task_outcome_alignments"`
	}
	p, s := &out.ProjectDetail, &enrol.ForStaff{}
	p.ForStaff = s
	c.rows(func(r *sql.Rows) error {
		return r.Scan(&p.ID, &p.CampusID, &p.UserID, &p.TargetGrade, &p.PortfolioAvailable, &p.Enrolled,
			&p.SubmittedGrade, &p.CompilePortfolio,
			&p.UsesDraftLearningSummary, &p.Code, &p.UnitID, &p.UnitName, &p.TeachingPeriodID, &p.StartDate, &p.EndDate,
			&p.Active,
			&s.PersonID, &s.StudentID, &s.Username, &s.Email, &s.FirstName, &s.LastName, &s.Nickname, &s.Grade,
			&s.GradeRationale, &s.HasPortfolio,
			&s.Red, &s.Grey, &s.Orange, &s.Blue, &s.Green, &s.OrderScale)
	}, `SELECT p.id, p.campus_id, p.user_id, p.target_grade, p.portfolio_hash IS NOT NULL, p.enrolled,
		p.submitted_grade, p.compile_portfolio,
			p.uses_draft_learning_summary, u.code, u.id, u.name, u.teaching_period_id, u.start_date, u.end_date,
			u.active,
			s.id, s.student_id, s.username, s.email, s.first_name, s.last_name, s.nickname, p.grade, p.grade_rationale,
			p.portfolio_hash IS NOT NULL,
			p.red_pct, p.grey_pct, p.orange_pct, p.blue_pct, p.green_pct, p.order_scale
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN users s ON s.id = p.user_id WHERE p.id = $1`,
		classProject)
	c.rows(func(r *sql.Rows) error {
		var e enrol.Enrolment
		err := r.Scan(&e.ProjectID, &e.TutorialID)
		out.Enrolments = append(out.Enrolments, e)
		return err
	}, `SELECT project_id, tutorial_id FROM tutorial_enrolments WHERE project_id = $1 ORDER BY id`, classProject)
	c.rows(func(r *sql.Rows) error {
		var g enrol.Group
		err := r.Scan(&g.ID, &g.Name, &g.TutorialID, &g.GroupSetID, &g.CapacityAdjustment, &g.Locked, &g.StudentCount)
		out.Groups = append(out.Groups, g)
		return err
	}, `SELECT g.id, g.name, g.tutorial_id, g.group_set_id, g.capacity_adjustment, g.locked,
			(SELECT count(*) FROM group_memberships m JOIN projects p ON p.id = m.project_id AND p.enrolled
			WHERE m.unit_group_id = g.id AND m.active)
		FROM unit_groups g JOIN group_memberships mine ON mine.unit_group_id = g.id WHERE mine.project_id = $1
		AND mine.active ORDER BY g.id`, classProject)
	c.rows(func(r *sql.Rows) error {
		var t work.ProjectTask
		var deadline *clock.Date
		err := r.Scan(&t.ID, &t.DefinitionID, &t.Status, &t.SubmittedAt, &t.CompletedOn, &t.Extensions,
			&t.TimesAssessed, &t.Grade, &t.Quality,
			&t.InPortfolio, &t.DueDate, &deadline, &t.NewComments)
		out.Tasks = append(out.Tasks, t)
		return err
	}, `SELECT t.id, t.task_definition_id, t.status, t.submission_date, t.completion_date, t.extensions,
			t.times_assessed, t.grade, t.quality_pts, t.include_in_portfolio, d.target_date, d.due_date,
			(SELECT count(*) FROM task_comments c WHERE c.task_id = t.id AND c.type <> 'status'
			AND c.staff_read_at IS NULL
				AND NOT EXISTS (SELECT 1 FROM comment_reads r WHERE r.task_comment_id = c.id AND r.user_id = $2))
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id
		WHERE t.project_id = $1 ORDER BY d.start_date, d.abbreviation`, classProject, classStudents+1)
	c.rows(func(r *sql.Rows) error {
		var a taskdef.Alignment
		err := r.Scan(&a.ID, &a.Description, &a.Rating, &a.OutcomeID, &a.DefinitionID, &a.TaskID)
		out.Alignments = append(out.Alignments, a)
		return err
	}, `SELECT l.id, l.description, l.rating, l.learning_outcome_id, l.task_definition_id, l.task_id
		FROM learning_outcome_links l JOIN tasks t ON t.id = l.task_id WHERE t.project_id = $1 ORDER BY l.id`,
		classProject)
	return c.json(out)
}
