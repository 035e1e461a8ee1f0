package db

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
)

// Record is a row whose columns are not known beforehand.
type Record struct {
	Columns []string // shared by all rows of a query
	Values  []any    // as the engine gives them, but booleans as such on either
}

// Records gives the rows of a query one by one, whatever columns they have. The
// connection is held until the loop ends.
func Records(ctx context.Context, q Q, text string, args ...any) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		rows, err := q.query(ctx, text, args)
		if err != nil {
			yield(Record{}, explain(err))
			return
		}
		defer rows.Close()
		columns, yesNo, err := describe(rows)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for rows.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				if to[i] = &values[i]; yesNo[i] {
					to[i] = &truth{&values[i]}
				}
			}
			if err := rows.Scan(to...); err != nil {
				yield(Record{}, fmt.Errorf("read a row: %w", err))
				return
			}
			if !yield(Record{columns, values}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Record{}, explain(err))
		}
	}
}

// describe gives the names of the columns, and which of them are booleans.
func describe(rows *sql.Rows) (names []string, yesNo []bool, err error) {
	types, err := rows.ColumnTypes()
	for _, t := range types {
		names = append(names, t.Name())
		yesNo = append(yesNo, strings.HasPrefix(t.DatabaseTypeName(), "BOOL"))
	}
	return names, yesNo, err
}

// truth reads a boolean that SQLite keeps as a number.
type truth struct{ to *any }

// Scan implements sql.Scanner.
func (t *truth) Scan(v any) error {
	if n, ok := v.(int64); ok {
		v = n != 0
	}
	*t.to = v
	return nil
}
