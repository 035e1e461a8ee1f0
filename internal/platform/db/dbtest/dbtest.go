// Package dbtest gives tests a fresh database of each engine: SQLite always,
// PostgreSQL from LECTERN_TEST_DATABASE_URL or from a private server started
// with the binaries found on the machine. Where there is neither, the tests on
// PostgreSQL are skipped with one line, or fail when LECTERN_TEST_REQUIRE is set.
package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Each runs f on a fresh, migrated database of each engine, on both at once.
func Each(t *testing.T, f func(t *testing.T, d *db.DB)) {
	t.Helper()
	Engines(t, func(t *testing.T, engine string) { f(t, New(t, engine, nil)) })
}

// Engines runs f for each engine at once, as subtests of their names: one waits
// for its disk while the other computes. It returns when both have ended.
func Engines(t *testing.T, f func(t *testing.T, engine string)) {
	t.Helper()
	var both sync.WaitGroup
	for _, engine := range []string{"sqlite", "postgres"} {
		both.Go(func() { t.Run(engine, func(t *testing.T) { f(t, engine) }) })
	}
	both.Wait()
}

// New gives a fresh, migrated database of engine ("sqlite" or "postgres"),
// whose clock may be given.
func New(t testing.TB, engine string, c clock.Clock) *db.DB {
	t.Helper()
	d, err := db.Open(Address(t, engine), db.Options{Clock: c, Readers: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// Address gives the address of a fresh, migrated database of engine, for tests
// that start the program itself.
func Address(t testing.TB, engine string) string {
	t.Helper()
	if engine == "postgres" {
		return newPostgres(t)
	}
	path := filepath.Join(t.TempDir(), "lectern.db")
	template, err := sqliteTemplate()
	if err == nil {
		err = os.WriteFile(path, template, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Load skips a test that measures the service under load, which needs the
// machine to itself, unless LECTERN_TEST_LOAD is set.
func Load(t testing.TB) {
	t.Helper()
	if !Quiet() {
		t.Skip("measures under load; set LECTERN_TEST_LOAD=1 on a quiet machine to run it")
	}
}

// Quiet tells whether the machine is said to have nothing else to do, by LECTERN_TEST_LOAD:
// only then does the time that something takes prove anything.
func Quiet() bool { return os.Getenv("LECTERN_TEST_LOAD") != "" }

// Full tells whether what is measured is to be as large as promised, by LECTERN_TEST_FULL: it takes longer than
// every landing can wait.
func Full() bool { return os.Getenv("LECTERN_TEST_FULL") != "" }

// Bare gives the address of an empty database of engine, without a schema.
func Bare(t testing.TB, engine string) string {
	t.Helper()
	if engine != "postgres" {
		return filepath.Join(t.TempDir(), "lectern.db")
	}
	server, err := postgresServer()
	if err != nil {
		Missing(t, "PostgreSQL: %v", err)
	}
	name := fmt.Sprintf("lectern_bare_%d", time.Now().UnixNano())
	if err := server.exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	return server.address(name)
}

// Reference is a column that refers to a row of another table.
type Reference struct {
	From   string `db:"from_table"`
	Column string `db:"from_column"`
	To     string `db:"to_table"`
	Goes   bool   `db:"goes"` // the row with what it refers to
}

// References gives all references of the schema of a SQLite database.
func References(t testing.TB, d *db.DB) []Reference {
	t.Helper()
	list, err := db.All[Reference](t.Context(), d.Pool(), `SELECT m.name AS from_table, f."from" AS from_column,
		f."table" AS to_table, f.on_delete = 'CASCADE' AS goes FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sqliteTemplate is the bytes of an empty, migrated database: copying it is
// much faster than migrating anew for every test.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "lectern-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "t.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrate(addr string) error {
	d, err := db.Open(addr, db.Options{})
	if err != nil {
		return err
	}
	if _, err := d.Migrate(context.Background()); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}

func newPostgres(t testing.TB) string {
	t.Helper()
	server, err := postgresServer()
	if err != nil {
		Missing(t, "PostgreSQL: %v", err)
	}
	name, err := server.take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.give(name) })
	return server.address(name)
}

// Missing skips a test whose counterpart is not on this machine, or fails it
// where the machine was meant to have everything.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("LECTERN_TEST_REQUIRE") != "" {
		t.Fatalf("required by LECTERN_TEST_REQUIRE but missing: "+format, args...)
	}
	t.Skipf("skipped, missing on this machine: "+format, args...)
}

// Long skips a test that takes long unless LECTERN_TEST_LONG is set.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("LECTERN_TEST_LONG") == "" {
		t.Skip("takes long; set LECTERN_TEST_LONG=1 to run it")
	}
}

func withDatabase(base, name string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Path = "/" + name
	return u.String()
}
