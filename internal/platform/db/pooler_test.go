package db_test

import (
	"net/url"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// A pooler hands each transaction another connection, on which a statement that
// was prepared before does not exist; the address can switch preparing off.
func TestPoolerMode(t *testing.T) {
	plain, err := url.Parse(dbtest.Address(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	for mode, prepares := range map[string]bool{"": true, "exec": false} {
		addr := *plain
		if mode != "" {
			q := addr.Query()
			q.Set("default_query_exec_mode", mode)
			addr.RawQuery = q.Encode()
		}
		d, err := db.Open(addr.String(), db.Options{Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		err = d.Tx(t.Context(), func(q db.Q) error {
			for range 3 {
				if _, err := add(t.Context(), q, "Burwood", "B"); err != nil {
					return err
				}
				if _, err := db.Exec(t.Context(), q, `DELETE FROM campuses`); err != nil {
					return err
				}
			}
			n, err := db.One[int64](t.Context(), q, `SELECT count(*) FROM pg_prepared_statements`)
			if err == nil && (*n > 0) != prepares {
				t.Errorf("mode %q: %d statements are prepared", mode, *n)
			}
			return err
		})
		if err != nil {
			t.Errorf("mode %q: %v", mode, err)
		}
	}
}
