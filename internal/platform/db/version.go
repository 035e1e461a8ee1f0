package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strconv"
	"sync"
)

// Version names the state the database is in: as long as it stays the same,
// nothing has been committed, by whatever process. It says nothing of what was
// committed otherwise. It is read before what it stands for.
func (d *DB) Version(ctx context.Context) (string, error) {
	if !d.postgres {
		if err := count(ctx, dataVersion, nil); err != nil {
			return "", err
		}
		return d.watch.version(context.WithoutCancel(ctx))
	}
	// Two snapshots with the same transactions in them show the same rows.
	v, err := One[string](ctx, d.Pool(), `SELECT CAST(pg_current_snapshot() AS TEXT)`)
	if err != nil {
		return "", err
	}
	return *v, nil
}

const dataVersion = `PRAGMA data_version`

// watch is a connection that writes nothing: SQLite tells it whether others have
// written since it asked. The number means something on that connection only.
type watch struct {
	pool *sql.DB
	mu   sync.Mutex
	conn *sql.Conn
	name string // of the connection
}

func (w *watch) version(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		c, err := w.pool.Conn(ctx)
		if err != nil {
			return "", err
		}
		w.conn, w.name = c, rand.Text()
	}
	var n int64
	if err := w.conn.QueryRowContext(ctx, dataVersion).Scan(&n); err != nil {
		_ = w.conn.Close() // the next has another name
		w.conn = nil
		return "", err
	}
	return w.name + strconv.FormatInt(n, 10), nil
}

// close ends the connection.
func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	err := w.conn.Close()
	w.conn = nil
	return err
}
