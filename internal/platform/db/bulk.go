package db

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rowsAtOnce is how many rows a statement of Insert writes, so that their text stays
// within some megabytes.
const rowsAtOnce = 1000

// Insert writes many rows with few statements. Into is "table (a, b, c)"; tail, which
// may be empty, follows the values (ON CONFLICT ...). There are two texts of each: one
// for a single row, and one for any number of them, which travel as one argument.
func Insert(ctx context.Context, q Q, into, tail string, rows [][]any) error {
	if len(rows) == 1 {
		list, args := List(nil, rows[0])
		_, err := Exec(ctx, q, "INSERT INTO "+into+" VALUES "+list+" "+tail, args...)
		return err
	}
	for some := range slices.Chunk(rows, rowsAtOnce) {
		from, data, err := selected(q, into, some)
		if err != nil {
			return err
		}
		if _, err := Exec(ctx, q, "INSERT INTO "+into+" "+from+" "+tail, data); err != nil {
			return err
		}
	}
	return nil
}

// selected writes what gives the rows to be inserted, and its one argument. PostgreSQL
// reads the types of the columns off the table.
func selected(q Q, into string, rows [][]any) (text, data string, err error) {
	table, list, _ := strings.Cut(into, "(")
	columns := strings.Split(strings.TrimRight(list, ") "), ",")
	values, binary := make([]any, len(rows)), make([]bool, len(columns))
	for i, row := range rows {
		cells := make([]any, len(columns))
		for k, v := range row {
			if cells[k], err = driver.DefaultParameterConverter.ConvertValue(v); err != nil {
				return "", "", fmt.Errorf("insert into %s: %w", into, err)
			}
			if b, ok := cells[k].([]byte); ok {
				cells[k], binary[k] = hex.EncodeToString(b), true
			}
		}
		values[i] = cells
	}
	for k := range columns {
		columns[k] = strings.TrimSpace(columns[k])
	}
	if q.Postgres() {
		return fromRecords(strings.TrimSpace(table), columns, values, binary)
	}
	from := make([]string, len(columns))
	for k := range columns {
		from[k] = "value ->> " + strconv.Itoa(k)
		if binary[k] {
			from[k] = "unhex(" + from[k] + ")"
		}
	}
	all, err := json.Marshal(values)
	// The condition keeps ON CONFLICT from being read as part of a join.
	return "SELECT " + strings.Join(from, ", ") + " FROM json_each($1) WHERE TRUE", string(all), err
}

// fromRecords is selected for PostgreSQL.
func fromRecords(table string, columns []string, rows []any, binary []bool) (text, data string, err error) {
	records := make([]map[string]any, len(rows))
	for i, row := range rows {
		records[i] = make(map[string]any, len(columns))
		for k, v := range row.([]any) {
			if v != nil && binary[k] {
				v = `\x` + v.(string)
			}
			records[i][columns[k]] = v
		}
	}
	all, err := json.Marshal(records)
	return "SELECT " + strings.Join(columns, ", ") + " FROM json_populate_recordset(CAST(NULL AS " + table +
		"), CAST($1 AS json))", string(all), err
}

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
