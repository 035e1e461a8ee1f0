package main

import (
	"path/filepath"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// Whatever waits for the tutor of the demo has a document to read as soon as the queue is
// through; only the one that is made to fail has none.
func TestEveryWaitingTaskOfTheDemoHasADocument(t *testing.T) {
	dbtest.Long(t)
	data := t.TempDir()
	i := start(t, "--demo", "--data", data)
	defer i.stop()
	d, err := db.Open(filepath.Join(data, "lectern.db"), db.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	count := func(what string) int64 {
		t.Helper()
		n, err := db.One[int64](t.Context(), d.Pool(), "SELECT count(*) FROM "+what)
		if err != nil {
			t.Fatal(err)
		}
		return *n
	}
	const open = "submissions WHERE state IN ('queued', 'processing')"
	for count(open) > 0 {
		left := count(open)
		waittest.Until(t, "the next document of the demo", func() bool { return count(open) < left })
	}
	const waits = `tasks t WHERE t.unit_id = 1 AND t.status IN ('ready_for_feedback', 'need_help')`
	if n := count(waits); n < 60 {
		t.Errorf("%d wait", n)
	}
	if n := count(waits + ` AND NOT EXISTS (SELECT 1 FROM submission_tasks l JOIN submissions s ON s.id = l.submission_id
		WHERE l.task_id = t.id AND s.state = 'ready' AND l.at = (SELECT max(o.at) FROM submission_tasks o
			WHERE o.task_id = t.id))`); n != 0 {
		t.Errorf("%d of them have no document", n)
	}
	if n := count("submissions WHERE state = 'failed'"); n != 1 {
		t.Errorf("%d documents failed, want the one that should", n)
	}
}
