package db

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"lectern/internal/ground/fault"
)

// One gives the single row of a query as a T; fault.Missing when there is none.
// Callers that know what is missing should say so: see OneOf.
func One[T any](ctx context.Context, q Q, text string, args ...any) (*T, error) {
	return OneOf[T](ctx, q, "record", text, args...)
}

// OneOf is One with the name of the thing for the message when it is not there.
func OneOf[T any](ctx context.Context, q Q, what, text string, args ...any) (*T, error) {
	for t, err := range Each[T](ctx, q, text, args...) {
		if err != nil {
			return nil, err
		}
		return &t, nil
	}
	return nil, fault.New(fault.Missing, "there is no such %s", what)
}

// All gives the rows of a query. The list is never nil, so it encodes as [].
func All[T any](ctx context.Context, q Q, text string, args ...any) ([]T, error) {
	out := []T{}
	for t, err := range Each[T](ctx, q, text, args...) {
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// Each gives the rows of a query one by one, each column going to the field
// whose db tag names it; a T that is no struct takes the only column. The
// connection is held until the loop ends.
func Each[T any](ctx context.Context, q Q, text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		stopped := false
		err := q.query(ctx, text, args, func(rows rows) error {
			var t T
			to, err := targets(&t, rows)
			if err != nil {
				return err
			}
			for rows.Next() {
				t = zero
				if err := rows.Scan(to...); err != nil {
					return fmt.Errorf("read a row: %w", err)
				}
				if stopped = !yield(t, nil); stopped {
					return nil
				}
			}
			return rows.Err()
		})
		if err != nil && !stopped {
			yield(zero, explain(err))
		}
	}
}

// Exec runs a statement that gives no rows and tells how many it changed.
func Exec(ctx context.Context, q Q, text string, args ...any) (int64, error) {
	res, err := q.exec(ctx, text, args)
	if err != nil {
		return 0, explain(err)
	}
	return res.RowsAffected()
}

// targets gives pointers into t for the columns of rows. They stay valid from
// row to row because t is assigned in place.
func targets[T any](t *T, rows rows) ([]any, error) {
	v := reflect.ValueOf(t).Elem()
	if _, scans := any(t).(sql.Scanner); scans || v.Kind() != reflect.Struct {
		return []any{t}, nil
	}
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	by := plan(v.Type())
	dst := make([]any, len(cols))
	for i, c := range cols {
		index, ok := by[c]
		if !ok {
			return nil, fmt.Errorf("%v has no field for column %q", v.Type(), c)
		}
		dst[i] = v.FieldByIndex(index).Addr().Interface()
	}
	return dst, nil
}

var plans sync.Map // of reflect.Type to map[string][]int

func plan(t reflect.Type) map[string][]int {
	if m, ok := plans.Load(t); ok {
		return m.(map[string][]int)
	}
	by := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("db"); name != "" {
			by[name] = f.Index
		}
	}
	m, _ := plans.LoadOrStore(t, by)
	return m.(map[string][]int)
}

// In writes the list of an IN condition: its text, ($3, $4, $5, $6) when two
// arguments stand before it, and args with the values appended. The last value is
// repeated until there are 1, 2, 4, 8 … of them, so that lists of any length make
// few texts, which are parsed once. An empty list becomes (NULL), which nothing is in.
func In[T any](args []any, values []T) (string, []any) {
	if len(values) == 0 {
		return "(NULL)", args
	}
	text, args := List(args, values)
	more := fewShapes(len(values)) - len(values)
	if more == 0 {
		return text, args
	}
	var b strings.Builder
	b.WriteString(text[:len(text)-1])
	for range more {
		args = append(args, values[len(values)-1])
		b.WriteString(", $")
		b.WriteString(strconv.Itoa(len(args)))
	}
	b.WriteByte(')')
	return b.String(), args
}

// fewShapes rounds n up to a power of two, from 256 on to a multiple of that:
// lists that long are rare, and the engines limit the number of arguments.
func fewShapes(n int) int {
	const step = 256
	if n >= step {
		return (n + step - 1) / step * step
	}
	return 1 << bits.Len(uint(n-1)) //nolint:gosec // n is above 0
}

// List writes values in parentheses, as VALUES takes them: its text, ($3, $4)
// when two arguments stand before it, and args with the values appended.
func List[T any](args []any, values []T) (string, []any) {
	var b strings.Builder
	for i, v := range values {
		if i == 0 {
			b.WriteString("($")
		} else {
			b.WriteString(", $")
		}
		args = append(args, v)
		b.WriteString(strconv.Itoa(len(args)))
	}
	b.WriteByte(')')
	return b.String(), args
}

// Literals writes the list of an IN condition over words that the program
// itself defines, such as ('queued', 'processing'), so that a fixed text can
// hold them. It panics at what is not made of a to z and _: what comes from
// people travels as an argument, never as text.
func Literals[S ~string](words ...S) string {
	var b strings.Builder
	for i, w := range words {
		if w == "" || strings.Trim(string(w), "abcdefghijklmnopqrstuvwxyz_") != "" {
			panic(fmt.Sprintf("db: %q is no plain word", w))
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + string(w) + "'")
	}
	return "(" + b.String() + ")"
}
