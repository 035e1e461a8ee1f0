package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestADatabaseGivenBackIsAsNew has a test leave rows, used ids and a transaction
// that was never ended; few rows, which are deleted, and many, whose tables are
// truncated.
func TestADatabaseGivenBackIsAsNew(t *testing.T) {
	s, err := postgresServer()
	if err != nil {
		Missing(t, "PostgreSQL: %v", err)
	}
	for _, n := range []int{1, 3, mostDead + 1} {
		name, err := s.take()
		if err != nil {
			t.Fatal(err)
		}
		left := connect(t, s.address(name))
		run(t, left, `INSERT INTO campuses (name, mode, abbreviation, active)
			SELECT 'C' || n, 'manual', 'C' || n, TRUE FROM generate_series(1, $1::int) n`, n)
		run(t, left, "BEGIN")
		run(t, left, "DELETE FROM campuses WHERE name = 'C1'")
		s.give(name)
		again, err := s.take()
		if err != nil || again != name {
			t.Fatalf("%d rows: got %q instead of %q again: %v", n, again, name, err)
		}
		var id int64
		err = connect(t, s.address(again)).QueryRow(t.Context(), `INSERT INTO campuses (name, mode, abbreviation,
			active) SELECT 'C', 'manual', 'C', TRUE WHERE NOT EXISTS (SELECT 1 FROM campuses) RETURNING id`).Scan(&id)
		if err != nil || id != 1 {
			t.Errorf("%d rows: the first id is %d, or rows are left: %v", n, id, err)
		}
		s.give(again)
	}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func run(t *testing.T, c *pgx.Conn, text string, args ...any) {
	t.Helper()
	if _, err := c.Exec(t.Context(), text, args...); err != nil {
		t.Fatal(err)
	}
}
