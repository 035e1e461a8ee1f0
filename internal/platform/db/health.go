package db

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
)

// Health is what there is to know of a database before trusting it.
type Health struct {
	Version string
	Schema  Schema
	Skew    time.Duration // how far the database's clock is from ours
}

const oldestPostgres = 150000

// Health looks at the engine, its clock, the schema and, on SQLite, the file.
func (d *DB) Health(ctx context.Context) (*Health, error) {
	h := &Health{}
	var err error
	if d.postgres {
		err = d.postgresHealth(ctx, h)
	} else {
		err = d.sqliteHealth(ctx, h)
	}
	if err != nil {
		return nil, err
	}
	h.Schema, err = d.Schema(ctx)
	return h, err
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
