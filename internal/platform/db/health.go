package db

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/clock"
)

// Health is what there is to know of a database before trusting it.
type Health struct {
	Version        string
	Schema, Newest int64         // numbers of the last migration applied, and known
	Skew           time.Duration // how far the database's clock is from ours
}

const oldestPostgres = 150000

// Health looks at the engine, its clock, the schema and, on SQLite, the file.
func (d *DB) Health(ctx context.Context) (*Health, error) {
	h := &Health{Newest: newest()}
	var err error
	if d.postgres {
		err = d.postgresHealth(ctx, h)
	} else {
		err = d.sqliteHealth(ctx, h)
	}
	if err != nil {
		return nil, err
	}
	// A database without the table has had no migration yet.
	if v, err := One[int64](ctx, d.Pool(), `SELECT coalesce(max(version_id), 0) FROM goose_db_version`); err == nil {
		h.Schema = *v
	}
	return h, nil
}

func (d *DB) postgresHealth(ctx context.Context, h *Health) error {
	number, err := One[string](ctx, d.Pool(), `SELECT current_setting('server_version_num')`)
	if err != nil {
		return err
	}
	if n, _ := strconv.Atoi(*number); n < oldestPostgres {
		return fmt.Errorf("PostgreSQL %s is too old; 15 or newer is needed", *number)
	}
	version, err := One[string](ctx, d.Pool(), `SELECT current_setting('server_version')`)
	if err != nil {
		return err
	}
	now, err := One[clock.Time](ctx, d.Pool(), `SELECT clock_timestamp()`)
	if err != nil {
		return err
	}
	h.Version, h.Skew = *version, time.Since(now.Time)
	return nil
}

func (d *DB) sqliteHealth(ctx context.Context, h *Health) error {
	version, err := One[string](ctx, d.Pool(), `SELECT sqlite_version()`)
	if err != nil {
		return err
	}
	report, err := One[string](ctx, d.Pool(), `PRAGMA quick_check(1)`)
	if err != nil {
		return err
	}
	if *report != "ok" {
		return fmt.Errorf("the SQLite file is damaged: %s", *report)
	}
	h.Version = *version
	return nil
}

// newest is the number of the last migration this program knows.
func newest() (n int64) {
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	for _, name := range names {
		head, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		v, _ := strconv.ParseInt(head, 10, 64)
		n = max(n, v)
	}
	return n
}
