package main

import (
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// future is the number of a migration that no program of today knows.
const future = int64(99_000)

// ofAFutureRelease gives the flags of a database whose schema is newer than the program.
func ofAFutureRelease(t *testing.T, engine string) []string {
	t.Helper()
	args := []string{"--data", t.TempDir()}
	if engine == "postgres" {
		args = append(args, "--database-url", dbtest.Bare(t, engine))
	}
	if out, err := run(t, append([]string{"migrate"}, args...)...); err != nil {
		t.Fatalf("migrate: %v %s", err, out)
	}
	write(t, args, `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, TRUE)`, future)
	return args
}

// write changes the database that the flags name.
func write(t *testing.T, args []string, text string, values ...any) {
	t.Helper()
	d, err := db.Open(addressOf(args), db.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Tx(t.Context(), func(q db.Q) error {
		_, err := db.Exec(t.Context(), q, text, values...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// ofTheDatabase are all commands that open the database, but for the doctor.
var ofTheDatabase = [][]string{
	{"serve", "--addr", "127.0.0.1:0"}, {"worker"}, {"migrate"}, {"audit", "verify"},
	{"user", "add", "jdoe", "--email", "j@example.edu", "--first-name", "J", "--last-name", "D"},
	{"user", "password", "aadmin"}, {"user", "link", "aadmin"}, {"user", "reset-second-factor", "aadmin"},
	{"user", "list"}, {"user", "export", "aadmin"}, {"user", "erase", "aadmin", "--yes"},
	{"unit", "retire", "1"},
}

func TestEveryCommandOfAnOlderProgramRefusesANewerSchema(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := ofAFutureRelease(t, engine)
		for _, words := range ofTheDatabase {
			c := command(t, append(slices.Clone(words), args...)...)
			c.Stdin = strings.NewReader("a long password\n")
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "schema 99000, of a newer Lectern") ||
				!strings.Contains(string(out), "Install the newer release again") {
				t.Errorf("%v: %v %s", words, err, out)
			}
		}
		out, err := run(t, append([]string{"doctor"}, args...)...)
		if err == nil || !strings.Contains(out, "FIX  schema     version 99000 of ") ||
			!strings.Contains(out, "no command of this one runs on it") {
			t.Errorf("doctor: %v %s", err, out)
		}
	})
}

func TestAnOlderProgramRunsWhereTheNewerSchemaSaysSo(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := ofAFutureRelease(t, engine)
		list := func() (string, error) { return run(t, append([]string{"user", "list"}, args...)...) }
		write(t, args, `INSERT INTO schema_programs (schema_version, oldest_program) VALUES ($1, $2)`, future, future-1)
		if out, err := list(); err == nil || !strings.Contains(out, "of a newer Lectern") {
			t.Errorf("a program older than the record says: %v %s", err, out)
		}
		write(t, args, `UPDATE schema_programs SET oldest_program = 43 WHERE schema_version = $1`, future)
		if out, err := list(); err != nil {
			t.Errorf("user list: %v %s", err, out)
		}
		start(t, args...).stop()
		out, err := run(t, append([]string{"doctor"}, args...)...)
		if err != nil || !strings.Contains(out, "says that this one may still run on it") {
			t.Errorf("doctor: %v %s", err, out)
		}
	})
}
