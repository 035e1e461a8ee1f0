package db

import (
	"context"
	_ "embed" // the record of the release before
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// An upgrade has a window in which the release before runs beside the new one, on the new schema.
// Migrations therefore add in one release and take away in the next. One that programs without it
// cannot live with says so, and then everything is stopped first.

// previousRelease names the commit of the release before and its newest migration.
//
//go:embed previous_release.txt
var previousRelease string

// stopFirst are the words of a migration that programs which do not know it cannot live with.
const stopFirst = "-- stop first"

// PreviousRelease tells the commit of the release before, and the newest migration it knows.
func PreviousRelease() (commit string, schema int64, err error) {
	commit, number, _ := strings.Cut(strings.TrimSpace(previousRelease), " ")
	schema, err = strconv.ParseInt(number, 10, 64)
	return commit, schema, err
}

// oldestProgram is the newest migration that the oldest program knows which can live with the
// schema of this one.
func oldestProgram(list fs.FS) (int64, error) {
	_, oldest, err := PreviousRelease()
	if err != nil {
		return 0, fmt.Errorf("read which release was before: %w", err)
	}
	names, err := fs.Glob(list, "*.sql")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(list, name)
		if err != nil {
			return 0, err
		}
		if n := numberOf(name); n > oldest && strings.Contains(string(text), stopFirst) {
			oldest = n
		}
	}
	return oldest, nil
}

// tellPrograms records which programs may run on the schema of this one, once it is there.
func (d *DB) tellPrograms(ctx context.Context, list fs.FS) error {
	s, err := d.Schema(ctx)
	if err != nil || s.Applied != s.Newest {
		return err
	}
	oldest, err := oldestProgram(list)
	if err != nil || s.Oldest == oldest {
		return err
	}
	return d.Tx(ctx, func(q Q) error {
		_, err := Exec(ctx, q, `INSERT INTO schema_programs (schema_version, oldest_program) VALUES ($1, $2)
			ON CONFLICT (schema_version) DO UPDATE SET oldest_program = excluded.oldest_program`, s.Newest, oldest)
		return err
	})
}
