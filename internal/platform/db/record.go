package db

import (
	"context"
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
		stopped := false
		err := q.query(ctx, text, args, func(rows rows) error {
			columns, yesNo, err := describe(rows)
			if err != nil {
				return err
			}
			for rows.Next() {
				values, to := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					if to[i] = &values[i]; yesNo[i] {
						to[i] = &truth{&values[i]}
					}
				}
				if err := rows.Scan(to...); err != nil {
					return fmt.Errorf("read a row: %w", err)
				}
				if stopped = !yield(Record{columns, values}, nil); stopped {
					return nil
				}
			}
			return rows.Err()
		})
		if err != nil && !stopped {
			yield(Record{}, explain(err))
		}
	}
}

// describe gives the names of the columns, and which of them are booleans.
func describe(rows rows) (names []string, yesNo []bool, err error) {
	names, err = rows.Columns()
	if err != nil {
		return nil, nil, err
	}
	types, err := rows.types()
	for _, t := range types {
		yesNo = append(yesNo, strings.HasPrefix(t, "BOOL"))
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
