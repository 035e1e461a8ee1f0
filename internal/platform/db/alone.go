package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"lectern/internal/platform/filelock"
)

// Alone is a lock with a name that one process has among all that use a database. It ends with
// the process, however that ends.
type Alone struct {
	file *os.File // SQLite: beside the database
	tx   *sql.Tx  // PostgreSQL: stays open, and has written nothing
}

// ErrTaken is what is said where another process has the lock.
var ErrTaken = errors.New("another process has the lock")

// Alone takes the lock of that name, or gives ErrTaken. The name becomes part of a file's.
func (d *DB) Alone(ctx context.Context, name string) (*Alone, error) {
	if d.postgres {
		return d.aloneThere(ctx, name)
	}
	f, free, err := filelock.Try(d.path + "." + name)
	if err == nil && !free {
		err = ErrTaken
	}
	if err != nil {
		return nil, err
	}
	return &Alone{file: f}, nil
}

// aloneThere takes a lock of the server. It belongs to a transaction and not to the connection, so
// that it holds behind a pooler, too. ctx must last as long as the lock.
func (d *DB) aloneThere(ctx context.Context, name string) (*Alone, error) {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("take the lock: %w", err)
	}
	var taken bool
	if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
		"lectern "+name).Scan(&taken); err != nil {
		return nil, errors.Join(fmt.Errorf("take the lock: %w", err), tx.Rollback())
	}
	if !taken {
		return nil, errors.Join(ErrTaken, tx.Rollback())
	}
	return &Alone{tx: tx}, nil
}

// Still fails when the lock was lost, as with the connection to the server.
func (a *Alone) Still(ctx context.Context) error {
	if a.tx == nil {
		return nil
	}
	if _, err := a.tx.ExecContext(ctx, "SELECT 1"); err != nil {
		return fmt.Errorf("the lock was lost: %w", err)
	}
	return nil
}

// Release gives the lock back.
func (a *Alone) Release() {
	if a.tx != nil {
		_ = a.tx.Rollback() // what is lost is released
		return
	}
	_ = a.file.Close()
}
