package db

import (
	"context"
	"fmt"
	"strings"
)

// Loading fills a database of this schema with rows from elsewhere, in one transaction. Rows
// may come in any order of their tables: what refers to what is checked at the end. Triggers
// stand still, since what they write comes along.
type Loading struct {
	q      Q
	tables map[string]Table
	resume []string // statements that put the schema back as it was
}

// Load empties every table, lets f fill them, and commits when all references hold. It is for
// a database that nobody uses yet.
func (d *DB) Load(ctx context.Context, f func(Q, *Loading) error) error {
	return d.Tx(ctx, func(q Q) error {
		l := &Loading{q: q, tables: map[string]Table{}}
		if err := l.begin(ctx); err != nil {
			return fmt.Errorf("make the tables ready: %w", err)
		}
		if err := f(q, l); err != nil {
			return err
		}
		return l.end(ctx)
	})
}

func (l *Loading) begin(ctx context.Context) error {
	tables, err := Tables(ctx, l.q)
	if err != nil {
		return err
	}
	for _, t := range tables {
		l.tables[t.Name] = t
	}
	if l.q.Postgres() {
		return l.beginPostgres(ctx, tables)
	}
	return l.beginSQLite(ctx, tables)
}

func (l *Loading) beginSQLite(ctx context.Context, tables []Table) error {
	type trigger struct {
		Name string `db:"name"`
		SQL  string `db:"sql"`
	}
	all, err := All[trigger](ctx, l.q, `SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`)
	if err != nil {
		return err
	}
	texts := []string{`PRAGMA defer_foreign_keys = 1`}
	for _, t := range all {
		texts = append(texts, `DROP TRIGGER `+quoted(t.Name))
		l.resume = append(l.resume, t.SQL)
	}
	for _, t := range tables {
		texts = append(texts, `DELETE FROM `+quoted(t.Name))
	}
	return l.each(ctx, append(texts, `DELETE FROM sqlite_sequence WHERE name <> 'goose_db_version'`))
}

func (l *Loading) beginPostgres(ctx context.Context, tables []Table) error {
	type reference struct {
		Table string `db:"table_name"`
		Name  string `db:"name"`
	}
	all, err := All[reference](ctx, l.q, `SELECT r.relname AS table_name, c.conname AS name FROM pg_constraint c
		JOIN pg_class r ON r.oid = c.conrelid JOIN pg_namespace n ON n.oid = r.relnamespace
		WHERE c.contype = 'f' AND NOT c.condeferrable AND n.nspname = current_schema()`)
	if err != nil {
		return err
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	texts := []string{`TRUNCATE ` + quotedAll(names)}
	l.resume = []string{`SET CONSTRAINTS ALL IMMEDIATE`} // which looks at them all
	for _, r := range all {
		change := `ALTER TABLE ` + quoted(r.Table) + ` ALTER CONSTRAINT ` + quoted(r.Name)
		texts = append(texts, change+` DEFERRABLE INITIALLY DEFERRED`)
		l.resume = append(l.resume, change+` NOT DEFERRABLE`)
	}
	for _, name := range names {
		texts = append(texts, `ALTER TABLE `+quoted(name)+` DISABLE TRIGGER USER`)
		l.resume = append(l.resume, `ALTER TABLE `+quoted(name)+` ENABLE TRIGGER USER`)
	}
	return l.each(ctx, texts)
}

// Rows writes rows of a table, whose values stand in the order of the columns. A table or a
// column that the schema does not have is refused.
func (l *Loading) Rows(ctx context.Context, table string, columns []string, rows [][]any) error {
	t, known := l.tables[table]
	if !known {
		return fmt.Errorf("the schema has no table %q", table)
	}
	for _, c := range columns {
		if _, known := t.instants[c]; !known {
			return fmt.Errorf("the table %s has no column %q", table, c)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := Insert(ctx, l.q, table+" ("+strings.Join(columns, ", ")+")", "", rows); err != nil {
		return fmt.Errorf("fill the table %s: %w", table, err)
	}
	return nil
}

// Numbers says which ids were given last: see the function of that name.
func (l *Loading) Numbers(ctx context.Context, last map[string]int64) error {
	for table, n := range last {
		if _, known := l.tables[table]; !known {
			return fmt.Errorf("the schema has no table %q", table)
		}
		if n == 0 {
			continue // backups of before say so of tables that gave none
		}
		text := `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`
		if !l.q.Postgres() {
			if _, err := Exec(ctx, l.q, `DELETE FROM sqlite_sequence WHERE name = $1`, table); err != nil {
				return err
			}
			text = `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`
		}
		if _, err := Exec(ctx, l.q, text, table, n); err != nil {
			return fmt.Errorf("set the last id of %s: %w", table, err)
		}
	}
	return nil
}

func (l *Loading) end(ctx context.Context) error {
	if err := l.each(ctx, l.resume); err != nil {
		return fmt.Errorf("put the tables to use: %w", err)
	}
	return nil
}

func (l *Loading) each(ctx context.Context, texts []string) error {
	for _, text := range texts {
		if _, err := Exec(ctx, l.q, text); err != nil {
			return fmt.Errorf("%.200s: %w", text, err)
		}
	}
	return nil
}

// Used tells whether a database holds anything of anybody: an account, or a name of its own.
func (d *DB) Used(ctx context.Context) (bool, error) {
	n, err := One[int64](ctx, d.Pool(), `SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM audit_entries)`)
	if err != nil {
		return false, fmt.Errorf("look whether the database is empty: %w", err)
	}
	return *n > 0, nil
}
