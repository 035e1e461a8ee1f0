package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// watched counts the statements that the driver below prepares and closes.
type watched struct {
	driver.Connector
	prepared, closed atomic.Int64
}

func (w *watched) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := w.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &watchedConn{c.(sqliteConn), w}, nil
}

type watchedConn struct {
	sqliteConn
	w *watched
}

func (c *watchedConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.w.prepared.Add(1)
	return &watchedStmt{s.(sqliteStmt), c.w}, nil
}

type watchedStmt struct {
	sqliteStmt
	w *watched
}

func (s *watchedStmt) Close() error {
	s.w.closed.Add(1)
	return s.sqliteStmt.Close()
}

// pool opens a pool of n connections that keep their statements, over a driver
// that is watched.
func pool(t *testing.T, n int) (*sql.DB, *watched) {
	t.Helper()
	p, err := newPrepared("file:" + filepath.Join(t.TempDir(), "x.db") + pragmas)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{Connector: p.(prepared).Connector}
	d := sql.OpenDB(prepared{w})
	d.SetMaxOpenConns(n)
	d.SetMaxIdleConns(n)
	t.Cleanup(func() { d.Close() })
	must(t, d, `CREATE TABLE x (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`)
	for i := range 10 {
		must(t, d, `INSERT INTO x (id, name) VALUES ($1, $2)`, i, fmt.Sprint("n", i))
	}
	return d, w
}

func must(t *testing.T, d *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := d.ExecContext(t.Context(), text, args...); err != nil {
		t.Fatal(err)
	}
}

func name(t *testing.T, d interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, id int,
) string {
	t.Helper()
	var s string
	if err := d.QueryRowContext(t.Context(), `SELECT name FROM x WHERE id = $1`, id).Scan(&s); err != nil {
		t.Error(err)
	}
	return s
}

func TestStatementsArePreparedOnce(t *testing.T) {
	d, w := pool(t, 1)
	before := w.prepared.Load()
	for i := range 100 {
		if got := name(t, d, i%10); got != fmt.Sprint("n", i%10) {
			t.Fatalf("row %d is %q", i%10, got)
		}
	}
	if n := w.prepared.Load() - before; n != 1 {
		t.Errorf("100 queries prepared %d statements", n)
	}
}

// A statement whose rows are open is in use: the same text inside the loop must
// neither disturb it nor wait for another connection.
func TestNestedRowsOfOneText(t *testing.T) {
	d, w := pool(t, 1)
	tx, err := d.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var walk func(depth int) int
	walk = func(depth int) (n int) {
		rows, err := tx.QueryContext(t.Context(), `SELECT id FROM x WHERE id < $1 ORDER BY id`, 4)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for want := 0; rows.Next(); want++ {
			var id int
			if err := rows.Scan(&id); err != nil || id != want {
				t.Fatalf("row %d at depth %d, want %d: %v", id, depth, want, err)
			}
			n++
			if depth < 3 {
				n += walk(depth + 1)
			}
		}
		return n
	}
	before := w.closed.Load()
	if n := walk(1); n != 4+16+64 {
		t.Errorf("%d rows", n)
	}
	if open := w.prepared.Load() - w.closed.Load(); w.closed.Load() == before || open > 4 {
		t.Errorf("%d statements stay open after the rows", open)
	}
}

func TestFailedStatementsAreDropped(t *testing.T) {
	d, w := pool(t, 1)
	for range 3 {
		_, err := d.ExecContext(t.Context(), `INSERT INTO x (id, name) VALUES ($1, $2)`, 1, "again")
		if code(err) != uniqueViolation {
			t.Fatalf("got %v", err)
		}
		if _, err := d.ExecContext(t.Context(), `SELECT nothing FROM nowhere`); err == nil {
			t.Fatal("a wrong statement ran")
		}
		if _, err := d.QueryContext(t.Context(), `SELECT name FROM x WHERE id = $1 AND name = $2`, 1); err == nil {
			t.Fatal("an argument was missing")
		}
	}
	kept := w.prepared.Load() - w.closed.Load()
	if got := name(t, d, 3); got != "n3" || kept != 1 { // the CREATE TABLE of the start
		t.Errorf("%q, %d statements kept", got, kept)
	}
}

// A query that is cancelled midway costs its connection, and its statements go
// with it.
func TestCancelledQuery(t *testing.T) {
	d, w := pool(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var n int
	err := d.QueryRowContext(ctx, `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1e9)
		SELECT count(*) FROM c`).Scan(&n)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if got := name(t, d, 3); got != "n3" {
		t.Errorf("got %q", got)
	}
	if open := w.prepared.Load() - w.closed.Load(); open != 1 {
		t.Errorf("%d statements open on the new connection", open)
	}
}

func TestKeptStatementsAreBounded(t *testing.T) {
	d, w := pool(t, 2)
	for i := range 3 * mostKept {
		must(t, d, fmt.Sprintf(`SELECT %d FROM x WHERE id = $1`, i), 1)
	}
	must(t, d, `SELECT '`+strings.Repeat("long", longestKept)+`'`)
	if open := w.prepared.Load() - w.closed.Load(); open > 2*mostKept {
		t.Errorf("%d statements kept", open)
	}
	before := w.prepared.Load()
	must(t, d, fmt.Sprintf(`SELECT %d FROM x WHERE id = $1`, 3*mostKept-1), 1)
	if w.prepared.Load() != before {
		t.Error("the last one used was not kept")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if open := w.prepared.Load() - w.closed.Load(); open != 0 {
		t.Errorf("%d statements outlive their connections", open)
	}
}

// Statements prepared before a migration see the schema after it, on every
// connection.
func TestSchemaChangesUnderKeptStatements(t *testing.T) {
	d, _ := pool(t, 2)
	held, err := d.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	count := func() (n, columns int) {
		for _, c := range []interface {
			QueryContext(context.Context, string, ...any) (*sql.Rows, error)
		}{held, d} {
			rows, err := c.QueryContext(t.Context(), `SELECT * FROM x WHERE id < $1`, 5)
			if err != nil {
				t.Fatal(err)
			}
			names, _ := rows.Columns()
			columns = len(names)
			for rows.Next() {
				n++
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				t.Fatal(err)
			}
		}
		return n, columns
	}
	if n, columns := count(); n != 10 || columns != 2 {
		t.Fatalf("%d rows of %d columns", n, columns)
	}
	must(t, d, `ALTER TABLE x ADD COLUMN age INTEGER; CREATE INDEX x_age ON x (age)`)
	if n, columns := count(); n != 10 || columns != 3 {
		t.Errorf("after the change %d rows of %d columns", n, columns)
	}
	must(t, d, `DROP TABLE x; CREATE TABLE x (id INTEGER PRIMARY KEY, name TEXT)`)
	if n, columns := count(); n != 0 || columns != 2 {
		t.Errorf("after the new table %d rows of %d columns", n, columns)
	}
}

// Snapshots that hold every connection must not need one more to prepare on.
func TestSnapshotsStarveNobody(t *testing.T) {
	const n = 4
	d, w := pool(t, n)
	var all sync.WaitGroup
	for i := range 4 * n {
		all.Go(func() {
			for j := range 25 {
				tx, err := d.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
				if err != nil {
					t.Error(err)
					return
				}
				for k := range 5 {
					id := (i + j + k) % 10
					if got := name(t, tx, id); got != fmt.Sprint("n", id) {
						t.Errorf("row %d is %q", id, got)
					}
				}
				if err := tx.Rollback(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if p := w.prepared.Load(); p > 11+1+3*n {
		t.Errorf("%d statements prepared on %d connections", p, n)
	}
}

// A limit that is bound must not make SQLite plan the statement each time: that
// took four times as long as the statement itself.
func TestBoundLimitsArePlannedOnce(t *testing.T) {
	const text = `SELECT a.id FROM x a JOIN x b ON b.id = a.id JOIN x c ON c.id = b.id JOIN x d ON d.id = c.id
		WHERE a.name = $1 ORDER BY a.id LIMIT `
	d, _ := pool(t, 1)
	fastest := func(text string, args ...any) time.Duration {
		best := time.Hour
		for range 300 {
			start := time.Now()
			must(t, d, text, args...)
			best = min(best, time.Since(start))
		}
		return best
	}
	bound, fixed := fastest(text+`$2`, "n1", 5), fastest(text+`5`, "n1")
	if bound > 2*fixed {
		t.Errorf("%v with a bound limit, %v without", bound, fixed)
	}
	if got := boundLimit.ReplaceAllString("(SELECT 1 LIMIT $2) LIMIT $13 OFFSET $4",
		"LIMIT CAST($$$1 AS BIGINT)"); got !=
		"(SELECT 1 LIMIT CAST($2 AS BIGINT)) LIMIT CAST($13 AS BIGINT) OFFSET $4" {
		t.Error(got)
	}
}
