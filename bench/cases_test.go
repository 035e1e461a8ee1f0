package bench

import (
	"context"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// The page of similar work of a unit of 2,000 students with 2,000 cases in 500 clusters shows a part of them in under
// a tenth of a second, and takes at most twice as long as the calls behind it.
func TestManyCasesAreListedQuickly(t *testing.T) {
	dbtest.Load(t)
	const page = "/units/{id}/tasks/similarity"
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: both at once would slow each other
		t.Run(engine, func(t *testing.T) {
			u := newUniversityOn(t, engine)
			u.enrolMany(2000)
			u.alikeByFours()
			for _, query := range []string{"", "?state=undecided&least=60", "?tutorial=1&page=3", "?origin=ours&page=20"} {
				u.quick(100*time.Millisecond, aConvenor, page+query, engine+", "+page+query)
			}
			shown, calls, times := u.compare(page)
			t.Logf("the page takes %v, the calls behind it %v: %.1f times", shown, calls, times)
			if times > wantedPage {
				t.Errorf("the page takes %v, the calls behind it %v", shown, calls)
			}
		})
	}
}

// alikeByFours lets those of enrolMany hand in, of whom each is found like the next one of their four.
func (u *university) alikeByFours() {
	u.Helper()
	err := u.db.Tx(context.Background(), func(q db.Q) error {
		for _, text := range []string{
			`INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
				SELECT p.id, (SELECT min(id) FROM task_definitions WHERE unit_id = 1), 1, $1, $1
				FROM projects p JOIN users u ON u.id = p.user_id WHERE u.username LIKE 'many%' ORDER BY p.id`,
			`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state)
				SELECT 1, t.id, u.id, $1, 0, 'ready' FROM tasks t JOIN projects p ON p.id = t.project_id
				JOIN users u ON u.id = p.user_id WHERE u.username LIKE 'many%' ORDER BY t.id`,
			`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT s.task_id, s.at, s.id, 100, 3
				FROM submissions s JOIN users u ON u.id = s.user_id WHERE u.username LIKE 'many%' AND s.at = $1`,
			`INSERT INTO similarity_pairs (class_id, part, left_id, right_id, pct, score, left_words, right_words, passages,
					created_at)
				SELECT 1, 'code', CASE WHEN a.id < b.id THEN a.id ELSE b.id END,
					CASE WHEN a.id < b.id THEN b.id ELSE a.id END, 40 + a.id % 60, 80, 'Much.', 'Much.', '[]', $1
				FROM submissions a JOIN users u ON u.id = a.user_id JOIN users v ON CAST(substr(v.username, 5) AS INTEGER) =
					CAST(substr(u.username, 5) AS INTEGER) / 4 * 4 + (CAST(substr(u.username, 5) AS INTEGER) + 1) % 4
				JOIN submissions b ON b.user_id = v.id
				WHERE u.username LIKE 'many%' AND v.username LIKE 'many%'`,
			`INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, pair_id, flagged, created_at)
				SELECT 'LecternTaskSimilarity', t.project_id, t.id, s.id, 'code', r.id, TRUE, $1 FROM similarity_pairs r
				JOIN submissions s ON s.id IN (r.left_id, r.right_id) JOIN tasks t ON t.id = s.task_id
				WHERE r.left_words = 'Much.'`,
		} {
			if _, err := db.Exec(context.Background(), q, text, q.Now()); err != nil {
				return err
			}
		}
		_, err := db.Exec(context.Background(), q, `ANALYZE`)
		return err
	})
	if err != nil {
		u.Fatal(err)
	}
}
