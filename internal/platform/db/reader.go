package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"
)

// SQLite's readers are used below database/sql, which takes them out of its pool and
// no more: for each statement that can be cancelled it would start a goroutine, and
// the driver another, which together take as long as a short statement does.

// reading gives f a reader of SQLite's for itself.
func (d *DB) reading(ctx context.Context, f func(*conn) error) error {
	c, err := d.read.Conn(ctx)
	if err != nil {
		return markUnavailable(err)
	}
	defer c.Close()
	return c.Raw(func(inner any) error { return f(inner.(*conn)) })
}

// snapshot is View on SQLite. A reader whose f panics is closed by database/sql.
func (d *DB) snapshot(ctx context.Context, f func(Q) error) error {
	return d.reading(ctx, func(c *conn) error {
		if _, err := c.exec(context.Background(), "BEGIN", nil); err != nil {
			return fmt.Errorf("begin reading: %w", markUnavailable(err))
		}
		err := f(&session{run: c, db: d, now: d.Now(), tx: true})
		if _, failed := c.exec(context.Background(), "ROLLBACK", nil); failed != nil {
			c.broken = true
		}
		return err
	})
}

// pooled runs each statement on a reader of SQLite's of its own.
type pooled struct{ db *DB }

func (p pooled) query(ctx context.Context, text string, args []any, f func(rows) error) error {
	return p.db.reading(ctx, func(c *conn) error { return c.query(ctx, text, args, f) })
}

func (p pooled) exec(ctx context.Context, text string, args []any) (res sql.Result, err error) {
	err = p.db.reading(ctx, func(c *conn) error {
		res, err = c.exec(ctx, text, args)
		return err
	})
	return res, err
}

func (c *conn) query(ctx context.Context, text string, args []any, f func(rows) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	values, err := named(args)
	if err != nil {
		return err
	}
	rows, err := c.QueryContext(ctx, text, values)
	if err != nil {
		return err
	}
	defer rows.Close() // also when f panics
	err = f(&readerRows{Rows: rows.(*preparedRows), ctx: ctx, cells: make([]driver.Value, len(rows.Columns()))})
	return errors.Join(err, rows.Close())
}

func (c *conn) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	values, err := named(args)
	if err != nil {
		return nil, err
	}
	return c.ExecContext(ctx, text, values)
}

// named gives arguments as drivers take them.
func named(args []any) ([]driver.NamedValue, error) {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fmt.Errorf("argument $%d: %w", i+1, err)
		}
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out, nil
}

// readerRows are the rows of a query on a reader of SQLite's. They end when their
// context does.
type readerRows struct {
	Rows  *preparedRows
	ctx   context.Context
	cells []driver.Value
	err   error
}

func (r *readerRows) Columns() ([]string, error) { return r.Rows.Columns(), nil }

func (r *readerRows) types() ([]string, error) {
	out := make([]string, len(r.cells))
	for i := range out {
		out[i] = r.Rows.ColumnTypeDatabaseTypeName(i)
	}
	return out, nil
}

func (r *readerRows) Next() bool {
	if r.err = r.ctx.Err(); r.err != nil {
		return false
	}
	r.err = r.Rows.Next(r.cells)
	return r.err == nil
}

func (r *readerRows) Err() error {
	if r.err == io.EOF { //nolint:errorlint // drivers say it so
		return nil
	}
	return r.err
}

func (r *readerRows) Scan(to ...any) error {
	if len(to) != len(r.cells) {
		return fmt.Errorf("%d columns for %d values", len(r.cells), len(to))
	}
	for i, v := range r.cells {
		if err := assign(to[i], v); err != nil {
			return fmt.Errorf("column %q: %w", r.Rows.Columns()[i], err)
		}
	}
	return nil
}

// quick is how long the last run of a statement may have taken for the next not to be
// watched: to watch costs the driver a goroutine. Who leaves while it runs is waited
// for that long; once it took longer, the next one is ended when its caller leaves.
const quick = 10 * time.Millisecond

// watched gives the context to run a statement under.
func (s *statement) watched(ctx context.Context) context.Context {
	if s.quick {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
