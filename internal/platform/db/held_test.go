package db_test

import (
	"errors"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// Whoever measures is told of each write transaction how long it lasted, kept or not.
func TestHolding(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var held []time.Duration
		ctx := db.Holding(t.Context(), func(d time.Duration) { held = append(held, d) })
		pause := func(db.Q) error { time.Sleep(20 * time.Millisecond); return nil }
		if err := errors.Join(d.Tx(ctx, pause), d.Brief(ctx, pause)); err != nil {
			t.Fatal(err)
		}
		_ = d.Tx(ctx, func(db.Q) error { return errors.New("no") })
		if len(held) != 3 || held[0] < 20*time.Millisecond || held[1] < 20*time.Millisecond {
			t.Errorf("%v", held)
		}
	})
}
