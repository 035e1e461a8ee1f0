package dbtest

import (
	"context"
	"strings"
	"testing"

	"lectern/internal/platform/db"
)

// Plan tells how the engine would run a statement that has no arguments left in
// it. On PostgreSQL walking a whole table is made unattractive, as it is in
// tables of real size: what still does has no index to go by.
func Plan(t testing.TB, d *db.DB, text string) string {
	t.Helper()
	var lines []string
	err := d.View(context.Background(), func(q db.Q) (err error) {
		if !q.Postgres() {
			lines, err = sqlitePlan(q, text)
			return err
		}
		if _, err := db.Exec(context.Background(), q, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		lines, err = db.All[string](context.Background(), q, "EXPLAIN "+text)
		return err
	})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return strings.Join(lines, "\n")
}

func sqlitePlan(q db.Q, text string) (lines []string, err error) {
	steps, err := db.All[struct {
		ID     int64  `db:"id"`
		Parent int64  `db:"parent"`
		Unused int64  `db:"notused"`
		Detail string `db:"detail"`
	}](context.Background(), q, "EXPLAIN QUERY PLAN "+text)
	for _, s := range steps {
		lines = append(lines, s.Detail)
	}
	return lines, err
}
