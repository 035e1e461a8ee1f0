package bench

import (
	"fmt"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// workMany gives the students that enrolMany enrolled the work of a unit halfway through its term: what their target
// grades ask for of the tasks that are due by now, at all statuses, each with its mark in the history.
func (u *university) workMany() {
	u.Helper()
	if err := u.db.Tx(u.Context(), func(q db.Q) error {
		if _, err := db.Exec(u.Context(), q, `UPDATE projects SET target_grade = id % 4,
			last_active_at = CASE WHEN id % 5 = 0 THEN NULL ELSE created_at END WHERE unit_id = 1`); err != nil {
			return err
		}
		due, err := db.All[struct {
			ID  int64      `db:"id"`
			Day clock.Date `db:"target_date"`
		}](u.Context(), q, `SELECT id, target_date FROM task_definitions WHERE unit_id = 1 AND target_date <= $1`,
			clock.Day(q.Now().Time))
		if err != nil {
			return err
		}
		for _, d := range due {
			if err := u.workOn(q, d.ID, d.Day); err != nil {
				return err
			}
		}
		_, err = db.Exec(u.Context(), q, `ANALYZE`)
		return err
	}); err != nil {
		u.Fatal(err)
	}
	u.settle()
}

// settle does what the workers of PostgreSQL do within a minute: an index alone answers what it holds.
func (u *university) settle() {
	u.Helper()
	if !u.db.Postgres() {
		return
	}
	if _, err := db.Exec(u.Context(), u.db.Pool(), `VACUUM ANALYZE`); err != nil {
		u.Fatal(err)
	}
}

// workOn hands a task in for everybody who aims for it and has not begun it, on a day, and marks most of it a day
// later.
func (u *university) workOn(q db.Q, definition int64, day clock.Date) error {
	at, marked := clock.At(day.Time), clock.At(day.AddDays(1).Time)
	_, err := db.Exec(u.Context(), q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date,
			completion_date, times_assessed, assessment_date, created_at, updated_at)
		SELECT p.id, d.id, 1, CASE (p.id * 31 + d.id * 17) % 16 WHEN 0 THEN 'ready_for_feedback' WHEN 1 THEN 'discuss'
			WHEN 2 THEN 'need_help' WHEN 3 THEN 'fix_and_resubmit' WHEN 4 THEN 'working_on_it' WHEN 5 THEN 'redo'
			ELSE 'complete' END, $2, $3, 1 + p.id % 4, $4, $2, $4
		FROM projects p JOIN task_definitions d ON d.id = $1 AND d.target_grade <= p.target_grade
		WHERE p.unit_id = 1 AND p.enrolled ON CONFLICT DO NOTHING`, definition, at, day, marked)
	if err != nil {
		return err
	}
	_, err = db.Exec(u.Context(), q, `INSERT INTO task_history (task_id, task_definition_id, at, actor_id, from_status,
			to_status, assessed, submitted_at)
		SELECT t.id, t.task_definition_id, $2, (SELECT min(user_id) FROM unit_roles WHERE unit_id = 1),
			'ready_for_feedback', t.status, TRUE, $3
		FROM tasks t WHERE t.task_definition_id = $1 AND t.status IN ('discuss', 'fix_and_resubmit', 'redo', 'complete')`,
		definition, marked, at)
	return err
}

// The pages of insight show a unit of 2,000 students within 150 ms, on either database.
func TestInsightOfManyStudents(t *testing.T) {
	dbtest.Load(t)
	const students, most = 2000, 150 * time.Millisecond
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: both at once would slow each other
		u := newUniversityOn(t, engine)
		u.enrolMany(students)
		u.workMany()
		for _, path := range []string{"", "?by=tutorial", "?tutorial=1", "/progress", "/progress?tutorial=1", "/risk",
			"/risk?reason=away&page=3", "/rows?status=complete", "/rows?of=marks", "/rows?of=outcome&outcome=1",
			"/rows?of=left&line=submitted&day=" + clock.Day(time.Now()).AddDays(-7).String()} {
			u.quick(most, aConvenor, "/units/{id}/insight"+path,
				fmt.Sprintf("%s, insight%s of %d students", engine, path, students))
		}
	}
}
