// Package db opens the database, runs transactions on it and maps rows to
// structs. One SQL text serves both engines, SQLite and PostgreSQL; where they
// differ, the difference is hidden here or in a word of the migrations.
package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"lectern/internal/ground/clock"
)

// DB is one database: a pool of readers and, on SQLite, a lone writer, so that
// a writer never meets another and never fails with "busy".
type DB struct {
	read, write *sql.DB
	turns       *turns // at the lone writer
	watch       *watch
	postgres    bool
	path        string // of the SQLite file
	clock       clock.Clock
	topics      topics
}

// Options tune a DB; the zero value is right for a server.
type Options struct {
	Clock   clock.Clock // the machine's when nil
	Readers int         // connections; when 0, 16 on PostgreSQL, and on SQLite what keeps the processors busy
	Look    bool        // only reads, and makes no file: for a look at a SQLite database that is there
}

// Settings every SQLite connection starts with. busy_timeout comes first so
// that switching to WAL waits for other processes instead of failing.
// synchronous(FULL) makes an acknowledged commit survive a power cut.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(1)&_pragma=temp_store(MEMORY)&_dqs=0"

// Open connects to a postgres:// address or, failing that, to a SQLite file,
// making its directory where there is none. It reads nothing yet.
func Open(addr string, o Options) (*DB, error) {
	if o.Clock == nil {
		o.Clock = clock.Real
	}
	if IsPostgres(addr) {
		o.Readers = cmp.Or(o.Readers, 16)
		return openPostgres(addr, o)
	}
	o.Readers = cmp.Or(o.Readers, busyReaders())
	if o.Look {
		return lookAtSQLite(addr, o)
	}
	return openSQLite(addr, o)
}

// busyReaders is how many readers SQLite gets. They wait for nothing but a processor, so
// more of them read no faster, and each has pages and statements of its own in memory. A
// few more than processors keep long lists from holding up short ones.
func busyReaders() int { return min(2+2*runtime.GOMAXPROCS(0), 16) }

// IsPostgres tells whether addr names a PostgreSQL server.
func IsPostgres(addr string) bool {
	return strings.HasPrefix(addr, "postgres://") || strings.HasPrefix(addr, "postgresql://")
}

func openPostgres(addr string, o Options) (*DB, error) {
	cfg, err := pgx.ParseConfig(addr)
	if err != nil {
		// The parser's error may quote the password.
		return nil, errors.New("the database address is not a valid postgres:// URL")
	}
	cfg.RuntimeParams["timezone"] = "UTC"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "lectern"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 10 * time.Second // a host that is gone says nothing
	}
	// Our statements are short: compiling one takes longer than running it. A pooler
	// would not take this among the parameters that begin a connection.
	p := stdlib.OpenDB(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SET jit = off")
		return err
	}))
	p.SetMaxOpenConns(o.Readers * 2)
	p.SetMaxIdleConns(o.Readers)
	p.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{read: p, write: p, postgres: true, clock: o.Clock}, nil
}

func openSQLite(path string, o Options) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the database: %w", err)
	}
	if err := makeOwn(path); err != nil {
		return nil, fmt.Errorf("make the database: %w", err)
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + pragmas
	return poolSQLite(path, o, name+"&_txlock=immediate&_pragma=cache_size(-8000)",
		name+"&_pragma=query_only(1)&_pragma=cache_size(-4000)")
}

// makeOwn makes the file of a new database, for its owner only: SQLite would let everybody
// read it. Those beside it take after it.
func makeOwn(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator's choice
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// lookAtSQLite opens a database that is there without making a file beside it: who looks may be
// another user than the one who serves, and that one could not write to it. Where nobody has
// it open there is no log either, and nothing to lock.
func lookAtSQLite(path string, o Options) (*DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?mode=ro&_pragma=busy_timeout(10000)&_pragma=query_only(1)&_pragma=temp_store(MEMORY)&_dqs=0"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, os.ErrNotExist) {
		name += "&immutable=1"
	}
	return poolSQLite(path, o, name, name)
}

// poolSQLite makes the pools of the lone writer and of the readers.
func poolSQLite(path string, o Options, writer, reader string) (*DB, error) {
	wc, err := newPrepared(writer)
	if err != nil {
		return nil, err
	}
	rc, err := newPrepared(reader)
	if err != nil {
		return nil, err
	}
	w, r := sql.OpenDB(wc), sql.OpenDB(rc)
	w.SetMaxOpenConns(1)
	r.SetMaxOpenConns(o.Readers + 1) // one watches
	r.SetMaxIdleConns(o.Readers + 1)
	return &DB{read: r, write: w, turns: newTurns(), watch: &watch{pool: r}, path: path, clock: o.Clock}, nil
}

// Close ends all connections. On SQLite the log is folded into the file.
func (d *DB) Close() error {
	if d.postgres {
		return d.read.Close()
	}
	return errors.Join(d.watch.close(), d.read.Close(), d.write.Close())
}

// Ping tells whether the database answers.
func (d *DB) Ping(ctx context.Context) error { return d.read.PingContext(ctx) }

// Postgres tells which engine this is.
func (d *DB) Postgres() bool { return d.postgres }

// Now is the moment by the database's clock, the one its transactions carry.
func (d *DB) Now() clock.Time { return clock.At(d.clock()) }

// Q runs statements: a pool of connections, or a transaction. The functions
// One, All, Each, Exec and Insert take it; domain code never calls it directly.
type Q interface {
	runner
	// Now is the moment the transaction began: all that it writes carries it.
	Now() clock.Time
	// Postgres tells which engine runs the statement.
	Postgres() bool
	// After runs f once the transaction is committed, never when it is not;
	// outside a transaction it runs f at once.
	After(f func())
	// Wake wakes those who listen for the topic, once the transaction is
	// committed; outside a transaction at once.
	Wake(topic string)
}

// runner runs statements.
type runner interface {
	// query hands the rows to f, and closes them.
	query(ctx context.Context, text string, args []any, f func(rows) error) error
	exec(ctx context.Context, text string, args []any) (sql.Result, error)
}

// rows are those of a query, one at a time.
type rows interface {
	Columns() ([]string, error)
	types() ([]string, error) // that the columns were declared with
	Next() bool
	Scan(to ...any) error
	Err() error
}

type session struct {
	run    runner
	db     *DB
	now    clock.Time
	tx     bool // a transaction, which may not be kept
	steady bool // statements are not interrupted: others share the transaction
	after  []func()
}

func (s *session) query(ctx context.Context, text string, args []any, f func(rows) error) error {
	if q := inside(ctx); q != nil && !s.tx {
		return q.query(ctx, text, args, f)
	}
	ctx, err := s.begin(ctx, text, args)
	if err != nil {
		return err
	}
	return s.run.query(ctx, text, args, f)
}

func (s *session) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	ctx, err := s.begin(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return s.run.exec(ctx, text, args)
}

// begin counts a statement and gives the context to run it under.
func (s *session) begin(ctx context.Context, text string, args []any) (context.Context, error) {
	if err := count(ctx, text, args); err != nil || !s.steady {
		return ctx, err
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

func (s *session) Now() clock.Time { return s.now }
func (s *session) Postgres() bool  { return s.db.postgres }

func (s *session) After(f func()) {
	if s.tx {
		s.after = append(s.after, f)
		return
	}
	f()
}

func (s *session) Wake(topic string) { s.After(func() { s.db.topics.wake(topic) }) }

// Pool gives the readers for a single statement; several that must agree with
// each other belong into View.
func (d *DB) Pool() Q {
	s := &session{run: viaSQL{d.read}, db: d, now: d.Now()}
	if !d.postgres {
		s.run = pooled{d}
	}
	return s
}

// View runs f on one unchanging snapshot of the database.
func (d *DB) View(ctx context.Context, f func(Q) error) error {
	if q := inside(ctx); q != nil {
		return f(q)
	}
	if !d.postgres {
		return d.snapshot(ctx, f)
	}
	tx, err := d.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return fmt.Errorf("begin reading: %w", markUnavailable(err))
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return f(&session{run: viaSQL{tx}, db: d, now: d.Now(), tx: true})
}

const maxTries = 5

// Tx runs f in a write transaction and commits it when f gives no error. On
// PostgreSQL f runs again when the engine asks for it (a deadlock, a
// serialisation failure), so f must not leave traces outside the transaction.
func (d *DB) Tx(ctx context.Context, f func(Q) error) error {
	for try := 1; ; try++ {
		after, err := d.once(ctx, f)
		if err == nil {
			for _, g := range after {
				g()
			}
			return nil
		}
		if try == maxTries || !retryable(err) || ctx.Err() != nil {
			return err
		}
		slog.DebugContext(ctx, "transaction tried again", "try", try, "err", err)
	}
}

func (d *DB) once(ctx context.Context, f func(Q) error) ([]func(), error) {
	if d.turns != nil {
		if err := d.turns.take(ctx); err != nil {
			return nil, err
		}
		defer d.turns.give()
		d.turns.finish()
	}
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin writing: %w", markUnavailable(err))
	}
	begun := time.Now()
	defer func() { tellHeld(ctx, time.Since(begun)) }()
	defer tx.Rollback() //nolint:errcheck // a no-op after the commit
	s := &session{run: viaSQL{tx}, db: d, now: d.Now(), tx: true}
	if err := guarded(ctx, s, f); err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, explain(err)
	}
	return s.after, nil
}

// Lock holds row id of table until the transaction ends, so that a rule over
// several rows can be checked and kept. SQLite has one writer and needs none.
func Lock(ctx context.Context, q Q, table string, id int64) error {
	if !q.Postgres() {
		return nil
	}
	_, err := Exec(ctx, q, "SELECT 1 FROM "+table+" WHERE id = $1 FOR UPDATE", id)
	return err
}

// LockName holds a lock with a name of its own until the transaction ends, for
// rules that no single row stands for.
func LockName(ctx context.Context, q Q, name string) error {
	if !q.Postgres() {
		return nil
	}
	_, err := Exec(ctx, q, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
	return err
}

// At gives q with another moment for all that is written through it: demo data
// and imports have a past.
func At(q Q, t time.Time) Q { return dated{q, clock.At(t)} }

type dated struct {
	Q
	now clock.Time
}

func (d dated) Now() clock.Time { return d.now }
