package db_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// firstBack is the first migration whose way back is walked: older ones are on record in installations.
const firstBack = "00064"

// What the latest migrations made is taken away by their way back, and made anew.
func TestTheLatestMigrationsGoBack(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			d, err := db.Open(dbtest.Bare(t, engine), db.Options{Readers: 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			if _, err := d.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			paths, err := filepath.Glob("migrations/*.sql")
			if err != nil {
				t.Fatal(err)
			}
			paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) < firstBack })
			slices.Reverse(paths)
			for _, path := range paths {
				back(t, d, path)
			}
			again, err := d.Migrate(t.Context())
			if err != nil || len(again) != len(paths) || len(paths) == 0 {
				t.Errorf("of %d migrations %v ran again: %v", len(paths), again, err)
			}
		})
	}
}

// back runs the way back of a migration.
func back(t *testing.T, d *db.DB, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, down, _ := strings.Cut(string(text), "-- +goose Down\n")
	if strings.Contains(down, "StatementBegin") || down == "" {
		t.Fatalf("%s has a way back that this test does not read", path)
	}
	number := strings.TrimLeft(strings.SplitN(filepath.Base(path), "_", 2)[0], "0")
	err = d.Tx(t.Context(), func(q db.Q) error {
		for _, one := range append(strings.Split(down, ";\n"), "DELETE FROM goose_db_version WHERE version_id = "+number) {
			if strings.TrimSpace(one) == "" {
				continue
			}
			if _, err := db.Exec(t.Context(), q, one); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s does not go back: %v", path, err)
	}
}
