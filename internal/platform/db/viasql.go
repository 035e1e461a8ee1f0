package db

import (
	"context"
	"database/sql"
	"errors"
)

// viaSQL runs statements through database/sql: on PostgreSQL, and on SQLite's writer.
type viaSQL struct {
	db interface {
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
		ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	}
}

func (v viaSQL) query(ctx context.Context, text string, args []any, f func(rows) error) error {
	rows, err := v.db.QueryContext(ctx, text, args...) //nolint:rowserrcheck // f asks for it
	if err != nil {
		return err
	}
	defer rows.Close() // also when f panics: others may share the transaction
	return errors.Join(f(sqlRows{rows}), rows.Close())
}

func (v viaSQL) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	return v.db.ExecContext(ctx, text, args...)
}

type sqlRows struct{ *sql.Rows }

func (r sqlRows) types() (names []string, err error) {
	types, err := r.ColumnTypes()
	for _, t := range types {
		names = append(names, t.DatabaseTypeName())
	}
	return names, err
}
