package bench

import (
	"testing"

	"lectern/internal/db/dbtest"
)

func init() {
	behind["/units/{id}/inbox"] = []string{aUnit + "/queue?limit=50", aUnit + "/queue/counts", aUnit}
}

// fillQueue gives every student of the class a task for every definition, all of them
// judged but for the first n by id, spread over the students.
func (c *class) fillQueue(n int) {
	c.Helper()
	c.exec(`DELETE FROM tasks`)
	c.exec(`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at,
		updated_at) SELECT p.id + 1000 * d.id, p.id, d.id, p.unit_id, 'complete', p.created_at, p.created_at, p.created_at
		FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`)
	c.exec(`UPDATE tasks SET status = 'ready_for_feedback'
		WHERE id IN (SELECT id FROM tasks ORDER BY id LIMIT $1)`, n)
	c.exec(`ANALYZE`)
}

// queuePages are pages of thirty rows of the queue, or what stands beside them.
var queuePages = []string{"/api/units/1/queue?limit=30", "/api/units/1/queue?limit=30&mine=true",
	"/api/units/1/queue?limit=30&tutorial_id=3", "/api/units/1/queue?limit=30&sort=task",
	"/api/units/1/queue?limit=30&sort=student", "/api/units/1/queue?limit=30&text=first77",
	"/api/units/1/queue/counts", "/api/units/1/tasks/inbox?limit=30"}

// TestTheQueueCostsByItsPage asks a unit of a thousand students where three thousand
// tasks wait, and one where thirty do, by turns for a page of rows: the inbox should take
// at most half as long again, and the test fails from twice on, as a busy machine adds to
// it. The others are told.
func TestTheQueueCostsByItsPage(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		small, large := newClass(t, engine), newClass(t, engine)
		small.fillQueue(30)
		large.fillQueue(3000)
		for i, path := range queuePages {
			few, many := turns(func() { small.get(path) }, func() { large.get(path) })
			ratio := float64(many) / float64(few)
			t.Logf("%s %s: %.2f ms of 30, %.2f ms of 3,000, %.2f times", engine, path, ms(few), ms(many), ratio)
			if i == 0 && ratio > 2 {
				t.Errorf("%s %s takes %.2f times as long where 3,000 wait", engine, path, ratio)
			}
		}
	}
}
