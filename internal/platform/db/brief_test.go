package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"lectern/internal/ground/clock"
)

// disk is SQLite whose COMMIT can be made to fail, and is counted.
type disk struct {
	driver.Connector
	commits, failing atomic.Int64
}

func (d *disk) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := d.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &diskConn{c.(sqliteConn), d}, nil
}

type diskConn struct {
	sqliteConn
	d *disk
}

func (c *diskConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, text)
	if err != nil || text != "COMMIT" {
		return s, err
	}
	return &diskCommit{s.(sqliteStmt), c.d}, nil
}

type diskCommit struct {
	sqliteStmt
	d *disk
}

var errDisk = errors.New("the disk is gone")

func (s *diskCommit) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.d.commits.Add(1)
	if s.d.failing.Add(-1) >= 0 {
		return nil, errDisk
	}
	return s.sqliteStmt.ExecContext(ctx, args)
}

func briefDB(t *testing.T) (*DB, *disk) {
	t.Helper()
	p, err := newPrepared("file:" + filepath.Join(t.TempDir(), "x.db") + pragmas + "&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	w := &disk{Connector: p.(prepared).Connector}
	pool := sql.OpenDB(prepared{w})
	pool.SetMaxOpenConns(1)
	d := &DB{read: pool, write: pool, turns: newTurns(), clock: clock.Real}
	t.Cleanup(func() { pool.Close() })
	must(t, pool, `CREATE TABLE x (id INTEGER PRIMARY KEY)`)
	return d, w
}

func write(ctx context.Context, q Q, id int) error {
	_, err := Exec(ctx, q, `INSERT INTO x (id) VALUES ($1)`, id)
	return err
}

func written(t *testing.T, d *DB) []int {
	t.Helper()
	ids, err := All[int](t.Context(), d.Pool(), `SELECT id FROM x ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// together runs f for 0..n-1 so that all wait while the first, which holds them
// up, has its turn; then they share commits.
func together(t *testing.T, d *DB, n int, f func(i int, q Q) error) []error {
	t.Helper()
	go1, errs := make(chan struct{}), make([]error, n)
	var all sync.WaitGroup
	all.Go(func() {
		errs[0] = d.Brief(t.Context(), func(q Q) error { <-go1; return f(0, q) })
	})
	for len(d.turns.free) == 1 {
		runtime.Gosched()
	}
	for i := 1; i < n; i++ {
		all.Go(func() { errs[i] = d.Brief(t.Context(), func(q Q) error { return f(i, q) }) })
	}
	for d.turns.waiting.Load() < int32(n-1) {
		runtime.Gosched()
	}
	close(go1)
	all.Wait()
	return errs
}

func TestSmallWritersShareACommit(t *testing.T) {
	d, disk := briefDB(t)
	var ran atomic.Int64
	stop := errors.New("stop")
	const n = 50
	errs := together(t, d, n, func(i int, q Q) error {
		q.After(func() { ran.Add(1) })
		if err := write(t.Context(), q, i); err != nil {
			return err
		}
		if i%5 == 3 {
			return stop
		}
		return nil
	})
	var want []int
	for i, err := range errs {
		switch {
		case i%5 == 3 && !errors.Is(err, stop), i%5 != 3 && err != nil:
			t.Errorf("writer %d: %v", i, err)
		case err == nil:
			want = append(want, i)
		}
	}
	if got := written(t, d); !slices.Equal(got, want) || ran.Load() != int64(len(want)) {
		t.Errorf("%v written and %d told of it, want %v", got, ran.Load(), want)
	}
	if c := disk.commits.Load(); c > n/2 {
		t.Errorf("%d commits for %d writers", c, n)
	}
}

// What a commit cannot bring to the disk, nobody is told was written.
func TestCommitThatFails(t *testing.T) {
	d, disk := briefDB(t)
	disk.failing.Store(1)
	var ran atomic.Int64
	errs := together(t, d, 50, func(i int, q Q) error {
		q.After(func() { ran.Add(1) })
		return write(t.Context(), q, i)
	})
	failed := 0
	var want []int
	for i, err := range errs {
		if err == nil {
			want = append(want, i)
		} else if failed++; !errors.Is(err, errDisk) {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if got := written(t, d); failed == 0 || !slices.Equal(got, want) || ran.Load() != int64(len(want)) {
		t.Errorf("%d failed, %d told, %v written, want %v", failed, ran.Load(), got, want)
	}
	if err := d.Brief(t.Context(), func(q Q) error { return write(t.Context(), q, 100) }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// When the engine gives the whole transaction up in the middle of one writer,
// those who shared it are not told that they wrote.
func TestTransactionThatBreaks(t *testing.T) {
	d, _ := briefDB(t)
	errs := together(t, d, 20, func(i int, q Q) error {
		if err := write(t.Context(), q, i); err != nil || i != 7 {
			return err
		}
		_, err := Exec(t.Context(), q, `ROLLBACK`)
		return err
	})
	var want []int
	for i, err := range errs {
		if err == nil {
			want = append(want, i)
		}
	}
	if got := written(t, d); errs[7] == nil || !slices.Equal(got, want) {
		t.Errorf("%v written, %v were told so", got, want)
	}
}

func TestPanicUndoesOneWriter(t *testing.T) {
	d, _ := briefDB(t)
	var caught atomic.Int64
	together(t, d, 10, func(i int, q Q) error {
		if err := write(t.Context(), q, i); err != nil {
			t.Error(err)
		}
		return nil
	})
	func() {
		defer func() {
			if recover() != nil {
				caught.Add(1)
			}
		}()
		_ = d.Brief(t.Context(), func(q Q) error {
			_ = write(t.Context(), q, 50)
			panic("oh")
		})
	}()
	if err := d.Brief(t.Context(), func(q Q) error { return write(t.Context(), q, 10) }); err != nil {
		t.Fatal(err)
	}
	if got := written(t, d); caught.Load() != 1 || len(got) != 11 {
		t.Errorf("%v written", got)
	}
}

// A writer whose client has left writes nothing more, and takes nobody with it.
func TestWriterWhoseClientLeaves(t *testing.T) {
	d, _ := briefDB(t)
	errs := together(t, d, 10, func(i int, q Q) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := write(ctx, q, i); err != nil {
			return err
		}
		if i == 4 {
			cancel()
		}
		return write(ctx, q, 100+i)
	})
	if got := written(t, d); !errors.Is(errs[4], context.Canceled) || len(got) != 18 || slices.Contains(got, 4) {
		t.Errorf("%v: %v written", errs[4], got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Brief(ctx, func(q Q) error { defer cancel(); return write(ctx, q, 4) })
	if got := written(t, d); !errors.Is(err, context.Canceled) || slices.Contains(got, 4) {
		t.Errorf("%v: %v written", err, got)
	}
}

// A commit was put off for one who waits, and who gives up: it must not be
// forgotten.
func TestWaiterWhoGivesUp(t *testing.T) {
	d, _ := briefDB(t)
	gone, giveUp := context.WithCancel(t.Context())
	giveUp()
	for i := range 50 {
		d.turns.waiting.Add(1) // one who waits, as far as the writer can see
		told := make(chan error)
		go func() { told <- d.Brief(t.Context(), func(q Q) error { return write(t.Context(), q, i) }) }()
		for d.turns.waiting.Load() != 1 || len(d.turns.free) == 0 {
			runtime.Gosched()
		}
		d.turns.waiting.Add(-1)
		if err := d.turns.take(gone); err == nil {
			d.turns.give() // it had its turn before it could give up
		}
		if err := <-told; err != nil {
			t.Fatal(err)
		}
	}
	if got := written(t, d); len(got) != 50 {
		t.Errorf("%v written", got)
	}
}

// A large writer commits what the small ones before it left, and only then
// begins: nobody waits for it to end.
func TestLargeWriterHoldsNobodyUp(t *testing.T) {
	d, _ := briefDB(t)
	told, inside := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(told)
		err := d.Brief(t.Context(), func(q Q) error {
			close(inside)
			for d.turns.waiting.Load() == 0 {
				runtime.Gosched()
			}
			return write(t.Context(), q, 1)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	err := d.Tx(t.Context(), func(q Q) error {
		<-told
		return write(t.Context(), q, 2)
	})
	all.Wait()
	if got := written(t, d); err != nil || !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v, %v written", err, got)
	}
}
