package db

import (
	"fmt"
	"reflect"
	"strings"
)

// Columns lists columns in a statement, each behind a prefix such as "u.".
func Columns(prefix string, columns []string) string {
	return prefix + strings.Join(columns, ", "+prefix)
}

// Values gives what the fields of a struct hold whose db tags name the columns,
// in their order, for a statement that writes them. A column that no field holds
// is a mistake in the program, and panics.
func Values[T any](record *T, columns []string) []any {
	v := reflect.ValueOf(record).Elem()
	fields := plan(v.Type())
	out := make([]any, len(columns))
	for i, c := range columns {
		at, ok := fields[c]
		if !ok {
			panic(fmt.Sprintf("%T has no field for the column %s", record, c))
		}
		out[i] = v.FieldByIndex(at).Interface()
	}
	return out
}
