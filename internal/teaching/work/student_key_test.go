package work

import (
	"context"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

const (
	wrongKeys = `SELECT count(*) FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		WHERE t.student_key <> u.name_key`
	rename  = `UPDATE users SET name_key = name_key || '61' WHERE id = 1`
	newTask = `INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
		SELECT 1, max(d.id), 1, max(u.created_at), max(u.created_at) FROM task_definitions d, users u
		WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.task_definition_id = d.id)`
)

// TestTasksFollowTheNameOfTheirStudent: the key by which tasks stand in the order of
// students is that of their student, whoever comes first.
func TestTasksFollowTheNameOfTheirStudent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 2, 4)
		for _, text := range []string{rename, newTask, rename, newTask} {
			c.Set(text)
			if n := c.Number(wrongKeys); n != 0 {
				t.Fatalf("%d tasks have another key after %s", n, text)
			}
		}
		if c.Number(`SELECT count(*) FROM tasks WHERE student_key = '6161'`) != 2 {
			t.Error("there is nothing to compare")
		}
		if d.Postgres() { // where writers run beside each other
			c.beside(rename, newTask)
			c.beside(newTask, rename)
		}
	})
}

// beside runs a statement while the transaction of another lasts, as far as it gets.
func (c *crowd) beside(first, second string) {
	c.Helper()
	ctx := context.Background()
	done := make(chan error, 1)
	run := func(q db.Q, text string) error {
		_, err := db.Exec(ctx, q, text)
		return err
	}
	if err := c.Tx(ctx, func(q db.Q) error {
		if err := run(q, first); err != nil {
			return err
		}
		go func() { done <- c.Tx(ctx, func(q db.Q) error { return run(q, second) }) }()
		for len(done) == 0 && c.Number(`SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND datname = current_database()`) == 0 {
		}
		return nil
	}); err != nil {
		c.Fatal(err)
	}
	if err := <-done; err != nil {
		c.Fatal(err)
	}
	if n := c.Number(wrongKeys); n != 0 {
		c.Errorf("%d tasks have another key after %s beside %s", n, second, first)
	}
}
