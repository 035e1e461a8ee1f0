package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

func TestDoctorNamesTheWorkWhoseFilesAreLost(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := storage(t, engine)
		start(t, append([]string{"--demo"}, args...)...).stop()
		doctor := func(more ...string) (string, error) {
			return run(t, append(append([]string{"doctor"}, more...), args...)...)
		}
		for _, more := range [][]string{nil, {"--all"}} {
			if out, err := doctor(more...); err != nil || !strings.Contains(out, "ok   records    the store has all of") {
				t.Errorf("%v: with all files: %v %s", more, err, out)
			}
		}
		store, aside := filepath.Join(args[1], "files"), filepath.Join(args[1], "aside")
		if err := os.Rename(store, aside); err != nil {
			t.Fatal(err)
		}
		for _, empty := range []bool{false, true} { // not there at all, then an empty directory
			if empty {
				if err := os.Mkdir(store, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, more := range [][]string{nil, {"--all"}} {
				out, err := doctor(more...)
				named := regexp.MustCompile(`- COS10001 \S+ of student_\d+: the file \S+ handed in of `).FindString(out)
				if err == nil || !strings.Contains(out, "FIX  records") || named == "" ||
					strings.Contains(out, "lectern doctor --all looks") != (more == nil) {
					t.Errorf("%v: with no files: %v %.2000s", more, err, out)
				}
			}
		}
		if err := os.Remove(store); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, store); err != nil {
			t.Fatal(err)
		}
		if out, err := doctor("--all"); err != nil {
			t.Errorf("with its files again: %v %s", err, out)
		}
	})
}

// tree lists all that is in a directory, with when it was changed and who may do what.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			all = append(all, fmt.Sprint(path, info.Mode(), info.Size(), info.ModTime()))
		} else if err == nil {
			all = append(all, fmt.Sprint(path, info.Mode()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whoever runs the doctor may be another user than the one that serves.
func TestDoctorCreatesNothing(t *testing.T) {
	home := t.TempDir()
	look := func(what, data string, well bool) {
		t.Helper()
		before := tree(t, home)
		out, err := run(t, "doctor", "--data", data)
		if (err == nil) != well {
			t.Errorf("%s: %v %s", what, err, out)
		}
		if after := tree(t, home); !slices.Equal(before, after) {
			t.Errorf("%s: there was %v, there is %v", what, before, after)
		}
	}
	look("no directory", filepath.Join(home, "none", "deep"), false)
	empty := filepath.Join(home, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	look("an empty directory", empty, true)
	used := filepath.Join(home, "used")
	i := start(t, "--data", used)
	i.stop()
	look("a stopped service", used, true)
	if err := os.Remove(filepath.Join(used, "lectern.lock")); err != nil {
		t.Fatal(err)
	}
	look("a restored database", used, true)
}

func TestDoctorLooksAtARunningService(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, engine string) {
		args := storage(t, engine)
		i := start(t, append([]string{"--demo"}, args...)...)
		if out, err := run(t, append([]string{"doctor", "--all"}, args...)...); err != nil {
			t.Errorf("%v %s", err, out)
		}
		i.signIn("aadmin", "password") // it still writes
		i.stop()
	})
}

func TestACommandRefusesADataDirectoryThatIsNotThere(t *testing.T) {
	home := t.TempDir()
	missing := filepath.Join(home, "mistyped")
	words := slices.Concat([][]string{{"doctor"}}, ofTheDatabase)
	for _, w := range words {
		if w[0] == "serve" || w[0] == "migrate" {
			continue
		}
		c := command(t, append(slices.Clone(w), "--data", missing)...)
		c.Stdin = strings.NewReader("a long password\n")
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), missing+" does not exist") {
			t.Errorf("%v: %v %s", w, err, out)
		}
		if _, err := os.Stat(missing); err == nil {
			t.Fatalf("%v made it", w)
		}
		if w[0] == "doctor" || w[0] == "user" && w[1] == "add" {
			continue // before the first start
		}
		c = command(t, append(slices.Clone(w), "--data", home)...)
		c.Stdin = strings.NewReader("a long password\n")
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), home+" holds no database") {
			t.Errorf("%v in an empty directory: %v %s", w, err, out)
		}
	}
	if out, err := run(t, "migrate", "--data", missing); err != nil {
		t.Errorf("migrate: %v %s", err, out)
	}
	start(t, "--data", filepath.Join(home, "another")).stop()
}

// Where database and files are elsewhere, --data only holds uploads on their way.
func TestADataDirectoryThatHoldsNothingNeedNotBeThere(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	address := dbtest.Address(t, "postgres")
	if out, err := run(t, "user", "list", "--data", missing, "--database-url", address); err != nil {
		t.Errorf("user list: %v %s", err, out)
	}
	if out, err := run(t, "audit", "verify", "--data", missing, "--database-url", address); err != nil {
		t.Errorf("audit verify: %v %s", err, out)
	}
	if out, err := run(t, "audit", "verify", "--data", missing, "--database-url",
		dbtest.Bare(t, "postgres")); err == nil || !strings.Contains(out, "the database is empty") {
		t.Errorf("audit verify of an empty database: %v %s", err, out)
	}
	if out, err := run(t, "user", "export", "x", "--data", missing, "--database-url", address); err == nil ||
		!strings.Contains(out, "does not exist") {
		t.Errorf("user export: %v %s", err, out)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("it was made")
	}
}
