package site_test

import (
	"fmt"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const anOverview = "/units/{id}"

func init() { pages["GET "+anOverview] = [4]int{303, 403, 200, 403} }

// Staff see what needs somebody in a unit, each kind with where to go; convenors also what it
// lacks until it is ready, and by tutor what waits.
func TestTheOverviewOfAUnit(t *testing.T) {
	each(t, func(w *world) {
		ids := w.waiting()
		tom, path := w.as("tom"), w.path(anOverview)
		tom.do(path, nil).status(200).says("3 tasks to mark").says(`href="` + path + `/desk"`).lacks("Checklist").
			lacks("over the feedback target")
		w.exec(`UPDATE units SET feedback_days = 1`)
		w.exec(`UPDATE tasks SET submission_date = $1 WHERE id = $2`, clock.At(w.db.Now().Add(-50*time.Hour)), ids[0])
		tom.do(path, nil).says("1 over the feedback target").lacks("Waiting by tutor")
		for range 2 { // of two versions that failed, the newest counts
			w.exec(`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state) SELECT t.unit_id, t.id, p.user_id,
				$1, 0, 'failed' FROM tasks t JOIN projects p ON p.id = t.project_id WHERE t.id = $2`,
				clock.At(w.db.Now().Add(-time.Hour)), ids[0])
		}
		w.exec(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT task_id, $1, max(id), 100, 0
			FROM submissions GROUP BY task_id`, w.db.Now())
		tom.do(path, nil).says("1 submission has no PDF").says(fmt.Sprintf("/desk?at=%d", ids[0]))
		w.exec(`INSERT INTO assessments (submission_id, status, created_at, updated_at) SELECT max(id), 'failed', $1, $1
			FROM submissions`, w.db.Now())
		w.exec(`UPDATE submissions SET state = 'ready'`)
		tom.do(path, nil).lacks("no PDF").says("1 automated test did not run")
		w.exec(`UPDATE unit_roles SET role = 3`)
		w.exec(`UPDATE users SET role = 3 WHERE username = 'tom'`)
		w.as("tom").do(path, nil).status(200).says("Checklist").says("No files asked for: 2").says("Not done")
		w.exec(`UPDATE tasks SET status = 'complete'`)
		w.exec(`UPDATE assessments SET status = 'done'`)
		w.as("tom").do(path, nil).says("Nothing needs attention right now.")
	})
}
