package db_test

import (
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func TestVersionChangesWithEveryCommit(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			addr := dbtest.Address(t, engine)
			open := func() *db.DB {
				d, err := db.Open(addr, db.Options{Readers: 2})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { d.Close() })
				return d
			}
			d, other := open(), open()
			version := func() string {
				v, err := d.Version(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			last := version()
			for i, write := range []func(func(db.Q) error) error{
				func(f func(db.Q) error) error { return d.Tx(t.Context(), f) },
				func(f func(db.Q) error) error { return d.Brief(t.Context(), f) },
				func(f func(db.Q) error) error { return other.Tx(t.Context(), f) },
			} {
				if _, err := db.All[int64](t.Context(), other.Pool(), `SELECT id FROM campuses`); err != nil {
					t.Fatal(err)
				}
				if v := version(); v != last {
					t.Errorf("reading made %q of %q", v, last)
				}
				name := string(rune('A' + i))
				err := write(func(q db.Q) error { _, err := add(t.Context(), q, name, name); return err })
				if v := version(); err != nil || v == last {
					t.Errorf("write %d: still %q, %v", i, v, err)
				}
				last = version()
			}
		})
	}
}
