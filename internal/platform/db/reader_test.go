package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

func openFile(t *testing.T) *DB {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "x.db"), Options{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

type level int8

type word string

// cells has a field of every kind that records have.
type cells struct {
	Number   int64       `db:"number"`
	Small    level       `db:"small"`
	Plain    int         `db:"plain"`
	Unsigned uint8       `db:"unsigned"`
	Share    float64     `db:"share"`
	Whole    float64     `db:"whole"`
	Text     string      `db:"text"`
	Word     word        `db:"word"`
	Digits   string      `db:"digits"`
	Yes      bool        `db:"yes"`
	Bytes    []byte      `db:"bytes"`
	At       clock.Time  `db:"at"`
	Maybe    *int64      `db:"maybe"`
	Level    *level      `db:"level"`
	Note     *string     `db:"note"`
	Flag     *bool       `db:"flag"`
	Day      *clock.Date `db:"day"`
	Any      any         `db:"anything"`
}

// What readers read without database/sql is what the writer reads through it.
func TestReadersReadAsTheWriter(t *testing.T) {
	d := openFile(t)
	for _, text := range []string{
		`SELECT 7 AS number, 3 AS small, -4 AS plain, 200 AS unsigned, 0.5 AS share, 2 AS whole, 'a' AS text, 'b' AS word,
			12 AS digits, 1 AS yes, x'00ff' AS bytes, '2026-03-02T04:05:06.789000Z' AS at, 8 AS maybe, 2 AS level,
			'c' AS note, 0 AS flag, '2026-03-02' AS day, 'd' AS anything`,
		`SELECT 0 AS number, NULL AS bytes, NULL AS maybe, NULL AS level, NULL AS note, NULL AS flag, NULL AS day,
			NULL AS anything`,
	} {
		read, err := One[cells](t.Context(), d.Pool(), text)
		if err != nil {
			t.Fatal(err)
		}
		err = d.Tx(t.Context(), func(q Q) error {
			want, err := One[cells](t.Context(), q, text)
			if err == nil && !reflect.DeepEqual(read, want) {
				t.Errorf("read  %+v\nwant %+v", *read, *want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{`SELECT NULL AS number`, `SELECT 300 AS unsigned`, `SELECT 'x' AS plain`,
		`SELECT 2 AS yes`, `SELECT NULL AS text`, `SELECT -1 AS unsigned`} {
		if got, err := One[cells](t.Context(), d.Pool(), text); err == nil {
			t.Errorf("%s was read as %+v", text, *got)
		}
		if err := d.Tx(t.Context(), func(q Q) error { _, err := One[cells](t.Context(), q, text); return err }); err == nil {
			t.Errorf("%s was read through database/sql", text)
		}
	}
}

// Rows end with the context of who asked for them, and the reader is free again.
func TestReadersStopWithTheirCaller(t *testing.T) {
	d := openFile(t)
	const many = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1e9) SELECT `
	for range 5 { // more than there are readers
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for _, err := range Each[int64](ctx, d.Pool(), many+`n FROM c`) {
			if n++; n == 3 {
				cancel()
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if n != 4 { // the last one is the error
			t.Fatalf("%d rows after the caller left", n)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := One[int64](ctx, d.Pool(), many+`count(*) FROM c`); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a long statement ended with %v", err)
		}
		cancel()
	}
	if err := d.View(t.Context(), func(q Q) error { _, err := One[int64](t.Context(), q, `SELECT 1`); return err }); err != nil {
		t.Fatal(err)
	}
}

// A view that panics, or whose rows nobody closed for a panic, leaves no snapshot behind.
func TestViewsThatPanicHoldNothing(t *testing.T) {
	d := openFile(t)
	for range 5 { // more than there are readers
		func() {
			defer func() { _ = recover() }()
			_ = d.View(t.Context(), func(q Q) error {
				for range Each[int64](t.Context(), q, `SELECT 1 UNION ALL SELECT 2`) {
					panic("on purpose")
				}
				return nil
			})
		}()
	}
	if n := d.read.Stats().InUse; n != 0 {
		t.Errorf("%d readers are held", n)
	}
	if _, err := One[int64](t.Context(), d.Pool(), `SELECT 1`); err != nil {
		t.Fatal(err)
	}
}

// fickle is a statement that takes as long as it is told, and notes whether it could
// have been interrupted.
type fickle struct {
	sqliteStmt
	takes   time.Duration
	watched bool
}

func (f *fickle) QueryContext(ctx context.Context, _ []driver.NamedValue) (driver.Rows, error) {
	f.watched = ctx.Done() != nil
	for start := time.Now(); time.Since(start) < f.takes; {
	}
	return nil, nil
}

func (f *fickle) Close() error { return nil }

// Only a statement that has shown to be quick is not watched, until it is slow once.
func TestQuickStatementsAreNotWatched(t *testing.T) {
	f := &fickle{}
	c := &conn{kept: newStatements(1)}
	s, err := c.kept.add("x", f)
	if err != nil {
		t.Fatal(err)
	}
	s.busy = false
	run := func(takes time.Duration) (watched bool) {
		f.takes = takes
		rows, err := c.QueryContext(t.Context(), "x", nil)
		if err == nil {
			err = c.kept.give(rows.(*preparedRows).stmt, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		return f.watched
	}
	if once, again := run(2*quick), run(2*quick); !once || !again {
		t.Error("a slow statement was not watched")
	}
	for tries := 0; run(0); tries++ { // more than two on a busy machine only
		if tries == 1000 {
			t.Fatal("a quick statement is watched")
		}
	}
	for !run(2 * quick) {
	}
}
