package db

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Rows writes a derived table out of many rows that travel as one argument, so
// that one statement inserts or changes them all: its text, to stand in FROM,
// and args with the rows appended. Columns are "name TYPE", with PostgreSQL's
// names of the types; values must encode as JSON in the form the column stores.
func Rows(q Q, args []any, columns []string, rows [][]any) (string, []any, error) {
	if rows == nil {
		rows = [][]any{} // null is no list
	}
	data, err := json.Marshal(rows)
	if err != nil {
		return "", nil, fmt.Errorf("encode rows: %w", err)
	}
	var b strings.Builder
	b.WriteString("(SELECT ")
	for i, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		if i > 0 {
			b.WriteString(", ")
		}
		if q.Postgres() {
			fmt.Fprintf(&b, "CAST(value ->> %d AS %s) AS %s", i, kind, name)
		} else {
			fmt.Fprintf(&b, "value ->> %d AS %s", i, name)
		}
	}
	args = append(args, string(data))
	at := "$" + strconv.Itoa(len(args))
	if q.Postgres() {
		at = "json_array_elements(CAST(" + at + " AS json))"
	} else {
		at = "json_each(" + at + ")"
	}
	return b.String() + " FROM " + at + ")", args, nil
}
