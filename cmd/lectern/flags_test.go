package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

func TestAWrongFlagIsToldWithoutTheWholeHelp(t *testing.T) {
	for line, want := range map[string]string{
		"serve --nonsense": "lectern: unknown flag --nonsense\nSee lectern serve --help\n",
		"serve --log-level loud": "lectern: --log-level: \"loud\" is no level: say debug, info, warn or error\n" +
			"See lectern serve --help\n",
		"nonsense":                "lectern: unexpected argument nonsense\nSee lectern --help\n",
		"user list --workers=two": "lectern: unknown flag --workers\nSee lectern user list --help\n",
	} {
		out, err := run(t, strings.Fields(line)...)
		failed, ok := errors.AsType[*exec.ExitError](err)
		if out != want || !ok || failed.ExitCode() != 2 {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

func TestHelpTellsWhatThereIsToKnow(t *testing.T) {
	spaces := regexp.MustCompile(`\s+`)
	for line, wants := range map[string][]string{
		"serve --help": {`--data="data" Directory for the database`},
		"--help": {"fake-similarity-service",
			"Play the outside similarity service, to try it without an account there."},
		"fake-similarity-service --help": {"finds the same in each", "which is --tii-url of lectern serve",
			"which is --tii-api-key", "percent of every document", "from a document to its report"},
	} {
		out, err := run(t, strings.Fields(line)...)
		for _, want := range wants {
			if err != nil || !strings.Contains(spaces.ReplaceAllString(out, " "), want) {
				t.Errorf("%s does not say %q (%v):\n%s", line, want, err, out)
			}
		}
	}
}

func TestVersionOfABuildFromAClone(t *testing.T) {
	dbtest.Long(t) // every package is compiled anew in another place
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", args...).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	root, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("this is no clone of the repository")
	}
	dir := filepath.Join(t.TempDir(), "lectern")
	for _, args := range [][]string{{"clone", "-q", root, dir}, {"-C", dir, "tag", "-f", "v1.2.3"}} {
		if out, err := git(args...); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	commit, err := git("-C", dir, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err, commit)
	}
	build := exec.Command("go", "build", "-buildvcs=true", "-o", "built", "./cmd/lectern")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := regexp.MustCompile(`^lectern 1\.2\.3\ncommit ` + commit + `\ndate \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\ngo`)
	for _, arg := range []string{"version", "--version"} {
		if out, err := exec.Command(filepath.Join(dir, "built"), arg).Output(); err != nil || !want.Match(out) {
			t.Errorf("lectern %s: %v %s", arg, err, out)
		}
	}
}

func TestNobodyElseCanReadTheDatabase(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	i := start(t, "--data", data)
	for _, name := range []string{"lectern.db", "lectern.db-wal", "lectern.db-shm"} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	i.stop()
}
