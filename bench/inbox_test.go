package bench

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/work"
)

// fillTasks gives every student of the class 60 tasks: of a hundred, three wait
// for feedback; one in three has a comment, of which one in twenty is new.
func (c *class) fillTasks() {
	c.Helper()
	for _, text := range []string{
		`DELETE FROM tasks`,
		`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, status, submission_date, created_at,
			updated_at)
			SELECT 100 * p.id + d.id, p.id, d.id, p.unit_id, CASE (p.id * 31 + d.id * 17) % 100
			WHEN 0 THEN 'ready_for_feedback' WHEN 1 THEN 'ready_for_feedback'
				WHEN 2 THEN 'need_help' ELSE 'complete' END, p.created_at, p.created_at, p.created_at
			FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id`,
		`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at, staff_read_at)
			SELECT t.id, t.unit_id, t.project_id, t.project_id, 'text', 'hello', t.created_at,
			CASE WHEN t.id % 60 = 0 THEN NULL ELSE t.created_at END
			FROM tasks t WHERE t.id % 3 = 0`,
		`INSERT INTO comment_reads (task_comment_id, user_id, read_at) SELECT id, user_id, created_at
			FROM task_comments`,
		`ANALYZE`,
	} {
		if _, err := c.plain.Exec(text); err != nil {
			c.Fatal(err)
		}
	}
	if err := work.CheckNews(c.Context(), c.db); !errors.Is(err, work.ErrNews) {
		c.Fatal(err)
	}
}

func BenchmarkInbox(b *testing.B) {
	eachEngine(b, func(b *testing.B, c *class) {
		c.fillTasks()
		compare(b, 3, func() []byte { return c.get(fmt.Sprintf("/api/units/%d/tasks/inbox", classUnit)) }, c.inbox)
	})
}

// inbox is the inbox by hand: the rows that wait and those with new comments,
// read and encoded.
func (c *class) inbox() []byte {
	list := []queue.InboxTask{}
	c.rows(func(r *sql.Rows) error {
		t := queue.InboxTask{Members: queue.Members{}} // nobody works in groups here
		err := r.Scan(&t.ID, &t.ProjectID, &t.DefinitionID, &t.TutorialID, &t.Status, &t.CompletedOn, &t.SubmittedAt,
			&t.TimesAssessed,
			&t.Grade, &t.Quality, &t.NewComments, &t.Pinned, &t.HasExtensions)
		list = append(list, t)
		return err
	}, `SELECT t.id, t.project_id, t.task_definition_id, e.tutorial_id, t.status, t.completion_date, t.submission_date,
		t.times_assessed,
			t.grade, t.quality_pts, coalesce(n.new, 0), 0, (SELECT count(*) FROM task_comments x
			WHERE x.task_id = t.id AND x.type = 'extension'
				AND x.extension_assessed_at IS NULL)
		FROM (SELECT id FROM tasks WHERE unit_id = $1 AND status IN ('ready_for_feedback', 'need_help')
			UNION SELECT c.task_id FROM task_comments c WHERE c.unit_id = $1 AND c.staff_read_at IS NULL
			AND c.type <> 'status') k
		JOIN tasks t ON t.id = k.id JOIN projects p ON p.id = t.project_id AND p.enrolled
		LEFT JOIN tutorial_enrolments e ON e.project_id = t.project_id
		LEFT JOIN (SELECT c.task_id, count(*) AS new FROM task_comments c
		LEFT JOIN comment_reads r ON r.task_comment_id = c.id AND r.user_id = $2
			WHERE c.unit_id = $1 AND c.staff_read_at IS NULL AND c.type <> 'status' AND r.user_id IS NULL
			GROUP BY c.task_id) n ON n.task_id = t.id
		ORDER BY t.submission_date, t.task_definition_id, t.id`, classUnit, classStudents+1)
	return c.json(list)
}
