package db

import (
	"context"
	"fmt"
	"iter"
)

// Record is a row whose columns are not known beforehand.
type Record struct {
	Columns []string // shared by all rows of a query
	Values  []any    // as the engine gives them
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
		columns, err := rows.Columns()
		if err != nil {
			yield(Record{}, err)
			return
		}
		for rows.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
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
