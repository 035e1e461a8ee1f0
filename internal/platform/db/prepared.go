package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"regexp"
	"time"

	"modernc.org/sqlite"
)

// SQLite parses and plans a statement each time it is given as text, which is
// half of the work of a short one. So each connection keeps the statements it
// has run, below database/sql: nobody needs a second connection to prepare on,
// and a statement lives and dies with the connection it belongs to.

// prepared opens SQLite connections that keep their statements.
type prepared struct{ driver.Connector }

func newPrepared(name string) (driver.Connector, error) {
	c, err := sqlite.NewConnector(name)
	return prepared{c}, err
}

func (p prepared) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := c.(sqliteConn)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks what is needed to keep statements"), c.Close())
	}
	return &conn{sqliteConn: inner, kept: newStatements(mostKept)}, nil
}

// sqliteConn is all that the driver's connection can do and database/sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteStmt is the same of its statements.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// conn is a connection that keeps its statements. database/sql holds its lock
// around every call, so it needs none of its own.
type conn struct {
	sqliteConn
	kept   *statements
	broken bool
}

// IsValid tells whether the connection can be used again.
func (c *conn) IsValid() bool { return !c.broken && c.sqliteConn.IsValid() }

// ExecContext runs a statement that gives no rows.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	res, err := s.ExecContext(ctx, args)
	return res, errors.Join(err, c.kept.give(s, err != nil))
}

// QueryContext runs a statement whose rows hold it until they are closed.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	rows, err := s.QueryContext(s.watched(ctx), args)
	s.quick = time.Since(start) < quick
	if err != nil {
		return nil, errors.Join(err, c.kept.give(s, true))
	}
	return &preparedRows{rows, c, s}, nil
}

// Close ends the connection and its statements.
func (c *conn) Close() error { return errors.Join(c.kept.close(), c.sqliteConn.Close()) }

// SQLite looks at the value of a bare argument of LIMIT to choose a plan, and so
// plans the statement anew each time it is bound. It does not look into a CAST.
var boundLimit = regexp.MustCompile(`\bLIMIT \$(\d+)`)

// take gives a statement for text that nobody else uses.
func (c *conn) take(ctx context.Context, text string) (*statement, error) {
	if s := c.kept.take(text); s != nil {
		return s, nil
	}
	d, err := c.PrepareContext(ctx, boundLimit.ReplaceAllString(text, "LIMIT CAST($$$1 AS BIGINT)"))
	if err != nil {
		return nil, err
	}
	inner, ok := d.(sqliteStmt)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver's statements take no context"), d.Close())
	}
	return c.kept.add(text, inner)
}

// preparedRows give their statement back when they are closed.
type preparedRows struct {
	driver.Rows
	conn *conn
	stmt *statement
}

// ColumnTypeDatabaseTypeName gives the type that a column was declared with.
func (r *preparedRows) ColumnTypeDatabaseTypeName(i int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

func (r *preparedRows) Close() error {
	if r.stmt == nil {
		return nil
	}
	err := r.Rows.Close()
	err = errors.Join(err, r.conn.kept.give(r.stmt, err != nil))
	r.stmt = nil
	return err
}
