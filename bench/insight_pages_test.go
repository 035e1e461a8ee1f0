package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// workMany gives the students that enrolMany enrolled work on every task of the unit, at all statuses, and a history.
func (u *university) workMany() {
	u.Helper()
	texts := []string{
		`UPDATE projects SET target_grade = id % 4, last_active_at = CASE WHEN id % 5 = 0 THEN NULL ELSE created_at END
			WHERE unit_id = 1`,
		`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, submission_date, completion_date, times_assessed,
				assessment_date, created_at, updated_at)
			SELECT p.id, d.id, 1, CASE (p.id * 31 + d.id * 17) % 8 WHEN 0 THEN 'ready_for_feedback' WHEN 1 THEN 'discuss'
				WHEN 2 THEN 'need_help' WHEN 3 THEN 'fix_and_resubmit' WHEN 4 THEN 'working_on_it' ELSE 'complete' END,
				d.target_date || 'T00:00:00.000000Z',
				CASE WHEN (p.id * 31 + d.id * 17) % 8 > 4 THEN d.target_date END, 1 + p.id % 4,
				d.target_date || 'T09:00:00.000000Z', p.created_at, p.created_at
			FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id WHERE p.unit_id = 1
			ON CONFLICT DO NOTHING`,
		`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, assessed, submitted_at)
			SELECT t.id, t.assessment_date, (SELECT min(user_id) FROM unit_roles WHERE unit_id = 1), 'ready_for_feedback',
				t.status, TRUE, t.submission_date FROM tasks t WHERE t.unit_id = 1 AND t.assessment_date IS NOT NULL
				AND t.status IN ('discuss', 'fix_and_resubmit', 'complete')`,
		`ANALYZE`,
	}
	if err := u.db.Tx(u.Context(), func(q db.Q) error {
		for _, text := range texts {
			if _, err := db.Exec(u.Context(), q, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	}); err != nil {
		u.Fatal(err)
	}
}

// The pages of insight show a unit of 2,000 students within 150 ms, on either database.
func TestInsightOfManyStudents(t *testing.T) {
	dbtest.Load(t)
	dbtest.Engines(t, func(t *testing.T, engine string) {
		u := newUniversityOn(t, engine)
		u.enrolMany(2000)
		u.workMany()
		for _, path := range []string{"", "?by=tutorial", "?tutorial=1", "/progress", "/progress?tutorial=1", "/risk",
			"/risk?reason=away&page=3"} {
			var times []time.Duration
			for range 40 {
				start := time.Now()
				u.ask(aConvenor, "/units/{id}/insight"+path)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			p50, p95 := times[len(times)/2], times[len(times)*95/100]
			t.Logf("%s, insight%s of 2,000 students: p50 %v, p95 %v", engine, path, p50, p95)
			if p95 > 150*time.Millisecond {
				t.Errorf("%s: insight%s takes %v", engine, path, p95)
			}
		}
	})
}
