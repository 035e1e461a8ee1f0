package db

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
)

// Schema tells how a database's schema and this program go together. Both are known
// by the number of a migration.
type Schema struct {
	Applied int64 // the last migration that the database has had
	Newest  int64 // the last that this program knows
	Oldest  int64 // the last that the oldest program knows which may run on the schema
}

// Fits refuses a database that a newer program has changed, unless the database itself
// says that this one may run on it: it would read and write what it does not understand.
func (s Schema) Fits() error {
	if s.Applied <= s.Newest || s.Oldest <= s.Newest {
		return nil
	}
	return fmt.Errorf("the database has schema %d, of a newer Lectern; this program knows schema %d and may not run "+
		"on it. Install the newer release again, or restore the backup that was made before the upgrade",
		s.Applied, s.Newest)
}

// Schema reads what the database says of its schema.
func (d *DB) Schema(ctx context.Context) (Schema, error) {
	s := Schema{Newest: newest()}
	applied, err := One[int64](ctx, d.Pool(), `SELECT coalesce(max(version_id), 0) FROM goose_db_version`)
	if noTable(err) {
		return s, nil // nobody has used the database yet
	}
	if err != nil {
		return s, fmt.Errorf("read the version of the schema: %w", err)
	}
	s.Applied, s.Oldest = *applied, *applied
	oldest, err := One[int64](ctx, d.Pool(), `SELECT oldest_program FROM schema_programs WHERE schema_version = $1`,
		s.Applied)
	switch {
	case err == nil:
		s.Oldest = *oldest
	case !noTable(err) && !fault.Is(err, fault.Missing):
		return s, fmt.Errorf("read which programs the schema is for: %w", err)
	}
	return s, nil
}

// Fits is Schema and its Fits in one.
func (d *DB) Fits(ctx context.Context) error {
	s, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	return s.Fits()
}

// newest is the number of the last migration this program knows.
func newest() (n int64) {
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	for _, name := range names {
		n = max(n, numberOf(strings.TrimPrefix(name, "migrations/")))
	}
	return n
}

// numberOf is the number of a migration, by the name of its file.
func numberOf(name string) int64 {
	head, _, _ := strings.Cut(name, "_")
	n, _ := strconv.ParseInt(head, 10, 64)
	return n
}
