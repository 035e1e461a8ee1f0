package db

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Table is a table of the schema, with what it takes to copy its rows elsewhere.
type Table struct {
	Name    string
	Columns []string

	instants map[string]bool // every column, and whether PostgreSQL keeps it as a moment
}

// quoted is the name as part of a statement. Names come from the schema, never from people.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quotedAll(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quoted(name)
	}
	return strings.Join(list, ", ")
}

// Tables lists the tables and their columns by name, but for the record of migrations, which
// belongs to the schema.
func Tables(ctx context.Context, q Q) ([]Table, error) {
	text := `SELECT m.name AS table_name, p.name, p.type FROM sqlite_master m JOIN pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY m.name, p.cid`
	if q.Postgres() {
		text = `SELECT c.table_name, c.column_name AS name, c.data_type AS type FROM information_schema.columns c
			JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
			ORDER BY c.table_name COLLATE "C", c.ordinal_position`
	}
	type column struct {
		Table string `db:"table_name"`
		Name  string `db:"name"`
		Type  string `db:"type"`
	}
	var out []Table
	for c, err := range Each[column](ctx, q, text) {
		if err != nil {
			return nil, fmt.Errorf("list the tables: %w", err)
		}
		if c.Table == "goose_db_version" {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Name != c.Table {
			out = append(out, Table{Name: c.Table, instants: map[string]bool{}})
		}
		t := &out[len(out)-1]
		t.Columns = append(t.Columns, c.Name)
		t.instants[c.Name] = strings.HasPrefix(c.Type, "timestamp")
	}
	return out, nil
}

// Rows gives the rows of a table in a form that is the same on both engines: moments and days
// as SQLite keeps them, booleans as such, bytes as []byte, and numbers and text.
func (t *Table) Rows(ctx context.Context, q Q) iter.Seq2[[]any, error] {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if list[i] = quoted(c); q.Postgres() && t.instants[c] {
			list[i] = `to_char(` + list[i] + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ` + list[i]
		}
	}
	return func(yield func([]any, error) bool) {
		for r, err := range Records(ctx, q, `SELECT `+strings.Join(list, ", ")+` FROM `+quoted(t.Name)) {
			if err != nil {
				yield(nil, fmt.Errorf("read the table %s: %w", t.Name, err))
				return
			}
			for i, v := range r.Values {
				r.Values[i] = plain(v)
			}
			if !yield(r.Values, nil) {
				return
			}
		}
	}
}

// Numbers tells the last id that each table has given, so that none is given twice. SQLite notes 0 of
// some that gave none yet.
func Numbers(ctx context.Context, q Q) (map[string]int64, error) {
	text := `SELECT name, seq AS last FROM sqlite_sequence WHERE seq > 0`
	if q.Postgres() {
		text = `SELECT replace(sequencename, '_id_seq', '') AS name, last_value AS last FROM pg_sequences
			WHERE schemaname = current_schema() AND last_value IS NOT NULL AND sequencename LIKE '%~_id~_seq' ESCAPE '~'`
	}
	type number struct {
		Name string `db:"name"`
		Last int64  `db:"last"`
	}
	out := map[string]int64{}
	for n, err := range Each[number](ctx, q, text) {
		if err != nil {
			return nil, fmt.Errorf("read the last ids: %w", err)
		}
		if n.Name != "goose_db_version" {
			out[n.Name] = n.Last
		}
	}
	return out, nil
}

// plain gives a day as its text: PostgreSQL's driver makes a moment of it.
func plain(v any) any {
	if day, ok := v.(time.Time); ok {
		return day.Format(time.DateOnly)
	}
	return v
}
