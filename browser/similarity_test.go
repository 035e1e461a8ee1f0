package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
)

// compared waits until the work of the demo is compared: while documents are made, pairs come and go.
func (s *service) compared(t *testing.T) {
	t.Helper()
	at := s.database
	if at == "" {
		at = filepath.Join(s.data, "lectern.db")
	}
	d, err := db.Open(at, db.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if !waittest.Within(3*patience, func() bool {
		left, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM jobs
			WHERE state IN ('available', 'running') AND kind IN ('document', 'similarity', 'similarity scores')`)
		return err == nil && *left == 0
	}) {
		t.Fatal("the work of the demo was not compared")
	}
}

// alikeFour ties the two pairs of the demo to a cluster of four.
func (s *service) alikeFour(t *testing.T) {
	t.Helper()
	s.compared(t)
	for _, two := range [][2]string{{"student_0", "student_2"}, {"student_6", "student_7"}} {
		s.set(t, `INSERT INTO similarity_pairs (class_id, part, left_id, right_id, pct, score, left_words, right_words,
				passages, created_at)
			SELECT o.class_id, o.part, CASE WHEN a.id < b.id THEN a.id ELSE b.id END,
				CASE WHEN a.id < b.id THEN b.id ELSE a.id END, 71, 80, o.left_words, o.right_words, '[]', o.created_at
			FROM similarity_pairs o, (SELECT s.id FROM submissions s JOIN users u ON u.id = s.user_id JOIN similarity_pairs p
				ON s.id IN (p.left_id, p.right_id) WHERE u.username = $1) a, (SELECT s.id FROM submissions s
				JOIN users u ON u.id = s.user_id JOIN similarity_pairs p ON s.id IN (p.left_id, p.right_id)
				WHERE u.username = $2) b WHERE TRUE ORDER BY o.id LIMIT 1
			ON CONFLICT (left_id, right_id, part) DO UPDATE SET pct = 71`, two[0], two[1])
		s.set(t, `INSERT INTO task_similarities (type, project_id, task_id, submission_id, part, pair_id, flagged, created_at)
			SELECT 'LecternTaskSimilarity', t.project_id, t.id, s.id, p.part, p.id, TRUE, p.created_at
			FROM similarity_pairs p JOIN submissions s ON s.id IN (p.left_id, p.right_id) JOIN tasks t ON t.id = s.task_id
			WHERE p.pct = 71 ON CONFLICT (pair_id, task_id) DO UPDATE SET flagged = TRUE`)
	}
}

// A convenor opens a cluster of four, looks at one of its pairs, goes back to the cluster and decides on all of it with
// a reason.
func TestAConvenorDecidesAClusterOfFour(t *testing.T) {
	bothDatabases(t, func(t *testing.T, s *service) {
		s.alikeFour(t)
		b := open(t, s, wide)
		b.signIn("aconvenor")
		b.visit("/units/1/tasks")
		follow := func(selector, until string) {
			eval[bool](b, fmt.Sprintf("(document.querySelector(%s).click(), true)", quote(selector)))
			b.await("document.readyState === 'complete' && " + until)
		}
		follow("main .actions a[href$='/tasks/similarity']", "document.querySelectorAll('.cases tbody tr').length === 4")
		b.looked("similar work of a unit")
		follow(".cases-clusters a", "document.querySelectorAll('.cases input:checked').length === 4")
		b.looked("a cluster of four")
		follow(".cases tbody th a", "document.querySelector('.compare-about')")
		b.looked("a pair of a cluster")
		follow(".compare-decide a[href*='cluster=']", "document.querySelectorAll('.cases input:checked').length === 4")
		eval[bool](b, `(document.getElementById('decision-asked').click(),
		document.getElementById('reason').value = 'All four sat in one lab.',
		document.getElementById('reason').form.requestSubmit(), true)`)
		b.await("location.search.includes('done=4') && document.readyState === 'complete' && " +
			"[...document.querySelectorAll('.cases .why')].every((e) => e.textContent.includes('All four sat in one lab.'))")
		b.looked("a cluster that was decided")
		if eval[int](b, "document.querySelectorAll('.cases input:checked').length") != 0 {
			t.Error("what was decided is still ticked")
		}
	})
}
